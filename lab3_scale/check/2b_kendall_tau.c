/* 2b_kendall_tau.c: the check of kendall_tau. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

static void expect(const double *x, const double *y, int n, double expected, const char *what)
{
    double tau = kendall_tau(x, y, n);
    WRONG_UNLESS(fabs(tau - expected) <= 1e-9, "%s: %.6g, expected %.6g", what, tau, expected);
}

static void judge(void *unused)
{
    double up[] = {1, 2, 3, 4}, down[] = {4, 3, 2, 1}, far[] = {1, 10, 1e3, 1e6},
           one_off[] = {2, 1, 3, 4}, tied[] = {1, 1, 2, 3}, shuffled[] = {3, 1, 4, 2},
           same[] = {5, 5, 5, 5}, tiny[] = {1e-200, 2e-200, 3e-200, 4e-200};
    double tau = kendall_tau(up, up, 4);
    WRONG_UNLESS(tau != 2, "the same order twice gives 2: a pair i < j counts once, so divide by "
                           "n (n - 1) / 2 of them, or count both ways");
    WRONG_UNLESS(tau != 0.75 && tau != 1.5,
                 "the same order twice gives %g: a thing makes no pair "
                 "with itself; there are n (n - 1) / 2 pairs, not n n / 2",
                 tau);
    WRONG_UNLESS(tau != 0.5, "the same order twice gives 0.5: divide by n (n - 1) / 2 pairs, not "
                             "by n (n - 1)");
    WRONG_UNLESS(tau != 6, "the same order twice gives 6: divide by the number of pairs");
    WRONG_UNLESS(tau != -1, "the same order gives -1: it counts the wrong way round");
    expect(up, up, 4, 1, "twice the same order");
    WRONG_UNLESS(kendall_tau(up, down, 4) != 0,
                 "opposite orders give 0: discordant pairs count against");
    expect(up, down, 4, -1, "opposite orders");
    expect(up, far, 4, 1, "the same order, very different sizes (the order alone counts)");
    expect(up, one_off, 4, 4 / 6.0, "one of six pairs discordant");
    expect(up, tied, 4, 5 / 6.0, "one of six pairs tied: it counts for neither, but is a pair");
    expect(tied, up, 4, 5 / 6.0, "one of six pairs tied, in x");
    expect(up, same, 4, 0, "all tied");
    expect(up, shuffled, 4, 0, "three of six discordant");
    expect(up, tiny, 4, 1, "very small differences (1e-200)");
    WRONG_UNLESS(isnan(kendall_tau(up, up, 1)) && isnan(kendall_tau(up, up, 0)),
                 "n < 2: there is no pair: expected NAN");
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "kendall_tau", 6,
                          "(concordant - discordant) / pairs; ties for neither; NAN with n < 2",
                          judge);
}
