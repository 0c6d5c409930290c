/* 7a_needed_examples_check.c: the check of needed_examples. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>

static void judge(void *unused)
{
    static const double laws[][3] = {{2, -0.5, 0}, {2, -0.5, 0.05}, {1.3, -0.31, 0.1}};
    enum { LAWS = 3, SIZES = 4 };
    double found[LAWS][SIZES];
    exercise_tolerance(0, 1e-6);
    for (int i = 0; i < LAWS; i++)
        for (int j = 0; j < SIZES + 2; j++) { /* the last two: at gamma and below */
            const double *l = laws[i], at[] = {10.25, 100.75, 3e4, 1.5e6};
            double error = j < SIZES ? l[0] * pow(at[j], l[1]) + l[2] : l[2] * (j - SIZES);
            exercise_group(j >= SIZES ? "errors at gamma or below" : "errors above gamma");
            exercise_case("an error of %.6g by %g D^%g + %g", error, l[0], l[1], l[2]);
            double d = needed_examples(l[0], l[1], l[2], error);
            exercise_value("D", d);
            if (j < SIZES)
                found[i][j] = d / at[j];
        }
    exercise_compare();
    for (int i = 0; i < LAWS * SIZES; i++)
        WRONG_UNLESS(fabs(found[i / SIZES][i % SIZES] - 1) < 1e-6, "it does not invert the law");
}

const ExerciseCheck exercise_check = {
    __FILE__, "needed_examples", 5, "the power law inverted, to 1e-6; INFINITY at gamma and below",
    judge};
