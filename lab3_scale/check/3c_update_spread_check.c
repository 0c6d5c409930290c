/* 3c_update_spread_check.c: the check of update_spread. */
#include "check.h"
#include "exercise.h"
#include "lab3.h"
#include <stdlib.h>

static void judge_one(int samples, int n, double rate, double offset)
{
    float *g = alloc((unsigned long)samples * n, sizeof *g);
    for (int s = 0; s < samples; s++)
        for (int i = 0; i < n; i++)
            g[s * n + i] = (float)(offset + 0.1 * (1 + i % 3) * ((7 * s + 3 * i + s * i) % 5));
    exercise_case("%d batches, %d elements around %g, rate %g", samples, n, offset, rate);
    exercise_value("the trace", update_spread(g, samples, n, rate));
    free(g);
}

static void judge(void *unused)
{
    exercise_tolerance(0, 1e-7);
    judge_one(2, 1, 1, 0);
    judge_one(3, 1, 0.5, 0);
    judge_one(4, 3, 2, 1);
    judge_one(2, 5, 0.1, -3);
    judge_one(8, 3, 0.1, 1000);
    judge_one(5, 1000, 2, 0.5);
}

const ExerciseCheck exercise_check = {
    __FILE__, "update_spread", 5,
    "rate^2 times the sum of the elements' variances over the batches", judge};
