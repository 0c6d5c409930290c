/* 6h_muon.c: Muon. */
#include "check.h"
#include "lab3.h"
#include <math.h>
#include <stdlib.h>

/* x [m, n], m <= n, by its nearest matrix with orthogonal rows, roughly. */
static void orthogonalise(float *x, int m, int n)
{
    const double a = 3.4445, b = -4.7750, c = 2.0315;
    float *A = alloc((unsigned long)m * m, sizeof *A), *B = alloc((unsigned long)m * m, sizeof *B);
    float *y = alloc((unsigned long)m * n, sizeof *y);
    double squares = 0;
    for (int i = 0; i < m * n; i++)
        squares += (double)x[i] * x[i];
    double length = fmax(sqrt(squares), 1e-7);
    for (int i = 0; i < m * n; i++)
        x[i] = (float)(x[i] / length);
    for (int step = 0; step < 5; step++) {
        matrix_product(A, x, x, m, n, m, true);
        matrix_product(B, A, A, m, m, m, false);
        for (int i = 0; i < m * m; i++)
            B[i] = (float)(b * A[i] + c * B[i]);
        matrix_product(y, B, x, m, m, n, false);
        for (int i = 0; i < m * n; i++)
            x[i] = (float)(a * x[i] + y[i]);
    }
    free(y);
    free(B);
    free(A);
}

void muon(float *w, float *v, const float *g, int rows, int columns, double rate, double mu,
          double decay)
{
    int n = rows * columns;
    float *x = alloc(n, sizeof *x), *turned = alloc(n, sizeof *turned);
    for (int i = 0; i < n; i++) {
        v[i] = (float)(mu * v[i] + (1 - mu) * g[i]);
        x[i] = (float)((1 - mu) * g[i] + mu * v[i]);
    }
    if (rows > columns) {
        matrix_transpose(turned, x, rows, columns);
        orthogonalise(turned, columns, rows);
        matrix_transpose(x, turned, columns, rows);
    } else
        orthogonalise(x, rows, columns);
    double scale = rate * sqrt(fmax(1, (double)rows / columns));
    for (int i = 0; i < n; i++)
        w[i] = (float)(w[i] - rate * decay * w[i] - scale * x[i]);
    free(turned);
    free(x);
}
