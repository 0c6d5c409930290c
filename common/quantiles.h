/* quantiles.h: sorting, for medians and quantiles. */
#ifndef QUANTILES_H
#define QUANTILES_H

/* Sort v [n] in ascending order. No NaN allowed; n = 0 is fine. */
void sort_ascending(double *v, int n);
#endif
