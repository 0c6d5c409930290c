/* 3a_scaled_rate_check.c: the check of scaled_rate. */
#include "exercise.h"
#include "lab3.h"

static void judge(void *unused)
{
    static const char *const names[] = {"SCALE_NONE", "SCALE_ROOT", "SCALE_LINEAR"};
    static const double ks[] = {1, 4, 16, 2, 0.25, 1000};
    for (int rule = 0; rule < SCALE_RULES; rule++)
        for (int i = 0; i < 6; i++) {
            exercise_group(names[rule]);
            exercise_case("%s, rate 0.03, k = %g", names[rule], ks[i]);
            exercise_value("the rate", scaled_rate((ScaleRule)rule, 0.03, ks[i]));
        }
}

const ExerciseCheck exercise_check = {__FILE__, "scaled_rate", 3,
                                      "the rate, times 1, the root of k, or k", judge};
