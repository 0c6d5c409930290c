/* 3a_scaled_rate.c: exercise: the learning rate for a batch k times as large. */
#include "check.h"
#include "lab3.h"

/* A training was tuned with the learning rate `rate`. Its batch becomes k times as large (k > 0;
 * less than 1: smaller). Return the rate for it:
 *
 *     SCALE_NONE     the same
 *     SCALE_ROOT     times the square root of k: an update's noise stays as large as it was
 *                    (cov(dw) = rate^2 / B · cov(g), B images; Hoffer et al., arXiv 1705.08741)
 *     SCALE_LINEAR   times k: k small updates become one as long as all of them
 *                    (Goyal et al., arXiv 1706.02677) */
double scaled_rate(ScaleRule rule, double rate, double k)
{
    TODO("rate by one of the three rules");
}
