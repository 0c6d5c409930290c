/* quantiles.c: see quantiles.h. */
#include "quantiles.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_ascending(double *v, int n) { qsort(v, (size_t)n, sizeof *v, ascending); }

/* Of the sorted v [n]; share: 0 … 1 of the way from the lowest to the highest. */
static double quantile(const double *v, int n, double share)
{
    double at = share * (n - 1);
    int i = (int)at, next = i + 1 < n ? i + 1 : i;
    return v[i] + (at - i) * (v[next] - v[i]);
}

Spread spread_of(const double *v, int n)
{
    Spread s = {.median = NAN, .low = NAN, .high = NAN, .quartile = {NAN, NAN}};
    double *known = alloc(n, sizeof *known);
    for (int i = 0; i < n; i++)
        if (!isnan(v[i]))
            known[s.count++] = v[i];
    s.missed = n - s.count;
    sort_ascending(known, s.count);
    if (s.count) {
        s.median = (known[(s.count - 1) / 2] + known[s.count / 2]) / 2;
        s.low = known[0];
        s.high = known[s.count - 1];
        s.quartile[0] = quantile(known, s.count, 0.25);
        s.quartile[1] = quantile(known, s.count, 0.75);
    }
    free(known);
    return s;
}

/* Not by fmax: gcc 12 for ARM breaks off with an internal error where it vectorises that. */
double largest_difference(const float *a, const float *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double off = fabs((double)a[i] - (b ? b[i] : 0));
        most = off > most ? off : most;
    }
    return most;
}
