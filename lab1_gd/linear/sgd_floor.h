/* sgd_floor.h: the noise floor of SGD on the linear model, from theory, and measured.
 *
 * Near the minimum SGD does not come to rest: each batch pulls towards its own answer. After many
 * updates the distance δ = (w, b) - (w*, b*) has a stationary second moment S = E δδᵀ, and the loss
 * stays above the lowest by
 *
 *     E L - L* = ½ tr(H S)                                                               the noise
 *     floor
 *
 * Here all of it is known. Example i has the slope gᵢ + Hᵢ δ, with Hᵢ = 2 xᵢxᵢᵀ, xᵢ = (x, 1), and
 * gᵢ = 2 (xᵢ·(w*, b*) - y) xᵢ, whose mean is 0; H = mean Hᵢ, C = mean gᵢgᵢᵀ. For an update δ <- δ -
 * η (ḡ + H̄ δ), bars for the batch's means:
 *
 *     S = S - η (H S + S H) + η² H S H + η² c [mean(Hᵢ S Hᵢ) - H S H] + η² c C           (1)
 *
 * a discrete Lyapunov equation, exact for a quadratic loss and batches drawn anew for each update;
 * c is the variance of a batch's mean, relative to one example's:
 *
 *     drawn with replacement       c = 1/B
 *     drawn without                c = (N - B) / (B (N - 1))
 *
 * To first order in η, H S + S H = η c C, so that the floor is η c tr(C) / 4: proportional to η/B
 * (Mandt, Hoffman, Blei, arXiv 1704.04289: the stationary covariance, their Σ). Above some η (1)
 * has no solution that is a covariance: the noise grows with the distance (Hᵢ!), so that the
 * variance is not bounded and the mean loss has no floor, although 2/λmax is far. Just below that η
 * rare long excursions make up the mean.
 *
 * With a shuffle every epoch, what one batch pulls too far the rest of the epoch pulls back: two
 * batches of an epoch have the covariance -C / (N - 1), and a whole epoch's slopes sum to exactly
 * 0. S then is periodic: it takes its step (1) with one term more for update k of the epoch,
 *    -η²/(N-1) (C Rₖ M + M Rₖ C), M = I - ηH, Rₖ = I + M + … +
 * Mᵏ⁻¹. Also the walk's mean is a little off the minimum: m <- M m - η²/(N-1) mean(Hᵢ Rₖ gᵢ), which
 * adds ½ mᵀHm. The additive noise is exact in this; of the multiplicative noise, (H̄ - H) δ, only
 * size and mean are kept, and not its memory: exact for η → 0, right where ηλ times the updates of
 * an epoch is large, between them an approximation (for 100 points 3 % too low; far off near the
 * largest rate). For η → 0 the floor is
 *
 *     η² [tr(H C) (n² - 1) / (12 (N - 1)) + kᵀH⁻¹k (n - 1)² / (8 (N - 1)²)],   n = N/B,  k =
 *     mean(Hᵢ gᵢ)
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
    double lowest;    /* the least loss */
    double moment[5]; /* mean x^k */
    double skew[4];   /* mean r x^k, r the residual of the least-squares line */
    double c[3];      /* C: mean 4 r² (x², x, 1) */
} SgdNoise;
SgdNoise sgd_noise_of(const Points *p);

/* The floor (mean squared error above the lowest), the mean over the updates of an epoch. NAN:
 * there is none, its variance is not bounded. An epoch's last batch may be short. */
double sgd_floor(const SgdNoise *s, SgdSampling sampling, double rate, int batch);
/* Its limit for small rate, with replacement: rate tr(C) / (4 batch). */
double sgd_floor_small(const SgdNoise *s, double rate, int batch);
/* The largest rate at which examples drawn anew, `batch` at a time, have a floor: at most 2/λmax,
 * which it is for batch = N without replacement. */
double sgd_rate_limit(const SgdNoise *s, SgdSampling sampling, int batch);
#endif
