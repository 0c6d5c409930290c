/* eigen.h: eigenvalues and eigenvectors of a small dense symmetric matrix, float64 (LAPACK's
 * dsyev). */
#ifndef EIGEN_H
#define EIGEN_H

/* a [n,n] symmetric, n >= 1; only its lower triangle is read. values [n]: ascending. vectors [n,n],
 * or NULL where they are not wanted: row i has length 1 and belongs to values[i]; its largest
 * component is positive (of equally large ones the first), so that the same matrix gives the same
 * signs. A number that is not finite ends the run (exit 2). */
void eigen_symmetric(double *values, double *vectors, const double *a, int n);
#endif
