/* 6b_nesterov.c: exercise: Nesterov's momentum. */
#include "check.h"
#include "lab3.h"

/* One update of n weights w against their gradient g; v [n] is the velocity, zero at first:
 *
 *     d = g + decay w
 *     v = mu v + d
 *     w = w - rate (d + mu v)          with the new v
 *
 * The weights move to where the next gradient is wanted: a step ahead along the velocity. So do
 * torch.optim.SGD(nesterov=True) and Sutskever et al., 2013 (in another notation). */
void nesterov(float *w, float *v, const float *g, int n, double rate, double mu, double decay)
{
    TODO("as momentum, but the weights move by d + mu v");
}
