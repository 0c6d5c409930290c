/* 7b_training_days_check.c: the check of training_days. */
#include "exercise.h"
#include "lab1.h"

static void judge(void *unused)
{
    static const double asked[][5] = {{1e6, 90, 3e9, 1e12, 1},
                                      {1e6, 90, 3e9, 1e12, 8},
                                      {864e3, 7, 5, 11, 13},
                                      {1e9, 10, 86400e3, 1e12, 4}, /* beyond an int */
                                      {1e6, 2.5, 3e12, 1e12, 2},   /* half an epoch */
                                      {864e3, 1, 1, 1, 1024}};
    exercise_tolerance(0, 1e-9);
    for (int k = 0; k < 6; k++) {
        const double *a = asked[k];
        exercise_group(a[4] == 1 ? "1 device" : NULL);
        exercise_case("%g examples, %g epochs, %g FLOP each, %g FLOP/s, %g devices", a[0], a[1],
                      a[2], a[3], a[4]);
        exercise_value("the result in days", training_days(a[0], a[1], a[2], a[3], a[4]));
    }
}

const ExerciseCheck exercise_check = {__FILE__, "training_days", 5,
                                      "examples x epochs x FLOP, over devices x FLOP/s, in days",
                                      judge};
