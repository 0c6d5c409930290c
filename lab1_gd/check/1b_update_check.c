/* 1b_update_check.c: the check of update. */
#include "exercise.h"
#include "lab1.h"

static void judge(void *unused)
{
    static const double asked[][5] = {{1, -2, 4, -6, 0.25},
                                      {0.3, 1.7, -2.25, 0.7, 0.1},
                                      {-5, 3, 1e3, 2e3, 1e-3},
                                      {0.5, -0.25, 2e-7, -3e-9, 0.5},
                                      {2, 9, 100, 50, 0}};
    exercise_tolerance(1e-12, 1e-12);
    for (int k = 0; k < 5; k++) {
        const double *a = asked[k];
        double w = a[0], b = a[1];
        exercise_case("w = %g, b = %g, dw = %g, db = %g, rate %g", w, b, a[2], a[3], a[4]);
        update(&w, &b, a[2], a[3], a[4]);
        exercise_value("w", w);
        exercise_value("b", b);
    }
}

const ExerciseCheck exercise_check = {__FILE__, "update", 5,
                                      "w - rate dw and b - rate db, to 1e-12", judge};
