/* cpu_layernorm.c: layer norm: each position by its own mean and variance. */
#include "cpu.h"
#include <math.h>

static float *row_of(Tensor t, int row) { return (float *)cpu_at(t) + (size_t)row * t.c; }
static int rows_of(Tensor t) { return t.n * t.h * t.w; }

static void check(Tensor y, Tensor saved, Tensor x, Tensor gamma)
{
    ASSERT(same_shape(y, x) && rows_of(saved) == rows_of(x) && saved.c == 2 && gamma.n == x.c);
    ASSERT(!x.halo && !y.halo && x.c <= MAX_CHANNELS);
}

/* {mean, istd} of C channels. */
static void moments(float saved[2], const float *x, int C, float eps)
{
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < C; c++)
        sum += x[c];
    float mean = sum / (float)C;
#pragma omp simd reduction(+ : squares)
    for (int c = 0; c < C; c++)
        squares += (x[c] - mean) * (x[c] - mean);
    saved[0] = mean;
    saved[1] = 1 / sqrtf(squares / (float)C + eps);
}

void cpu_layernorm_forward(Stream *s, Tensor y, Tensor saved, Tensor x, Tensor gamma, Tensor beta,
                           float eps)
{
    check(y, saved, x, gamma);
    const float *G = cpu_at(gamma), *B = cpu_at(beta);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int row = 0; row < rows_of(x); row++) {
        const float *X = row_of(x, row);
        float *Y = row_of(y, row), *m = row_of(saved, row);
        moments(m, X, x.c, eps);
        for (int c = 0; c < x.c; c++)
            Y[c] = (X[c] - m[0]) * m[1] * G[c] + B[c];
    }
}

static void row_backward(float *dx, const float saved[2], const float *dy, const float *x,
                         const float *gamma, int C, bool add)
{
    float mean = saved[0], istd = saved[1], sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
    for (int c = 0; c < C; c++) {
        float g = dy[c] * gamma[c];
        sum += g;
        product += g * (x[c] - mean) * istd;
    }
    sum /= (float)C;
    product /= (float)C;
#pragma omp simd
    for (int c = 0; c < C; c++) {
        float d = istd * (dy[c] * gamma[c] - sum - (x[c] - mean) * istd * product);
        dx[c] = add ? dx[c] + d : d;
    }
}

void cpu_layernorm_backward(Stream *s, Tensor dx, Tensor dgamma, Tensor dbeta, Tensor saved,
                            Tensor dy, Tensor x, Tensor gamma, bool add)
{
    check(dy, saved, x, gamma);
    int C = x.c, rows = rows_of(x);
    double part[CHUNKS][2][C];
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        memset(part[chunk], 0, sizeof part[chunk]);
        for (int row = chunk_begin(rows, chunk, CHUNKS); row < chunk_begin(rows, chunk + 1, CHUNKS);
             row++) {
            const float *X = row_of(x, row), *G = row_of(dy, row), *m = row_of(saved, row);
            for (int c = 0; c < C; c++) {
                part[chunk][0][c] += G[c] * (X[c] - m[0]) * m[1];
                part[chunk][1][c] += G[c];
            }
            row_backward(row_of(dx, row), m, G, X, cpu_at(gamma), C, add);
        }
    }
    for (int c = 0; c < C; c++) {
        double sum[2] = {0, 0};
        for (int chunk = 0; chunk < CHUNKS; chunk++)
            sum[0] += part[chunk][0][c], sum[1] += part[chunk][1][c];
        ((float *)cpu_at(dgamma))[c] += (float)sum[0];
        ((float *)cpu_at(dbeta))[c] += (float)sum[1];
    }
}
