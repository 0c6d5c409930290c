/* quantiles.h: numbers in order: what medians and quantiles are read from. */
#ifndef QUANTILES_H
#define QUANTILES_H

/* Sort v [n], the least number first. None may be NaN; n = 0 is fine. */
void sort_ascending(double *v, int n);
#endif
