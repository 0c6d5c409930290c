/* cpu_matrix.c: products and lengths of a batch of matrices. */
#include "cpu_product.h"
#include <math.h>

static float *matrix_at(Tensor t, int n) { return (float *)cpu_at(t) + (size_t)n * t.h * t.w; }
static Matrix matrix_of(Tensor t, int n, bool transpose)
{
    Matrix m = rows_of(matrix_at(t, n), t.w);
    return transpose ? transposed(m) : m;
}

/* Each product is cut into slices of rows, one per thread. */
void cpu_matmul(Stream *s, Tensor c, Tensor a, Tensor b, bool a_transposed, bool b_transposed)
{
    int M = c.h, N = c.w, K = a_transposed ? a.h : a.w;
    ASSERT(a.n == c.n && b.n == c.n && a.c == 1 && b.c == 1 && c.c == 1 && c.buf != NULL);
    ASSERT((a_transposed ? a.w : a.h) == M && (b_transposed ? b.h : b.w) == N &&
           (b_transposed ? b.w : b.h) == K);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int i = 0; i < c.n * s->threads; i++) {
        int n = i / s->threads, slice = i % s->threads, m0 = chunk_begin(M, slice, s->threads),
            m1 = chunk_begin(M, slice + 1, s->threads);
        cpu_product(s, matrix_at(c, n), N, matrix_of(a, n, a_transposed),
                    matrix_of(b, n, b_transposed), m0, m1, N, K, false, false);
    }
}

static double squares(const float *x, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += (double)x[i] * x[i];
    return sum;
}

void cpu_to_length(Stream *s, Tensor x, float length)
{
    size_t count = (size_t)x.h * x.w;
    ASSERT(x.c == 1 && x.dtype == F32 && x.halo == 0);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++) {
        float *v = matrix_at(x, n);
        float scale = (float)(length / fmax(sqrt(squares(v, count)), 1e-7));
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            v[i] *= scale;
    }
}
