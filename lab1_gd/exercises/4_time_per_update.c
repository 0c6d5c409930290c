/* 4_time_per_update.c: exercise: a fixed cost and a cost per image. */
#include "check.h"
#include "lab1.h"

/* An update on B images takes about t0 + c B seconds: a fixed cost, and a cost per image. Fit both
 * to n >= 2 measurements: an update on batch[i] images took seconds[i] > 0. Minimise the sum of
 * the squared RELATIVE errors,
 *     sum ((t0 + c batch[i] - seconds[i]) / seconds[i])^2
 * A time is measured to within a few percent, so plain least squares would fit only the largest
 * batches. This is linear least squares with weights 1/seconds[i]^2. With the weighted sums
 *     S = sum weight,  X = sum weight batch,  Y = sum weight seconds,
 *     XX = sum weight batch^2,  XY = sum weight batch seconds
 * both derivatives are 0 where
 *     c = (S XY - X Y) / (S XX - X X)  and  t0 = (Y - c X) / S
 *     *t0   out: seconds per update; noise can make it negative: leave it so
 *     *c    out: seconds per image
 * At least two batch sizes differ. The check asks for 1e-9, relative, on exact data; on noisy data
 * no line with t0 or c changed by 0.1 % may fit better. */
void time_per_update(double *t0, double *c, const double *batch, const double *seconds, int n)
{
    TODO("fit t0 + c*batch to the measured seconds: least sum of squared relative errors");
}
