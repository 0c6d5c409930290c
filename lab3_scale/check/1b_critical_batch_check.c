/* 1b_critical_batch_check.c: the check of critical_batch. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>
#include <stdio.h>

static void judge(void *unused)
{
    static const double batch[] = {32, 64, 128, 256, 512};
    static const struct {
        const char *what;
        int n;
        double tolerance, loss[5];
    } asked[] = {
        {"one branch", 1, 0.02, {0.5}},
        {"only the smallest lost nothing", 5, 0.02, {0.5, 0.6, 0.7, 0.8, 0.9}},
        {"no batch lost anything", 5, 0.02, {0.5, 0.49, 0.495, 0.505, 0.5}},
        {"256 is the first that lost something", 5, 0.02, {0.5, 0.5, 0.51, 0.6, 0.9}},
        {"128 lost something, and 256 by chance did not", 5, 0.02, {0.5, 0.5, 0.6, 0.51, 0.9}},
        {"the loss creeps up", 5, 0.02, {0.5, 0.515, 0.53, 0.545, 0.56}},
        {"64 is better than 32", 3, 0.02, {0.5, 0.4, 0.51}},
        {"branch 64 diverged (NaN)", 3, 0.02, {0.5, NAN, 0.5}},
        {"the smallest diverged (NaN)", 3, 0.02, {NAN, 0.5, 0.5}},
        {"64 is exactly at the tolerance", 2, 0.5, {0.5, 1}},
        {"losses of 4", 3, 2, {4, 5, 7}},
        {"small losses", 4, 0.2, {0.1, 0.15, 0.25, 0.4}},
        {"the best comes last", 3, 0.02, {0.5, 0.51, 0.4}},
        {"tolerance 0", 3, 0, {0.5, 0.5, 0.6}}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const double *loss = asked[i].loss;
        char all[100] = "";
        for (int k = 0, at = 0; k < asked[i].n; k++)
            at += snprintf(all + at, sizeof all - at, "%s%g", k ? ", " : "", loss[k]);
        exercise_case("batches from 32, losses %s, tolerance %g: %s", all, asked[i].tolerance,
                      asked[i].what);
        exercise_value("the batch", critical_batch(batch, loss, asked[i].n, asked[i].tolerance));
    }
}

const ExerciseCheck exercise_check = {__FILE__, "critical_batch", 3,
                                      "the last batch before the first that lost something", judge};
