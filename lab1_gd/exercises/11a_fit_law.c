/* 11a_fit_law.c: exercise: fit the law of size and data. */
#include "check.h"
#include "lab1.h"

/* With the exponents given, a law is a sum of two terms with unknown factors:
 *     z[i] = A x[i] + B y[i]          x[i] = N^-alpha, y[i] = D^-beta of training i, 0 … n-1
 * z[i] > 0 is its loss above the floor E. Find the A and B with the least sum of squared
 * *relative* errors, ((A x[i] + B y[i]) / z[i] - 1)². Set its derivatives by A and by B to 0: two
 * linear equations. n >= 2, and x and y are not proportional. Negative factors are reported as they
 * are. The check asks for 1e-7, relative. */
void fit_law(double *A, double *B, const double *x, const double *y, const double *z, int n)
{
    TODO("set A and B to the least-squares solution of A*x + B*y = z, errors relative to z");
}
