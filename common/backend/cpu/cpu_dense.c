/* cpu_dense.c: the dense layer: three matrix products. Each is cut into slices of rows or columns,
 * one per thread. */
#include "cpu.h"
#include <cblas.h>

static void check(Tensor y, Tensor x, Tensor w)
{
    ASSERT(x.h == 1 && x.w == 1 && y.n == x.n && w.n == y.c && w.c == x.c && !x.halo && !y.halo);
}

void cpu_dense_forward(Stream *s, Tensor y, Tensor x, Tensor w, Tensor bias)
{
    check(y, x, w);
    int N = x.n, D = x.c, K = y.c;
    const float *b = given(bias) ? cpu_at(bias) : NULL;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int slice = 0; slice < s->threads; slice++) { /* rows of y */
        int n0 = chunk_begin(N, slice, s->threads), n1 = chunk_begin(N, slice + 1, s->threads);
        for (int n = n0; b && n < n1; n++)
            memcpy(cpu_row(y, n, 0), b, sizeof(float) * K);
        if (n1 > n0)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n1 - n0, K, D, 1,
                        cpu_row(x, n0, 0), D, cpu_at(w), D, b ? 1 : 0, cpu_row(y, n0, 0), K);
    }
}

void cpu_dense_backward_data(Stream *s, Tensor dx, Tensor dy, Tensor w, bool add)
{
    check(dy, dx, w);
    int N = dx.n, D = dx.c, K = dy.c;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int slice = 0; slice < s->threads; slice++) { /* rows of dx */
        int n0 = chunk_begin(N, slice, s->threads), n1 = chunk_begin(N, slice + 1, s->threads);
        if (n1 > n0)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n1 - n0, D, K, 1,
                        cpu_row(dy, n0, 0), K, cpu_at(w), D, add, cpu_row(dx, n0, 0), D);
    }
}

void cpu_dense_backward_weight(Stream *s, Tensor dw, Tensor dbias, Tensor x, Tensor dy)
{
    check(dy, x, dw);
    int N = x.n, D = x.c, K = dy.c;
    float *b = given(dbias) ? cpu_at(dbias) : NULL;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int slice = 0; slice < s->threads; slice++) { /* columns of dw, elements of dbias */
        int d0 = chunk_begin(D, slice, s->threads), d1 = chunk_begin(D, slice + 1, s->threads);
        if (d1 > d0)
            cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, K, d1 - d0, N, 1, cpu_at(dy), K,
                        (float *)cpu_at(x) + d0, D, 1, (float *)cpu_at(dw) + d0, D);
        int k0 = chunk_begin(K, slice, s->threads), k1 = chunk_begin(K, slice + 1, s->threads);
        for (int n = 0; b && n < N; n++)
            for (int k = k0; k < k1; k++)
                b[k] += cpu_row(dy, n, 0)[k];
    }
}
