/* 11a_fit_law_check.c: the check of fit_law: exact losses, and losses with noise. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>
#include <string.h>

enum { MOST = 8, CASES = 6 };
static const struct {
    int n;
    double A, B, noise[MOST];
} asked[CASES] = {
    {2, 2, 3, {0}},
    {3, 2, 3, {0}},
    {8, 40, 0.5, {0}},
    {4, -1.5, 6, {0}},
    {5, 2, 3, {0.06, -0.05, -0.02, 0.09, -0.1}},
    {8, 40, 7, {0.08, -0.07, 0.12, -0.1, -0.03, 0.1, -0.12, 0.05}},
};

static double error(double A, double B, const double *x, const double *y, const double *z, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += pow((A * x[i] + B * y[i]) / z[i] - 1, 2);
    return sum;
}

static void judge(void *unused)
{
    int better = 0; /* factors 0.1 % away that fit better */
    for (int k = 0; k < CASES; k++) {
        double room[6][MOST], *x = room[0], *y = room[1], *z = room[2], A = EXERCISE_UNSET,
                              B = EXERCISE_UNSET;
        int n = asked[k].n;
        bool noise = asked[k].noise[0] != 0;
        for (int i = 0; i < n; i++) { /* sizes that differ, as in a grid */
            x[i] = pow(1 + i % 3, -0.5);
            y[i] = pow(1 + i, -0.75);
            z[i] = (asked[k].A * x[i] + asked[k].B * y[i]) * (1 + asked[k].noise[i]);
        }
        memcpy(room[3], room[0], sizeof *room * 3);
        exercise_tolerance(0, 1e-7);
        exercise_group(noise ? "losses with noise" : "exact losses");
        exercise_case("%d losses %s %g x + %g y", n, noise ? "with noise around" : "equal to",
                      asked[k].A, asked[k].B);
        fit_law(&A, &B, x, y, z, n);
        exercise_value("A", A);
        exercise_value("B", B);
        for (int a = 0; a < 3; a++)
            WRONG_UNLESS(!memcmp(room[a], room[3 + a], n * sizeof *x),
                         "it changed the array %c: only read it", "xyz"[a]);
        for (double by = 0.999; by < 1.002; by += 0.002)
            better += error(by * A, B, x, y, z, n) < error(A, B, x, y, z, n) - 1e-12 ||
                      error(A, by * B, x, y, z, n) < error(A, B, x, y, z, n) - 1e-12;
    }
    exercise_compare();
    WRONG_UNLESS(!better, "other factors have a smaller sum of squared relative errors");
}

const ExerciseCheck exercise_check = {__FILE__, "fit_law", 10,
                                      "A and B with the least sum of squared relative errors",
                                      judge};
