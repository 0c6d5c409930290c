/* 7a_verdict.c: exercise: did a remedy help, or was it the seeds? */
#include "check.h"
#include "lab3.h"

/* remedy [n] and baseline [m] are the accuracies of trainings that differ in their seeds alone,
 * n, m >= 1. The answer that few seeds allow:
 *
 *     VERDICT_HOLDS  every training with the remedy is better than every one of the baseline
 *     VERDICT_HARMS  every one is worse than every one
 *     VERDICT_NONE   neither: the two ranges touch or overlap, and it may be chance
 *
 * NaN is a training that diverged: worse than any number, and as bad as another NaN. Of two kinds
 * that are the same, with 3 seeds each, one pair in 10 comes out as holds or harms; with 5 seeds
 * one in 126. */
Verdict verdict(const double *remedy, int n, const double *baseline, int m)
{
    TODO("the lowest and the highest of both; compare the ranges");
}
