/* 9c_expected_staleness_check.c: the check of expected_staleness. */
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
    static const struct {
        const char *periods;
        int workers;
        double before, period[MOST];
    } asked[] = {{"2", 1, -3, {2}},
                 {"1 and 1", 2, -3, {1, 1}},
                 {"2, 2, 2 and 2", 4, -3, {2, 2, 2, 2}},
                 {"3 and 1", 2, -3, {3, 1}},
                 {"1, 1, 1 and 4", 4, -3, {1, 1, 1, 4}},
                 {"0.7, 1.3 and 2.9", 3, -3, {0.7, 1.3, 2.9}}};
    enum { CASES = sizeof asked / sizeof *asked };
    double found[CASES][MOST + 1];
    for (int k = 0; k < CASES; k++)
        for (int i = -1; i < asked[k].workers; i++) {
            exercise_group(i < 0   ? "worker = -1"
                           : k < 3 ? "equal periods"
                                   : "one worker of several");
            exercise_case("period%s %s, worker = %d", k ? "s" : "", asked[k].periods, i);
            found[k][1 + i] = expected_staleness(asked[k].period, asked[k].workers, i);
            exercise_value("the staleness", found[k][1 + i]);
        }
    exercise_compare();
    for (int k = 0; k < CASES; k++)
        for (int i = -1; i < asked[k].workers; i++) {
            double truth = counted(asked[k].period, asked[k].workers, i);
            WRONG_UNLESS(fabs(found[k][1 + i] - truth) <= 0.01 * (1 + truth),
                         "periods %s, worker %d: %g, counted: %g", asked[k].periods, i,
                         found[k][1 + i], truth);
        }
}

const ExerciseCheck exercise_check = {__FILE__, "expected_staleness", 5,
                                      "the mean number of updates between weights and gradient",
                                      judge};
