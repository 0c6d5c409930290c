/* 7h_low_rank.c: a matrix as the product of two thin ones, by one step of a power iteration. */
#include "lab2.h"
#include <math.h>

/* x loses its projection on y, a vector of length 1. */
static void make_orthogonal(float *x, const float *y, int n)
{
    float along = 0;
#pragma omp simd reduction(+ : along)
    for (int i = 0; i < n; i++)
        along += x[i] * y[i];
    for (int i = 0; i < n; i++)
        x[i] -= along * y[i];
}

static void make_unit(float *x, int n)
{
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int i = 0; i < n; i++)
        squares += x[i] * x[i];
    float length = sqrtf(squares);
    for (int i = 0; i < n; i++)
        x[i] = length > 1e-20f ? x[i] / length : 0;
}

void low_rank(float *p, float *q, const float *m, int rows, int columns, int rank, Mean *mean,
              void *context)
{
    matrix_times(p, m, q, rows, columns, rank);
    mean(context, p, rows * rank);
    for (int k = 0; k < rank; k++) {
        for (int j = 0; j < k; j++)
            make_orthogonal(p + k * rows, p + j * rows, rows);
        make_unit(p + k * rows, rows);
    }
    transposed_times(q, m, p, rows, columns, rank);
}
