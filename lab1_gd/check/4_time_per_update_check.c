/* 4_time_per_update_check.c: the check of time_per_update: exact times, and times with noise. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>
#include <string.h>

enum { MOST = 9, CASES = 7 };
static const struct {
    int n;
    double t0, c, noise[MOST];
} asked[CASES] = {
    {2, 0.004, 0.0005, {0}},
    {3, 0.004, 0.0005, {0}},
    {9, 0.004, 0.0005, {0}},
    {9, -0.001, 0.002, {0}},
    {3, 2.5, 0.75, {0}},
    {4, 0.004, 0.0005, {0.06, -0.05, -0.02, 0.09}},
    {9, 0.004, 0.0005, {0.08, -0.07, 0.12, -0.1, -0.03, 0.1, -0.12, 0.05, -0.06}},
};

static double error(double t0, double c, const double *batch, const double *seconds, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += pow((t0 + c * batch[i]) / seconds[i] - 1, 2);
    return sum;
}

static void judge(void *unused)
{
    int better = 0; /* lines 0.1 % away that fit better */
    for (int k = 0; k < CASES; k++) {
        double batch[MOST], seconds[MOST], kept[2][MOST], t0 = EXERCISE_UNSET, c = EXERCISE_UNSET;
        bool noise = asked[k].noise[0] != 0;
        int n = asked[k].n;
        for (int i = 0; i < n; i++) {
            batch[i] = 1 << i;
            seconds[i] = (asked[k].t0 + asked[k].c * batch[i]) * (1 + asked[k].noise[i]);
        }
        memcpy(kept[0], batch, n * sizeof *batch);
        memcpy(kept[1], seconds, n * sizeof *seconds);
        exercise_tolerance(0, noise ? 4e-4 : 1e-9);
        exercise_group(noise ? "times with noise" : "exact times");
        exercise_case("%d times %s %g + %g B", n, noise ? "with noise around" : "that lie on",
                      asked[k].t0, asked[k].c);
        time_per_update(&t0, &c, batch, seconds, n);
        exercise_value("t0", t0);
        exercise_value("c", c);
        for (int a = 0; a < 2; a++)
            WRONG_UNLESS(!memcmp(kept[a], a ? seconds : batch, n * sizeof *batch),
                         "it changed the array %s: only read it", a ? "seconds" : "batch");
        for (double by = 0.999; by < 1.002; by += 0.002)
            better += error(by * t0, c, kept[0], kept[1], n) < error(t0, c, kept[0], kept[1], n) ||
                      error(t0, by * c, kept[0], kept[1], n) < error(t0, c, kept[0], kept[1], n);
    }
    exercise_compare();
    WRONG_UNLESS(!better, "another line has a smaller sum of squared relative errors");
}

const ExerciseCheck exercise_check = {__FILE__, "time_per_update", 10,
                                      "t0 and c with the least sum of squared relative errors",
                                      judge};
