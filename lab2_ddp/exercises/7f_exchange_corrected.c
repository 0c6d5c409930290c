/* 7f_exchange_corrected.c: exercise: momentum before the choice, not after it. */
#include "check.h"
#include "lab2.h"

/* Exchange a sparse gradient with momentum correction. g [r->n] is this rank's gradient, and at the
 * end the mean over the ranks of what they sent: the step itself, for an SGD *without* momentum.
 * u and v [r->n] are this rank's memory, 0 at first.
 *
 * Error feedback (7d) sends an element late: the sum of a hundred gradients arrives at once.
 * Momentum after that treats it as one large gradient, and keeps moving in its direction for many
 * updates. Deep gradient compression applies the momentum first, on each rank, and adds up the
 * steps instead of the gradients:
 *
 *     u = momentum u + g        the velocity, as SGD's
 *     v = v + u                 the steps that were not sent yet
 *
 * Send those elements of v that r->compress(r, v) chooses: r->at[0 … r->kept). At what was sent,
 * set v to 0, and u as well (momentum factor masking): else the old velocity would keep moving a
 * weight whose step is stale. Then r->exchange(r, g).
 *
 * Lin et al., Deep Gradient Compression, arXiv 1712.01887. */
void exchange_corrected(Remedy *r, float *g, float *u, float *v, float momentum)
{
    TODO("velocity; steps not yet sent; compress those; forget what was sent; exchange");
}
