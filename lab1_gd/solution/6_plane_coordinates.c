/* 6_plane_coordinates.c: where is a vector in a plane? */
#include "lab1.h"
#include <math.h>

double plane_coordinates(double *a, double *b, const float *v, const float *x, const float *y,
                         int n)
{
    double xx = 0, xy = 0, yy = 0, xv = 0, yv = 0, rest = 0;
    for (int i = 0; i < n; i++) {
        xx += (double)x[i] * x[i];
        xy += (double)x[i] * y[i];
        yy += (double)y[i] * y[i];
        xv += (double)x[i] * v[i];
        yv += (double)y[i] * v[i];
    }
    double determinant = xx * yy - xy * xy;
    *a = (xv * yy - yv * xy) / determinant;
    *b = (yv * xx - xv * xy) / determinant;
    for (int i = 0; i < n; i++) {
        double off = v[i] - *a * x[i] - *b * y[i];
        rest += off * off;
    }
    return sqrt(rest);
}
