/* 6f_lamb.c: exercise: LAMB: Adam's direction, a length for each layer. */
#include "check.h"
#include "lab3.h"

/* One update of a layer's n weights w against their gradient g. m, s [n] and step are Adam's (6e),
 * both means from the plain gradient; m' and s' with bias correction:
 *
 *     r = m' / (sqrt(s') + epsilon) + decay w
 *     w = w - rate (|w| / |r|) r              the ratio is 1 if |w| or |r| is 0
 *
 * The norms are Euclidean, over the whole layer: sum them in double. o->decoupled is not used.
 * Biases and batch norm's parameters are not given to it; AdamW without decay moves them. (You et
 * al., arXiv 1904.00962, with phi(x) = x.) Memory for r: alloc(count, size), in check.h; free()
 * it. */
void lamb(float *w, float *m, float *s, const float *g, int n, int step, double rate,
          const AdamOptions *o)
{
    TODO("Adam's means; the direction r with the decay; its norm and that of w; the weights");
}
