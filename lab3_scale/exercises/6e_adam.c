/* 6e_adam.c: exercise: Adam and AdamW. */
#include "check.h"
#include "lab3.h"

/* One update of n weights w against their gradient g. m [n] and s [n] are running means of the
 * gradient and of its square, zero at first; step is 1 in the first update, then 2, …
 *
 *     g' = g + decay w                       if not o->decoupled (Adam: the decay is a gradient)
 *     w  = w - rate decay w                  if o->decoupled (AdamW: the weights shrink; g' = g)
 *     m  = beta1 m + (1 - beta1) g'
 *     s  = beta2 s + (1 - beta2) g'^2
 *     w  = w - rate m' / (sqrt(s') + epsilon)
 *
 * with m' = m / (1 - beta1^step) and s' = s / (1 - beta2^step): m and s begin at 0 and would be too
 * small at first. epsilon stands outside of the root, and is added after that correction, as in
 * torch.optim.Adam and AdamW. (Kingma & Ba, arXiv 1412.6980; Loshchilov & Hutter, 1711.05101.) */
void adam(float *w, float *m, float *s, const float *g, int n, int step, double rate,
          const AdamOptions *o)
{
    TODO("the decay; the two running means; their correction; the weights");
}
