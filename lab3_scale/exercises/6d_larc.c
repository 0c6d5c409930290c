/* 6d_larc.c: exercise: LARC: LARS that never exceeds the rate. */
#include "check.h"
#include "lab3.h"

/* One update of a layer's n weights w against their gradient g; v [n] is the velocity, zero at
 * first. As LARS, but its local rate is a bound, not a factor:
 *
 *     local = min(rate, trust |w| / (|g| + decay |w|))     rate if |w| or |g| is 0
 *     v = mu v + local (g + decay w)
 *     w = w - v
 *
 * So a layer whose gradient is small moves as by momentum alone. NVIDIA's apex, LARC(clip=True),
 * takes min(1, trust |w| / (…) / rate) into v and multiplies v by the rate: the same as long as the
 * rate does not change. (LARS: You, Gitman & Ginsburg, arXiv 1708.03888.) */
void larc(float *w, float *v, const float *g, int n, double rate, double mu, double decay,
          double trust)
{
    TODO("the two norms; the smaller of the two rates; the velocity; the weights");
}
