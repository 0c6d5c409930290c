/* 10b_next_scale.c: exercise: the factor on the loss, update by update. */
#include "check.h"
#include "lab3.h"

/* The loss, and with it every gradient, is multiplied by s->scale, so that float16 does not round
 * the small ones to 0; the gradient of the weights is divided by it again. Only trying tells how
 * large it may be (Micikevicius et al., arXiv 1710.03740). After a backward pass with s->scale:
 *
 *   - a gradient of the weights was not finite: the scale was too large. Halve it, but not below 1;
 *     s->good becomes 0; return false: this update is left out;
 *   - all were finite: s->good counts this pass. If that makes s->interval of them in a row, double
 *     the scale, but not beyond 2^24, and count from 0 again. Return true. */
bool next_scale(Scaling *s, bool finite)
{
    TODO("halve and leave the update out, or count, and double after so many in a row");
}
