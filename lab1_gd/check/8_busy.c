/* 8_busy.c: the check of busy: spans by hand, and random ones whose answer is counted. */
#include "exercise.h"
#include "lab1.h"
#include "rng.h"
#include <math.h>
#include <string.h>

static void expect_busy(const double *start, const double *end, int n, double from, double to,
                        double expected, const char *what)
{
    double found = busy(start, end, n, from, to);
    WRONG_UNLESS(fabs(found - expected) <= 1e-12, "%s: %g s within [%g, %g], expected %g", what,
                 found, from, to, expected);
}

/* Spans of whole ticks, so that the answer can be counted: which ticks does any of them cover? */
static void busy_counted(uint64_t seed)
{
    enum { TICKS = 64, MOST = 20 };
    Rng r = rng_at(seed, RNG_TEST, 1, 0);
    double start[MOST], end[MOST], before[2 * MOST];
    bool covered[TICKS] = {false};
    int n = (int)rng_below(&r, MOST + 1), from = (int)rng_below(&r, 20),
        to = from + (int)rng_below(&r, 40), expected = 0;
    for (int i = 0; i < n; i++) {
        int first = (int)rng_below(&r, TICKS - 8), length = (int)rng_below(&r, 8);
        start[i] = first;
        end[i] = first + length;
        for (int t = first; t < first + length; t++)
            covered[t] = true;
    }
    for (int t = from; t < to; t++)
        expected += covered[t];
    memcpy(before, start, sizeof start);
    memcpy(before + MOST, end, sizeof end);
    expect_busy(start, end, n, from, to, expected, "spans in any order");
    WRONG_UNLESS(n == 0 || (!memcmp(before, start, n * sizeof *start) &&
                            !memcmp(before + MOST, end, n * sizeof *end)),
                 "the arrays were changed");
}

static void judge(void *unused)
{
    expect_busy((double[]){1, 4}, (double[]){2, 6}, 2, 0, 10, 3, "two spans, one after the other");
    expect_busy((double[]){1, 2}, (double[]){3, 4}, 2, 0, 10, 3, "two spans that overlap");
    expect_busy((double[]){1, 2}, (double[]){6, 3}, 2, 0, 10, 5, "a span inside another");
    expect_busy((double[]){4, 1}, (double[]){6, 2}, 2, 0, 10, 3, "spans that are not sorted");
    expect_busy((double[]){-3, 8}, (double[]){2, 20}, 2, 0, 10, 4,
                "spans that reach beyond both ends");
    expect_busy((double[]){-3, 12}, (double[]){-1, 20}, 2, 0, 10, 0, "spans outside of [from, to]");
    expect_busy((double[]){1, 2}, (double[]){2, 3}, 2, 0, 10, 2, "spans that touch");
    expect_busy((double[]){5}, (double[]){5}, 1, 0, 10, 0, "an empty span");
    expect_busy((double[]){0}, (double[]){0}, 0, 0, 10, 0, "no spans");
    for (uint64_t seed = 1; seed <= 200; seed++)
        busy_counted(seed);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "busy", 5,
                          "seconds of [from, to] that the spans cover together, to 1e-12", judge);
}
