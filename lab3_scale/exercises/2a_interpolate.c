/* 2a_interpolate.c: exercise: a point on the straight line between two networks. */
#include "check.h"
#include "lab3.h"

/* Write into w [n] the weights at t on the line through `from` [n] and `to` [n]: `from` at t = 0,
 * `to` at t = 1, halfway at t = 0.5; and beyond them with t < 0 and t > 1, where the program
 * looks, too. Compute in double and round once; at t = 0 and t = 1 the result equals `from` and
 * `to` exactly. All elements are finite; w may be neither of the two. Goodfellow et al.,
 * "Qualitatively characterizing neural network optimization problems" (arXiv 1412.6544). */
void interpolate(float *w, const float *from, const float *to, int n, double t)
{
    TODO("each element: (1 - t) from + t to");
}
