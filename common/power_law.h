/* power_law.h: how the error falls with the number of training examples D (Hestness et al., arXiv
 * 1712.00409):
 *
 *     error(D) = alpha D^beta + gamma        alpha >= 0, beta < 0
 *                                            gamma >= 0: the irreducible error
 *
 * fitted to measured points, and how far the fit can be trusted. Errors are in 0 … 1.
 */
#ifndef POWER_LAW_H
#define POWER_LAW_H
#include <stdbool.h>
#include <stdint.h>

typedef struct PowerLaw {
    double alpha, beta, gamma;
} PowerLaw;

double power_law_at(PowerLaw law, double examples);

/* The law with the least sum of squared relative errors over n points, beta in [-2, -0.01]: a
 * search over beta, and linear least squares for each beta. n >= 3, at least three different sizes,
 * errors > 0. */
PowerLaw power_law_fit(const double *examples, const double *error, int n);

/* One bootstrap draw: a law that other trainings might have given, and the relative residual of a
 * new training. */
typedef struct PowerLawDraw {
    PowerLaw law;
    double residual;
} PowerLawDraw;

/* draws[count]: fits to resampled data, the best fit plus drawn residuals. Each size draws all its
 * residuals from one measured size (where the law is slightly wrong, the points of a size err
 * together), stretched by sqrt(sizes / (sizes - 3)) for the three fitted parameters. At least four
 * sizes. The result depends on the arguments alone. */
void power_law_bootstrap(PowerLawDraw *draws, int count, PowerLaw best, const double *examples,
                         const double *error, int n, uint64_t seed);

typedef struct Interval {
    double low, high;
} Interval;
/* The middle `fraction` (0.9) of n values, which may be infinite. Sorts values. */
Interval interval_of(double *values, int n, double fraction);
/* The interval in which the error of one training on `examples` examples is expected. */
Interval power_law_expect(const PowerLawDraw *draws, int count, double examples, double fraction);
#endif
