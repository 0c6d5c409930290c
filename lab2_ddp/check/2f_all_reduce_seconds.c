/* 2f_all_reduce_seconds.c: the check of all_reduce_seconds: latencies and bytes, one at a time. */
#include "check_collective.h"
#include "exercise.h"
#include <math.h>

static const char *const names[ALL_REDUCES] = {"naive", "ring", "doubling", "halving", "tree"};

static void judge_path(Algorithm a, const PathCost *expected)
{
    static const double BYTES = 4e6, ALPHA = 3e-5, BETA = 8e-9;
    int P = expected->P;
    double latencies = all_reduce_seconds(a, P, BYTES, ALPHA, 0) / ALPHA,
           vectors = all_reduce_seconds(a, P, BYTES, 0, BETA) / (BYTES * BETA),
           both = all_reduce_seconds(a, P, BYTES, ALPHA, BETA),
           sum = expected->latencies * ALPHA + expected->vectors * BYTES * BETA;
    if (!(fabs(latencies - expected->latencies) <= 1e-6))
        exercise_wrong("%s, P = %d: %.6g latencies, expected %g", names[a], P, latencies,
                       expected->latencies);
    if (!(fabs(vectors - expected->vectors) <= 1e-6))
        exercise_wrong("%s, P = %d: the time of sending %.6g vectors, expected %.6g", names[a], P,
                       vectors, expected->vectors);
    if (!(fabs(both - sum) <= 1e-9 * fmax(sum, ALPHA)))
        exercise_wrong("%s, P = %d: %g s with latency and bandwidth, expected their sum, %g s",
                       names[a], P, both, sum);
}

static void judge(void *unused)
{
    for (int i = 0; i < PATH_COSTS; i++)
        for (int a = 0; a < ALL_REDUCES; a++)
            judge_path((Algorithm)a, &path_costs[a][i]);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "seconds", 2,
                          "all_reduce_seconds: latencies and bytes of each algorithm's longest "
                          "chain",
                          judge);
}
