/* 8c_outer_step.c: exercise: DiLoCo's outer step. */
#include "check.h"
#include "lab2.h"

/* DiLoCo's outer step (Douillard et al., arXiv 2311.08105). All ranks started from the same weights
 * `start` and each made some updates. How far a rank has moved is its pseudo-gradient, start minus
 * its weights; `delta` is the mean of these over the ranks. To an outer optimiser it is a
 * gradient like any other: change `start` by one step of SGD with Nesterov momentum,
 *
 *     v     = momentum v + delta
 *     start = start - rate (delta + momentum v)          with the new v
 *
 * start, v, delta: [n]; v is 0 before the first outer step; delta stays as it is. With rate 1 and
 * momentum 0 this is the average of the ranks' weights: local SGD. */
void outer_step(float *start, float *v, const float *delta, int n, double rate, double momentum)
{
    TODO("two lines for each element, in this order");
}
