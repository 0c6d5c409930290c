/* 11b_optimal_size_check.c: the check of optimal_size. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>

static void judge(void *unused)
{
    /* A, alpha, B, beta */
    static const double laws[][4] = {{1, 0.5, 1, 0.5},
                                     {16, 0.5, 1, 0.5},
                                     {406.4, 0.34, 410.7, 0.28},
                                     {60, 0.6, 9000, 0.8}};
    enum { LAWS = sizeof laws / sizeof *laws };
    static const double budgets[] = {6, 6e8, 1e12};
    bool least = true;
    exercise_tolerance(0, 1e-6);
    for (int i = 0; i < LAWS; i++)
        for (int j = 0; j < 3; j++) {
            const double *l = laws[i], C = budgets[j];
            exercise_group(l[1] == l[3] ? "equal exponents" : "two exponents");
            exercise_case("%g N^-%g + %g D^-%g with %g operations", l[0], l[1], l[2], l[3], C);
            double N = optimal_size(l[0], l[1], l[2], l[3], C), loss[3];
            exercise_value("N", N);
            for (int k = 0; k < 3; k++) {
                double n = N * (0.99 + 0.01 * k);
                loss[k] = l[0] * pow(n, -l[1]) + l[2] * pow(C / (6 * n), -l[3]);
            }
            least &= loss[1] <= loss[0] && loss[1] <= loss[2];
        }
    exercise_compare();
    WRONG_UNLESS(least, "a model 1 %% smaller or larger has less loss");
}

const ExerciseCheck exercise_check = {__FILE__, "optimal_size", 5,
                                      "the N with the least loss for the budget, to 1e-6", judge};
