/* 1b_critical_batch.c: the check of critical_batch. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

static const double batch[] = {32, 64, 128, 256, 512};

static void expect(double expected, const double *loss, int n, double tolerance, const char *what)
{
    double found = critical_batch(batch, loss, n, tolerance);
    WRONG_UNLESS(found == expected, "%s: %g, expected %g", what, found, expected);
}
#define CASE(expected, n, tolerance, what, ...) \
    expect(expected, (double[]){__VA_ARGS__}, n, tolerance, what)

static void judge(void *unused)
{
    CASE(128, 5, 0.02, "it lost something from batch 256 on", 0.5, 0.5, 0.51, 0.6, 0.9);
    CASE(512, 5, 0.02, "no batch lost anything", 0.5, 0.49, 0.495, 0.505, 0.5);
    CASE(32, 5, 0.02, "only the smallest lost nothing", 0.5, 0.6, 0.7, 0.8, 0.9);
    CASE(64, 5, 0.02, "batch 128 lost something, and 256 by chance did not: stop at the first", 0.5,
         0.5, 0.6, 0.51, 0.9);
    CASE(64, 5, 0.02,
         "the loss creeps up: compare with the smallest batch, not with the one before", 0.5, 0.515,
         0.53, 0.545, 0.56);
    CASE(128, 3, 0.02, "the smallest batch is not the best: compare with it all the same", 0.5, 0.4,
         0.51);
    CASE(32, 2, 0.02, "branch 64 diverged (NaN)", 0.5, NAN);
    CASE(64, 2, 0.5, "exactly at the tolerance: not exceeded", 0.5, 1.0);
    CASE(32, 1, 0.02, "one branch", 0.5);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "critical_batch", 3,
                          "the last batch before the first that lost something", judge);
}
