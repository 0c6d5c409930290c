/* quantiles.c: see quantiles.h. */
#include "quantiles.h"
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_ascending(double *v, int n) { qsort(v, (size_t)n, sizeof *v, ascending); }
