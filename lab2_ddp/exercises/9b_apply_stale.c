/* 9b_apply_stale.c: exercise: an update with an old gradient. */
#include "check.h"
#include "lab2.h"

/* The server's update with a gradient g that was computed with old weights: `staleness` updates
 * have been made since those were sent out. SGD with momentum:
 *
 *     v = momentum v + c g
 *     w = w - rate v              with the new v
 *
 * c is 1, or, with `aware`, 1 / (1 + staleness): the older a gradient, the less it counts (Zhang et
 * al., "Staleness-aware async-SGD", arXiv 1511.05950, divide the rate by the staleness). w, v, g:
 * [n]; g stays as it is. */
void apply_stale(float *w, float *v, const float *g, int n, double rate, double momentum,
                 int staleness, bool aware)
{
    TODO("scale the gradient by its age, then momentum, then the step");
}
