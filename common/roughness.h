/* roughness.h: measures of how rough a 2-D slice of a loss is.
 *
 * At every inner point with a known 3 x 3 neighbourhood, central differences give the slice's
 * Hessian [2,2]. A convex loss has no negative eigenvalue anywhere; a chaotic one has many. The
 * loss itself is used, not its logarithm: the logarithm of a convex bowl is concave on its slopes
 * (log(1 + x²) beyond |x| = 1) and would count as rough. Eigenvalues are compared with each other
 * at the same point (as Li et al. map |λmin/λmax|, arXiv 1712.09913, section 6), so the loss's
 * scale, which grows by powers of ten towards a slice's edge, does not matter.
 */
#ifndef ROUGHNESS_H
#define ROUGHNESS_H

typedef struct Roughness {
    int points;      /* inner points with a whole neighbourhood; 0: all below are 0 */
    double negative; /* fraction of them, 0 … 1, with clearly negative curvature: λmin < -0.1
                      * |λmax|, λmax the one larger in magnitude, and above float32's rounding of
                      * the loss */
    double ratio;    /* mean over them of |λmin/λmax| where λmin < 0, else 0: 0 … 1 */
    int minima;      /* inner points lower than all eight neighbours. A narrow valley oblique to
                      * the grid shows false ones: compare only grids of the same spacing */
} Roughness;

/* z [ny,nx]: the loss, row by row; points dx and dy apart, in the same unit. NaN or infinite:
 * unknown. */
Roughness roughness(const double *z, int nx, int ny, double dx, double dy);
#endif
