/* optimiser_steps.c: NAME ROWS COLUMNS STEPS: an optimiser of lab 3, for tests/torch/optimisers.py:
 * reads float32s, the weights and then STEPS gradients, and writes the weights after each update.
 * */
#include "check.h"
#include "lab3.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void update(const char *name, float *w, float *a, float *b, const float *g, int rows,
                   int columns, int step)
{
    const double rate = 0.02, decay = 0.1;
    AdamOptions o = {0.9, 0.999, 1e-8, decay, !strcmp(name, "adamw")};
    int n = rows * columns;
    if (!strcmp(name, "momentum"))
        momentum(w, a, g, n, rate, 0.9, decay);
    else if (!strcmp(name, "nesterov"))
        nesterov(w, a, g, n, rate, 0.9, decay);
    else if (!strcmp(name, "muon"))
        muon(w, a, g, rows, columns, rate, 0.95, decay);
    else
        adam(w, a, b, g, n, step, rate, &o);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 5, "usage: optimiser_steps NAME ROWS COLUMNS STEPS");
    int rows = atoi(argv[2]), columns = atoi(argv[3]), steps = atoi(argv[4]);
    size_t n = (size_t)rows * (size_t)columns;
    float *w = alloc(n, sizeof *w), *g = alloc(n, sizeof *g);
    float *a = alloc(n, sizeof *a), *b = alloc(n, sizeof *b);
    REQUIRE(fread(w, sizeof *w, n, stdin) == n, "no weights on standard input");
    for (int t = 1; t <= steps; t++) {
        REQUIRE(fread(g, sizeof *g, n, stdin) == n, "no gradient %d on standard input", t);
        update(argv[1], w, a, b, g, rows, columns, t);
        REQUIRE(fwrite(w, sizeof *w, n, stdout) == n, "standard output");
    }
    free(b);
    free(a);
    free(g);
    free(w);
    return 0;
}
