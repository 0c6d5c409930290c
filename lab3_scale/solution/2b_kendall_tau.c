/* 2b_kendall_tau.c: do two measurements put the same things in the same order? */
#include "lab3.h"
#include <math.h>

double kendall_tau(const double *x, const double *y, int n)
{
    int agree = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double both = (x[j] - x[i]) * (y[j] - y[i]);
            agree += (both > 0) - (both < 0);
        }
    return n < 2 ? NAN : 2.0 * agree / ((double)n * (n - 1));
}
