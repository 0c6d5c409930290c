/* 5_filter_normalize.c: exercise: directions that mean the same in every network. */
#include "check.h"
#include "lab1.h"

/* D and w are [filters,size], a direction and the weights that it moves. Scale every filter
 * d[f] so that its length (the square root of the sum of squares) becomes that of w[f]:
 *     d[f] <- d[f] / |d[f]| * |w[f]|
 * A filter of d that is all 0 stays 0. Sum in double. Why: batch norm makes the loss blind to a
 * filter's length, so a step of fixed length would be large for a network with small weights and
 * small for one with large ones, and two landscapes could not be compared (Li et al., arXiv
 * 1712.09913). */
void filter_normalize(float *d, const float *w, int filters, int size)
{
    TODO("scale each filter of d to the length of the same filter of w");
}
