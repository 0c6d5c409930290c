/* eigen.h: eigenvalues and eigenvectors of a small dense symmetric matrix in float64 (LAPACK's
 * dsyev). */
#ifndef EIGEN_H
#define EIGEN_H

/* a [n,n] symmetric, n >= 1; only its lower triangle is read. values [n]: ascending. vectors [n,n],
 * or NULL if not needed: row i has length 1 and belongs to values[i]; its largest component (the
 * first of several equally large ones) is positive, so the same matrix always gives the same signs.
 * An element that is not finite ends the run (exit 2). */
void eigen_symmetric(double *values, double *vectors, const double *a, int n);
#endif
