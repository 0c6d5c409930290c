/* quantiles.h: sorted values, from which medians and quantiles are read; the largest one. */
#ifndef QUANTILES_H
#define QUANTILES_H

/* Sort v [n] in ascending order. No NaN; n = 0 is fine. */
void sort_ascending(double *v, int n);

/* Median (of an even count: the mean of the middle two), lowest and highest of n values, and their
 * quartiles, interpolated as numpy does; `missed` values are NaN and left out. All NaN if none is
 * left. */
typedef struct Spread {
    int count, missed;
    double median, low, high, quartile[2];
} Spread;
Spread spread_of(const double *v, int n);

/* The largest |a[i] - b[i]| of n; b NULL: the largest |a[i]|. NaN counts for nothing. */
double largest_difference(const float *a, const float *b, int n);
#endif
