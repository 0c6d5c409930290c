/* pca.h: the directions in which a run moved: principal components of n snapshots of a weight
 * vector of D numbers, as Li et al. draw trajectories (arXiv 1712.09913, section 7).
 *
 * The snapshots are taken relative to the last one, which becomes the origin; the directions are
 * those in which they spread most about their mean. D is millions, n hundreds: so the n x n matrix
 * of inner products is decomposed, not the D x D covariance, in float64.
 */
#ifndef PCA_H
#define PCA_H
#include <stddef.h>

typedef struct Pca {
    int n, k;            /* snapshots; directions found */
    size_t dimension;    /* D */
    float *directions;   /* [k,D], each of length 1, at right angles; the most explanatory first */
    double *share;       /* [k] of the snapshots' variance, 0 … 1: what the direction explains */
    double *coordinates; /* [n,k] of each snapshot, the last at the origin; in units of the
                          * weights */
    double *off;         /* [n] distance of each snapshot from the plane (line, …) of the k
                          * directions */
} Pca;

/* snapshots[n], each [D], n >= 2. k is at most `most`, and less where the snapshots span less: n of
 * them at most n - 1 directions. Signs: along each direction the snapshot that is farthest from the
 * last has a positive coordinate. Snapshots that are all equal, or hold a number that is not
 * finite, end the run (exit 2). */
Pca *pca_new(const float *const *snapshots, int n, size_t D, int most);
void pca_free(Pca *p); /* NULL is fine */
#endif
