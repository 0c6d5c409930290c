/* 7d_exchange_with_feedback.c: exercise: what is not sent now is sent later. */
#include "check.h"
#include "lab2.h"

/* Exchange the gradient with error feedback: g [r->n] is this rank's gradient, and at the end the
 * mean over the ranks of what they sent. e [r->n] is this rank's memory, 0 at first: what it has
 * computed so far and not sent.
 *
 * A compressor that only rounds, or leaves out, loses the same elements in every update. With error
 * feedback nothing is lost, it is only late: compress the gradient *plus* what was not sent before,
 * and keep what is not sent of that. In every update, element for element,
 *
 *     g + e = sent + e'          (e' is e after it)
 *
 * so the sum of all that was sent is the sum of all gradients, minus what is in e at the end.
 *
 * The remedy's three functions (remedy.h) do the work: r->compress(r, a), r->residual(r, e, a),
 * r->exchange(r, g). Mind the order: residual needs the packet and its a, exchange overwrites g.
 *
 * Seide et al., 2014; Karimireddy et al., arXiv 1901.09847. */
void exchange_with_feedback(Remedy *r, float *g, float *e)
{
    TODO("add what was not sent before; compress; keep what is not sent; exchange");
}
