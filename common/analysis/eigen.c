/* eigen.c: see eigen.h. */
#include "eigen.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* OpenBLAS contains LAPACK. Its C header is a separate package, so the Fortran routine is declared
 * here: every argument is a pointer, matrices are stored by columns, and the lengths of the strings
 * come last, as gfortran passes them. a [n,n] becomes the eigenvectors, one per column: in C's
 * order, one per row. */
void dsyev_(const char *job, const char *triangle, const int *n, double *a, const int *columns,
            double *values, double *work, const int *work_count, int *info, size_t job_length,
            size_t triangle_length);

static void fix_sign(double *vector, int n)
{
    int largest = 0;
    for (int i = 1; i < n; i++)
        if (fabs(vector[i]) > fabs(vector[largest]))
            largest = i;
    if (vector[largest] < 0)
        for (int i = 0; i < n; i++)
            vector[i] = -vector[i];
}

void eigen_symmetric(double *values, double *vectors, const double *a, int n)
{
    ASSERT(n >= 1);
    double *matrix = alloc((size_t)n * n, sizeof *matrix);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            REQUIRE(isfinite(a[i * n + j]), "eigenvalues: element (%d,%d) of the matrix is %g", i,
                    j, a[i * n + j]);
            matrix[i * n + j] = a[i * n + j];
        }
    int info, count = 34 * n; /* at least 3n - 1; faster with (block size + 2) n */
    double *work = alloc(count, sizeof *work);
    /* Our lower triangle by rows is LAPACK's upper triangle by columns. */
    dsyev_(vectors ? "V" : "N", "U", &n, matrix, &n, values, work, &count, &info, 1, 1);
    ASSERT(info == 0);
    for (int i = 0; vectors && i < n; i++) {
        memcpy(vectors + (size_t)i * n, matrix + (size_t)i * n, n * sizeof *vectors);
        fix_sign(vectors + (size_t)i * n, n);
    }
    free(work);
    free(matrix);
}
