/* 3c_update_spread.c: exercise: how much do updates differ from one another? */
#include "check.h"
#include "lab3.h"

/* grads [samples, n] has in row s the gradient of batch number s, all at the same weights; each
 * would give the update dw_s = -rate · g_s. Return the trace of the covariance of dw: over the n
 * elements the sum of
 *
 *     1 / (samples - 1) · sum over s of (dw_s,i - mean of dw_i)^2
 *
 * with the mean over the batches (samples >= 2). Sum in double. Batches of B images give cov(dw) =
 * rate^2 / B · cov(g of one image): that is what the rule √k keeps. */
double update_spread(const float *grads, int samples, int n, double rate)
{
    TODO("of each element the variance over the rows; their sum, times rate squared");
}
