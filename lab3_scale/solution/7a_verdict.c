/* 7a_verdict.c: the reference: ranges that do not touch. */
#include "check.h"
#include "lab3.h"
#include <math.h>

static double value(double accuracy) { return isnan(accuracy) ? -INFINITY : accuracy; }

Verdict verdict(const double *remedy, int n, const double *baseline, int m)
{
    int better = 0, worse = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            better += value(remedy[i]) > value(baseline[j]);
            worse += value(remedy[i]) < value(baseline[j]);
        }
    return better == n * m ? VERDICT_HOLDS : worse == n * m ? VERDICT_HARMS : VERDICT_NONE;
}
