/* 1a_noise_scale.c: exercise: the gradient noise scale, in images. */
#include "check.h"
#include "lab3.h"

/* small [pairs] and large [pairs] are squared lengths |g|² of gradients of one network: of batches
 * of b and of B images, b < B. A batch's gradient is the true one, G, plus noise, so on average
 *
 *     |g_b|² = |G|² + S / b        |g_B|² = |G|² + S / B
 *
 * Solve these for |G|² and S with the MEANS over the pairs, and return S / |G|²: the batch at
 * which noise and gradient are equally long. (McCandlish et al., arXiv 1812.06162, appendix A.) A
 * quotient of means, not the mean of quotients: those of single pairs scatter widely, and are
 * biased. INFINITY where the estimate of |G|² is not positive: too few pairs. (That of S may be
 * negative, by chance: leave it so.) */
double noise_scale(const double *small, const double *large, int pairs, int b, int B)
{
    TODO("the means, then |G|² and S from the two equations");
}
