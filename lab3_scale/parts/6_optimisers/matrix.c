/* matrix.c: vector_norm, matrix_product and matrix_transpose of lab3.h. */
#include "lab3.h"
#include <cblas.h>
#include <math.h>

double vector_norm(const float *x, int n) { return sqrt(cblas_dsdot(n, x, 1, x, 1)); }

void matrix_product(float *c, const float *a, const float *b, int m, int k, int n,
                    bool b_transposed)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, b_transposed ? CblasTrans : CblasNoTrans, m, n, k, 1,
                a, k, b, b_transposed ? k : n, 0, c, n);
}

void matrix_transpose(float *to, const float *from, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        cblas_scopy(columns, from + (size_t)i * columns, 1, to + i, rows);
}
