/* 5_filter_normalize.c: exercise: directions that are comparable between networks. */
#include "check.h"
#include "lab1.h"

/* d and w are [filters,size]: a direction, and the weights that it moves. Filter f of d, here d_f,
 * is the `size` elements d[f*size] … d[f*size + size-1], and w_f those of w. Scale each filter of
 * d, in place, to the length (Euclidean norm) of the same filter of w:
 *     d_f <- d_f / |d_f| * |w_f|
 * A filter of d that is all zeros stays zero. Sum the squares in double precision: squares
 * of large weights overflow a float.
 *
 * Why: with batch norm the loss does not depend on a filter's length, so a step of fixed length
 * would be large for a network with small weights and small for one with large weights. Two
 * landscapes could not be compared (Li et al., arXiv 1712.09913). The check asks for 1e-5,
 * relative. */
void filter_normalize(float *d, const float *w, int filters, int size)
{
    TODO("scale each filter of d to the length of the same filter of w");
}
