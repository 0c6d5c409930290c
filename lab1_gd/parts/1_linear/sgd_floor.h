/* sgd_floor.h: the noise floor of SGD on the linear model, from theory.
 *
 * Near the minimum SGD does not converge: each batch pulls towards its own optimum. After many
 * updates the distance δ = (w, b) - (w*, b*) has a stationary second moment S = E δδᵀ, and the loss
 * stays above its minimum by
 *
 *     E L - L* = ½ tr(H S)                                                       the noise floor
 *
 * For this model all of it is known. Example i has the gradient gᵢ + Hᵢ δ, with Hᵢ = 2 xᵢxᵢᵀ,
 * xᵢ = (x, 1), and gᵢ = 2 (xᵢ·(w*, b*) - y) xᵢ, whose mean is 0; H = mean Hᵢ, C = mean gᵢgᵢᵀ. For
 * an update δ <- δ - η (ḡ + H̄ δ), where bars are the batch's means:
 *
 *     S = S - η (H S + S H) + η² H S H + η² c [mean(Hᵢ S Hᵢ) - H S H] + η² c C               (1)
 *
 * a discrete Lyapunov equation, exact for a quadratic loss and batches drawn independently for each
 * update; c is the variance of a batch's mean, relative to one example's:
 *
 *     drawn with replacement       c = 1/B
 *     drawn without                c = (N - B) / (B (N - 1))
 *
 * To first order in η, H S + S H = η c C, so the floor is η c tr(C) / 4: proportional to η/B
 * (Mandt, Hoffman, Blei, arXiv 1704.04289: the stationary covariance, their Σ). Above some η, far
 * below 2/λmax, no covariance solves (1): the noise grows with the distance (Hᵢ!), the variance is
 * unbounded, and the mean loss has no floor. Just below that η the mean is made of rare long
 * excursions.
 *
 * With a shuffle every epoch, the rest of the epoch undoes what one batch overshoots: two batches
 * of an epoch have the covariance -C / (N - 1), and the noise of a whole epoch sums to exactly 0.
 * S is then periodic: update k of an epoch adds one more term to its step (1),
 *
 *     -η²/(N-1) (C Rₖ M + M Rₖ C),     M = I - ηH,     Rₖ = I + M + … + Mᵏ⁻¹
 *
 * and the mean of δ is slightly off the minimum, which adds ½ mᵀHm:
 *
 *     m <- M m - η²/(N-1) mean(Hᵢ Rₖ gᵢ)
 *
 * This is exact for the additive noise; of the multiplicative noise, (H̄ - H) δ, only variance and
 * mean are kept, not its memory. So the floor is exact for η → 0, right where ηλ times the updates
 * per epoch is large, and an approximation in between (for 100 points 3 % too low; far off near the
 * largest rate). For η → 0 it is
 *
 *     η² [tr(H C) (n² - 1) / (12 (N - 1)) + kᵀH⁻¹k (n - 1)² / (8 (N - 1)²)]
 *
 *     n = N/B,     k = mean(Hᵢ gᵢ)
 *
 * proportional to η² instead of η.
 */
#ifndef SGD_FLOOR_H
#define SGD_FLOOR_H
#include "linear.h"

/* How the examples of an update are chosen. */
typedef enum { SGD_SHUFFLED, SGD_WITHOUT, SGD_WITH, SGD_SAMPLINGS } SgdSampling;
extern const char *const sgd_sampling_name[SGD_SAMPLINGS]; /* "shuffled every epoch" … */
/* for options and tables: "shuffled", "without", "with" */
extern const char *const sgd_sampling_word[SGD_SAMPLINGS];

/* The points' moments that the theory needs. */
typedef struct SgdNoise {
    int n; /* examples */
    Parabola all;
    double lowest;    /* the minimum loss */
    double moment[5]; /* mean x^k */
    double skew[4];   /* mean r x^k, r the residual of the least-squares line */
    double c[3];      /* C: mean 4 r² (x², x, 1) */
} SgdNoise;
SgdNoise sgd_noise_of(const Points *p);

/* The floor (mean squared error above the minimum), averaged over the updates of an epoch. NAN: no
 * floor, the variance is unbounded. An epoch's last batch may be short. */
double sgd_floor(const SgdNoise *s, SgdSampling sampling, double rate, int batch);
/* Its limit for small rate, with replacement: rate tr(C) / (4 batch). */
double sgd_floor_small(const SgdNoise *s, double rate, int batch);
/* The largest rate with a floor, for batches drawn independently: at most 2/λmax, which is reached
 * for batch = N without replacement. */
double sgd_rate_limit(const SgdNoise *s, SgdSampling sampling, int batch);
#endif
