/* 4_time_per_update.c: exercise: a fixed cost and a cost per picture. */
#include "check.h"
#include "lab1.h"

/* An update of B pictures takes t0 + c B seconds: a fixed cost, and a cost per picture. Fit
 * both to n measured pairs (batch[i] pictures, seconds[i]) so that the sum of squared RELATIVE
 * errors is least,
 *     sum ((t0 + c batch[i] - seconds[i]) / seconds[i])^2
 * because a time is measured to some percent, and plain least squares would see nothing but the
 * largest batches. That is linear least squares with the weights 1/seconds[i]^2. n >= 2, batch
 * sizes not all alike, seconds > 0. *t0 in seconds per update, *c in seconds per picture; noise can
 * make *t0 negative: leave it so. */
void time_per_update(double *t0, double *c, const double *batch, const double *seconds, int n)
{
    TODO("fit t0 + c*batch to the measured seconds, with the least sum of squared relative errors");
}
