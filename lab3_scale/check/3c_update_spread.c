/* 3c_update_spread.c: the check of update_spread, on random rows. */
#include "check.h"
#include "exercise.h"
#include "lab3.h"
#include <math.h>
#include <stdlib.h>

typedef struct Sums {
    double trace, about_zero; /* sum of squares about the means; about 0 */
} Sums;

static Sums sums_of(const float *g, int samples, int n)
{
    Sums sums = {0, 0};
    for (int i = 0; i < n; i++) {
        double sum = 0, square = 0;
        for (int s = samples - 1; s >= 0; s--) {
            sum += g[s * n + i];
            square += (double)g[s * n + i] * g[s * n + i];
        }
        sums.trace += square - sum * sum / samples;
        sums.about_zero += square;
    }
    return sums;
}

static void judge_one(int samples, int n, double rate, double offset)
{
    float *g = alloc((unsigned long)samples * n, sizeof *g);
    Rng r = rng_at(5, RNG_TEST, (uint32_t)samples, (uint64_t)n);
    for (int i = 0; i < samples * n; i++)
        g[i] = (float)(offset + (1 + i % n) * rng_normal(&r));
    Sums sums = sums_of(g, samples, n);
    double found = update_spread(g, samples, n, rate), scale = rate * rate / (samples - 1),
           expected = scale * sums.trace;
#define IS(value) (fabs(found - (value)) <= 1e-6 * fabs(value))
    if (!IS(expected)) {
        const char *what = "";
        if (IS(scale * sums.about_zero))
            what = ": the mean over the batches is not taken away";
        else if (samples > 2 && IS(expected * (samples - 1) / samples))
            what = ": divide by samples - 1";
        else if (IS(expected * (samples - 1)))
            what = ": it is not divided by samples - 1";
        else if (IS(expected / rate / rate))
            what = ": that of the gradients: an update is -rate times one";
        else if (IS(expected / rate))
            what = ": the rate goes in twice: it is squared like the rest";
        else if (n > 1 && IS(expected / n))
            what = ": the mean over the elements; the trace is their sum";
        else if (found < 0)
            what = ": a variance is not negative";
        exercise_wrong("%d batches, %d elements, rate %g: %g, expected %g%s", samples, n, rate,
                       found, expected, what);
    }
    free(g);
}

static void judge(void *unused)
{
    judge_one(8, 3, 0.1, 1);
    judge_one(2, 1, 1, 0);
    judge_one(5, 1000, 2, 0.5);
    judge_one(64, 17, 0.01, -3);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "update_spread", 5,
                          "rate^2 times the sum of the elements' variances over the batches",
                          judge);
}
