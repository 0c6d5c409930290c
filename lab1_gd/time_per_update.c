/* time_per_update.c: exercise: a fixed cost and a cost per picture. Contract: lab1.h. */
#include "check.h"
#include "lab1.h"

void time_per_update(double *t0, double *c, const double *batch, const double *seconds, int n)
{
    (void)t0, (void)c, (void)batch, (void)seconds, (void)n;
    TODO("fit t0 + c*batch to the measured seconds, with the least sum of squared relative errors");
}
