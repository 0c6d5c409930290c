/* 2f_all_reduce_seconds_check.c: the check of all_reduce_seconds: latencies and bytes, one at a
 * time. */
#include "check_collective.h"
#include "exercise.h"
#include <math.h>

static void judge(void *unused)
{
    static const char *const names[ALL_REDUCES] = {"naive", "ring", "doubling", "halving", "tree"};
    static const double BYTES = 4e6, ALPHA = 3e-5, BETA = 8e-9;
    static const int ranks[] = {1, 2, 3, 4, 6, 7, 8, 16, 32};
    for (int a = 0; a < ALL_REDUCES; a++)
        for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++) {
            int P = ranks[i];
            double latencies = all_reduce_seconds(a, P, BYTES, ALPHA, 0) / ALPHA,
                   vectors = all_reduce_seconds(a, P, BYTES, 0, BETA) / (BYTES * BETA);
            exercise_group(names[a]);
            exercise_tolerance(1e-9, 1e-9);
            exercise_case("%s, P = %d", names[a], P);
            exercise_value("the number of latencies", latencies);
            exercise_value("the time of sending, in vectors,", vectors);
            exercise_tolerance(1e-12, 1e-9);
            exercise_value("the time of both together, in seconds,",
                           all_reduce_seconds(a, P, BYTES, ALPHA, BETA));
        }
    exercise_compare();
    for (int a = 0; a < ALL_REDUCES; a++)
        for (int i = 0; i < PATH_COSTS; i++) { /* counted by hand */
            const PathCost *c = &path_costs[a][i];
            double sum = c->latencies * ALPHA + c->vectors * BYTES * BETA,
                   found = all_reduce_seconds(a, path_ranks[i], BYTES, ALPHA, BETA);
            WRONG_UNLESS(fabs(found - sum) <= 1e-9 * sum, "%s, P = %d: %g s, counted: %g s",
                         names[a], path_ranks[i], found, sum);
        }
}

const ExerciseCheck exercise_check = {
    __FILE__, "seconds", 2,
    "all_reduce_seconds: latencies and bytes of each algorithm's longest "
    "chain",
    judge};
