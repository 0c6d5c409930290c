/* 7h_low_rank.c: a matrix as the product of two thin ones, by one step of a power iteration. */
#include "lab2.h"
#include <math.h>

static float dot(const float *x, const float *y, int n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void subtract(float *x, float a, const float *y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] -= a * y[i];
}

void low_rank(float *p, float *q, const float *m, int rows, int columns, int rank, Mean *mean,
              void *context)
{
    matrix_times(p, m, q, rows, columns, rank);
    mean(context, p, rows * rank);
    for (int k = 0; k < rank; k++) {
        float *x = p + k * rows;
        for (int j = 0; j < k; j++)
            subtract(x, dot(x, p + j * rows, rows), p + j * rows, rows);
        float length = sqrtf(dot(x, x, rows));
        for (int i = 0; i < rows; i++)
            x[i] = length > 1e-20f ? x[i] / length : 0;
    }
    transposed_times(q, m, p, rows, columns, rank);
}
