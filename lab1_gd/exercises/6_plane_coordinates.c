/* 6_plane_coordinates.c: exercise: where is a vector in a plane? */
#include "check.h"
#include "lab1.h"

/* The place (a, b) in the plane spanned by x and y, all [n], of the point nearest to v, and
 * (returned) v's distance from the plane, |v - a x - b y|. x and y are not parallel, but of any
 * length and at any angle: solve the normal equations
 *     (x.x) a + (x.y) b = x.v
 *     (x.y) a + (y.y) b = y.v
 * in double. Take the distance from the difference, number by number; |v|² minus squares would lose
 * it in rounding. */
double plane_coordinates(double *a, double *b, const float *v, const float *x, const float *y,
                         int n)
{
    TODO("solve the normal equations for (a, b); return the length of v - a x - b y");
}
