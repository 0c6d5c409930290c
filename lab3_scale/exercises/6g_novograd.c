/* 6g_novograd.c: exercise: NovoGrad: one second moment per layer. */
#include "check.h"
#include "lab3.h"

/* One update of a layer's n weights w against their gradient g. m [n] is the velocity; s [1] is a
 * single number: the running mean of |g|^2, the squared norm of the layer's gradient (sum it in
 * double). Both are 0 before the first update, where step is 1.
 *
 *     s = |g|^2                                         in the first update,
 *     s = beta2 s + (1 - beta2) |g|^2                   later
 *     m = beta1 m + (g / (sqrt(s) + epsilon) + decay w)
 *     w = w - rate m
 *
 * There is no factor 1 - beta1 and no bias correction: s starts at its first value. o->decoupled is
 * not used. (Ginsburg et al., arXiv 1905.11286.) */
void novograd(float *w, float *m, float *s, const float *g, int n, int step, double rate,
              const AdamOptions *o)
{
    TODO("the layer's second moment; the velocity; the weights");
}
