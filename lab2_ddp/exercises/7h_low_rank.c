/* 7h_low_rank.c: exercise: a matrix as the product of two thin ones. */
#include "check.h"
#include "lab2.h"

/* m [rows][columns] is this rank's gradient of a layer's weights. Find p and q with m ≈ p qᵀ, so
 * that the ranks need only send rows + columns numbers per column of p and q, of which there are
 * `rank`. Each column is contiguous: column k of p is p[k * rows … (k + 1) * rows), of q
 * q[k * columns …).
 *
 * One step of a power iteration, from q of the update before (a warm start: it gets better with
 * every update):
 *
 *     p = m q                          matrix_times(p, m, q, …)
 *     p = its mean over the ranks      mean(context, p, rows * rank)
 *     p's columns orthonormal          Gram–Schmidt: from column k subtract its projection on each
 *                                      column before it, (x · y) y; then divide it by its length.
 *                                      A column of zeros (length up to 1e-20) stays zeros
 *     q = mᵀ p                         transposed_times(q, m, p, …)
 *
 * p is then the same on all ranks, so p qᵀ is a projection of m, and the mean of q gives the mean
 * of p qᵀ. q is this rank's: the caller averages it.
 *
 * Vogels et al., PowerSGD, arXiv 1905.13727. */
void low_rank(float *p, float *q, const float *m, int rows, int columns, int rank, Mean *mean,
              void *context)
{
    TODO("p = m q; its mean; orthonormal columns; q = mᵀ p");
}
