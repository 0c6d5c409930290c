/* cpu_dense.c: the dense layer: three matrix products. Each is cut into slices of rows or columns,
 * one per thread. */
#include "cpu_product.h"

/* Narrow layers stay in float32. */
static bool rounds(const Stream *s, int D, int K) { return cpu_rounds(s, D < K ? D : K); }

static Matrix matrix_of(Tensor t) { return rows_of(cpu_at(t), t.c); }

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
        cpu_product(s, cpu_at(y), K, matrix_of(x), transposed(matrix_of(w)), n0, n1, K, D, b,
                    rounds(s, D, K));
    }
}

void cpu_dense_backward_data(Stream *s, Tensor dx, Tensor dy, Tensor w, bool add)
{
    check(dy, dx, w);
    int N = dx.n, D = dx.c, K = dy.c;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int slice = 0; slice < s->threads; slice++) { /* rows of dx */
        int n0 = chunk_begin(N, slice, s->threads), n1 = chunk_begin(N, slice + 1, s->threads);
        cpu_product(s, cpu_at(dx), D, matrix_of(dy), matrix_of(w), n0, n1, D, K, add,
                    rounds(s, D, K));
    }
}

void cpu_dense_backward_weight(Stream *s, Tensor dw, Tensor dbias, Tensor x, Tensor dy)
{
    check(dy, x, dw);
    int N = x.n, D = x.c, K = dy.c;
    float *b = given(dbias) ? cpu_at(dbias) : NULL;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int slice = 0; slice < s->threads; slice++) { /* dw's longer side; dbias */
        int d0 = chunk_begin(D, slice, s->threads), d1 = chunk_begin(D, slice + 1, s->threads);
        int k0 = chunk_begin(K, slice, s->threads), k1 = chunk_begin(K, slice + 1, s->threads);
        if (D > K)
            cpu_product(s, (float *)cpu_at(dw) + d0, D, transposed(matrix_of(dy)),
                        rows_of((float *)cpu_at(x) + d0, D), 0, K, d1 - d0, N, true,
                        rounds(s, D, K));
        else
            cpu_product(s, cpu_at(dw), D, transposed(matrix_of(dy)), matrix_of(x), k0, k1, D, N,
                        true, rounds(s, D, K));
        for (int n = 0; b && n < N; n++)
            for (int k = k0; k < k1; k++)
                b[k] += cpu_row(dy, n, 0)[k];
    }
}
