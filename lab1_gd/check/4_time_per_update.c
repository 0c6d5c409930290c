/* 4_time_per_update.c: the check of time_per_update: exact times, and times with noise. */
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
    double batch[CASES][MOST], seconds[CASES][MOST], t0[CASES], c[CASES];
    for (int k = 0; k < CASES; k++) {
        double kept[2][MOST];
        bool noise = asked[k].noise[0] != 0;
        int n = asked[k].n;
        for (int i = 0; i < n; i++) {
            batch[k][i] = kept[0][i] = 1 << i;
            seconds[k][i] = kept[1][i] = (asked[k].t0 + asked[k].c * batch[k][i]) *
                                         (1 + asked[k].noise[i]);
        }
        t0[k] = c[k] = EXERCISE_UNSET;
        exercise_tolerance(0, noise ? 4e-4 : 1e-9);
        exercise_group(noise ? "times with noise" : "exact times");
        exercise_case("%d times %s %g + %g B", n, noise ? "with noise around" : "that lie on",
                      asked[k].t0, asked[k].c);
        time_per_update(&t0[k], &c[k], batch[k], seconds[k], n);
        exercise_value("t0", t0[k]);
        exercise_value("c", c[k]);
        WRONG_UNLESS(!memcmp(kept[0], batch[k], n * sizeof *batch[k]), "it changed the array "
                                                                       "batch: only read it");
        WRONG_UNLESS(!memcmp(kept[1], seconds[k], n * sizeof *seconds[k]), "it changed the array "
                                                                           "seconds: only read it");
    }
    exercise_compare();
    for (int k = 0; k < CASES; k++)
        for (int way = 0; way < 4; way++) { /* no line 0.1 % away may fit better */
            double by = way & 1 ? 1.001 : 0.999;
            double near = error(way & 2 ? t0[k] * by : t0[k], way & 2 ? c[k] : c[k] * by, batch[k],
                                seconds[k], asked[k].n);
            WRONG_UNLESS(error(t0[k], c[k], batch[k], seconds[k], asked[k].n) < near,
                         "another line has a smaller sum of squared relative errors");
        }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "time_per_update", 10,
                          "t0 and c with the least sum of squared relative errors", judge);
}
