/* quantiles.h: sorted values, from which medians and quantiles are read. */
#ifndef QUANTILES_H
#define QUANTILES_H

/* Sort v [n] in ascending order. No NaN; n = 0 is fine. */
void sort_ascending(double *v, int n);
#endif
