/* 11a_fit_law.c: weighted least squares with two unknowns: its 2 x 2 normal equations. */
#include "lab1.h"

void fit_law(double *A, double *B, const double *x, const double *y, const double *z, int n)
{
    double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
    for (int i = 0; i < n; i++) {
        double v = 1 / (z[i] * z[i]);
        xx += v * x[i] * x[i];
        xy += v * x[i] * y[i];
        yy += v * y[i] * y[i];
        xz += v * x[i] * z[i];
        yz += v * y[i] * z[i];
    }
    double both = xx * yy - xy * xy;
    *A = (xz * yy - yz * xy) / both;
    *B = (yz * xx - xz * xy) / both;
}
