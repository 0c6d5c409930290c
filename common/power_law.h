/* power_law.h: how the error falls with the number of training examples D (Hestness et al., arXiv
 * 1712.00409):
 *
 *     error(D) = alpha D^beta + gamma        alpha >= 0, beta < 0, gamma >= 0: the irreducible
 *     error
 *
 * fitted to measured points, and how far the fit is to be believed. Errors are in 0 … 1, D counts
 * examples.
 */
#ifndef POWER_LAW_H
#define POWER_LAW_H
#include <stdbool.h>
#include <stdint.h>

typedef struct PowerLaw {
    double alpha, beta, gamma;
} PowerLaw;

double power_law_at(PowerLaw law, double examples);

/* The law with the least sum of squared relative errors over n points, with beta in [-2, -0.01]: a
 * search over beta, and for each beta linear least squares. n >= 3, at least three different sizes,
 * errors > 0. */
PowerLaw power_law_fit(const double *examples, const double *error, int n);

/* A law as it might as well have come out, and how far (relatively) a new training may lie from
 * it. */
typedef struct PowerLawDraw {
    PowerLaw law;
    double residual;
} PowerLawDraw;

/* draws[count]: fits to data made anew from the best fit and its residuals. A size takes all its
 * residuals from one measured size (where the law is not quite the truth, neighbours err together),
 * and they are stretched by sqrt(sizes / (sizes - 3)) for the three numbers that were fitted. At
 * least four sizes. A function of its arguments. */
void power_law_bootstrap(PowerLawDraw *draws, int count, PowerLaw best, const double *examples,
                         const double *error, int n, uint64_t seed);

typedef struct Interval {
    double low, high;
} Interval;
/* The middle `share` (0.9) of n values; infinite ones count as such. values is sorted. */
Interval interval_of(double *values, int n, double share);
/* Where the error of one training with so many examples is expected. */
Interval power_law_expect(const PowerLawDraw *draws, int count, double examples, double share);
#endif
