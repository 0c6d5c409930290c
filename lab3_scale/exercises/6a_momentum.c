/* 6a_momentum.c: exercise: SGD with momentum. */
#include "check.h"
#include "lab3.h"

/* One update of n weights w against their gradient g. v [n] is the velocity, zero at first; it is
 * kept from one update to the next. With the gradient of the decay added,
 *
 *     d = g + decay w
 *     v = mu v + d
 *     w = w - rate v
 *
 * as torch.optim.SGD does it. The rate is applied outside v: when it changes, it changes for the
 * whole velocity at once. (Polyak, 1964.) */
void momentum(float *w, float *v, const float *g, int n, double rate, double mu, double decay)
{
    TODO("the velocity from d, the weights from the velocity");
}
