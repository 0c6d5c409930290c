/* split.c: see split.h. The calls are counted and handed on; layers are products of matrices. */
#include "split.h"
#include <cblas.h>
#include <math.h>

void split_all_reduce(Split *s, float *v, int n)
{
    s->sent += 2.0 * (s->P - 1) / s->P * n * sizeof *v;
    s->calls->all_reduce(s, v, n);
}

void split_reduce_scatter(Split *s, float *part, const float *whole, int n)
{
    s->sent += (s->P - 1.0) * n * sizeof *part;
    s->calls->reduce_scatter(s, part, whole, n);
}

void split_all_gather(Split *s, float *whole, const float *part, int n)
{
    s->sent += (s->P - 1.0) * n * sizeof *part;
    s->calls->all_gather(s, whole, part, n);
}

void split_pass_on(Split *s, float *v, int n)
{
    s->sent += (s->P > 1 ? n : 0) * sizeof *v;
    s->calls->pass_on(s, v, n);
}

void layer_y(float *y, const float *x, const float *w, int T, int D, int K)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, T, K, D, 1, x, D, w, D, 0, y, K);
}

void layer_dx(float *dx, const float *dy, const float *w, int T, int D, int K)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, T, D, K, 1, dy, K, w, D, 0, dx, D);
}

void layer_dw(float *dw, const float *dy, const float *x, int T, int D, int K)
{
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, K, D, T, 1, dy, K, x, D, 0, dw, D);
}

/* GPT-2's: x/2 · (1 + tanh(a)), a = √(2/π) (x + 0.044715 x³). */
static float angle(float x) { return 0.79788456f * (x + 0.044715f * x * x * x); }

void gelu(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 0.5f * x[i] * (1 + tanhf(angle(x[i])));
}

void gelu_dx(float *dx, const float *dy, const float *x, int n)
{
    for (int i = 0; i < n; i++) {
        float t = tanhf(angle(x[i]));
        float slope = 0.79788456f * (1 + 3 * 0.044715f * x[i] * x[i]);
        dx[i] = dy[i] * (0.5f * (1 + t) + 0.5f * x[i] * (1 - t * t) * slope);
    }
}
