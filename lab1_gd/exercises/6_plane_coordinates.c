/* 6_plane_coordinates.c: exercise: where is a vector in a plane? */
#include "check.h"
#include "lab1.h"

/* The coordinates (a, b), in the plane spanned by x and y, of the point of that plane that is
 * nearest to v; v, x and y are [n]. Returns the distance of v from the plane, |v - a x - b y|.
 * x and y are not parallel, but of any length and at any angle. Solve the normal equations
 *     (x.x) a + (x.y) b = x.v
 *     (x.y) a + (y.y) b = y.v
 * in double precision. Then compute the distance element by element, as the root of
 *     sum (v[i] - a x[i] - b y[i])^2
 * The shorter |v|² - |a x + b y|² is a small difference of two large values: if v is long and
 * near the plane, their rounding errors exceed it (cancellation). The check allows an error of 1e-4
 * (|a| + |b|) in the coordinates, and of 1e-5 of the vectors' lengths in the distance. */
double plane_coordinates(double *a, double *b, const float *v, const float *x, const float *y,
                         int n)
{
    TODO("solve the normal equations for (a, b); return the length of v - a x - b y");
}
