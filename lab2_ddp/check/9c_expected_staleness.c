/* 9c_expected_staleness.c: the check of expected_staleness. */
#include "exercise.h"
#include "lab2.h"
#include <math.h>

enum { MOST = 4 };

/* The mean over 20,000 gradients, which arrive one by one: the truth, to 1 %. */
static double counted(const double *period, int workers, int worker)
{
    double next[MOST], sum = 0;
    int64_t since[MOST] = {0}, n = 0;
    for (int i = 0; i < workers; i++)
        next[i] = period[i] * (0.3 + 0.1 * i);
    for (int64_t made = 0; made < 20000; made++) {
        int first = 0;
        for (int i = 1; i < workers; i++)
            first = next[i] < next[first] ? i : first;
        sum += worker < 0 || worker == first ? (double)(made - since[first]) : 0;
        n += worker < 0 || worker == first;
        since[first] = made + 1; /* and new weights */
        next[first] += period[first];
    }
    return sum / (double)n;
}

static void judge(void *unused)
{
    static const double period[][MOST] = {{2},    {1, 1},       {2, 2, 2, 2},
                                          {3, 1}, {1, 1, 1, 4}, {0.7, 1.3, 2.9}};
    static const int workers[] = {1, 2, 4, 2, 4, 3};
    enum { CASES = sizeof workers / sizeof *workers };
    double found[CASES][MOST + 1];
    for (int k = 0; k < CASES; k++)
        for (int i = -1; i < workers[k]; i++) {
            const double *p = period[k];
            exercise_group(i < 0 ? "worker = -1" : k < 3 ? "equal periods" : "one worker");
            exercise_case("%d worker%s of period %g, %g, %g, %g, worker = %d", workers[k],
                          workers[k] > 1 ? "s" : "", p[0], p[1], p[2], p[3], i);
            found[k][1 + i] = expected_staleness(p, workers[k], i);
            exercise_value("the staleness", found[k][1 + i]);
        }
    exercise_compare();
    for (int k = 0; k < CASES; k++)
        for (int i = -1; i < workers[k]; i++) {
            double truth = counted(period[k], workers[k], i);
            WRONG_UNLESS(fabs(found[k][1 + i] - truth) <= 0.01 * (1 + truth),
                         "%d workers, worker %d: %g, counted: %g", workers[k], i, found[k][1 + i],
                         truth);
        }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "expected_staleness", 5,
                          "the mean number of updates between weights and gradient", judge);
}
