/* 6c_lars.c: exercise: LARS: a rate for each layer. */
#include "check.h"
#include "lab3.h"

/* One update of a layer's n weights w against their gradient g; v [n] is the velocity, zero at
 * first. The layer's local rate makes its step a fixed share of the length of its weights:
 *
 *     local = trust |w| / (|g| + decay |w|)       1 if |w| or |g| is 0
 *     v = mu v + rate local (g + decay w)
 *     w = w - v
 *
 * |x| is the Euclidean norm of the whole layer: sum it in double. The rate is inside v (You,
 * Gitman & Ginsburg, arXiv 1708.03888). Biases and batch norm's parameters are not given to it; the
 * optimiser moves them by momentum, without decay. */
void lars(float *w, float *v, const float *g, int n, double rate, double mu, double decay,
          double trust)
{
    TODO("the two norms; the local rate; the velocity; the weights");
}
