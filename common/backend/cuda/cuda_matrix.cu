/* cuda_matrix.cu: products of a batch of matrices by cuBLAS, one after the other, and their
 * lengths. */
#include "cuda_kernel.h"

static float *matrix_at(Tensor t, int n) { return (float *)cuda_at(t) + (size_t)n * t.h * t.w; }

void cuda_matmul(Stream *s, Tensor c, Tensor a, Tensor b, bool a_transposed, bool b_transposed)
{
    int M = c.h, N = c.w, K = a_transposed ? a.h : a.w;
    ASSERT(a.n == c.n && b.n == c.n && a.c == 1 && b.c == 1 && c.c == 1);
    ASSERT((a_transposed ? a.w : a.h) == M && (b_transposed ? b.h : b.w) == N &&
           (b_transposed ? b.w : b.h) == K);
    for (int n = 0; n < c.n; n++) {
        Operand left = {matrix_at(a, n), a.w, a_transposed},
                right = {matrix_at(b, n), b.w, b_transposed};
        cuda_gemm(s, matrix_at(c, n), F32, N, 0, left, right, F32, M, N, K);
    }
}

/* A block per matrix. */
KERNEL to_length(float *x, float length, size_t count)
{
    __shared__ double part[WIDE_BLOCK];
    __shared__ float scale;
    float *v = x + (size_t)blockIdx.x * count;
    FIRST
    {
        double sum = 0;
        for (size_t i = threadIdx.x; i < count; i += WIDE_BLOCK)
            sum += (double)v[i] * v[i];
        part[threadIdx.x] = sum;
    }
    THEN
    {
        if (threadIdx.x == 0) {
            double sum = 0;
            for (int i = 0; i < WIDE_BLOCK; i++)
                sum += part[i];
            scale = (float)(length / fmax(sqrt(sum), 1e-7));
        }
    }
    LAST
    {
        for (size_t i = threadIdx.x; i < count; i += WIDE_BLOCK)
            v[i] *= scale;
    }
}

void cuda_to_length(Stream *s, Tensor x, float length)
{
    ASSERT(x.c == 1 && x.dtype == F32 && x.halo == 0);
    LAUNCH(s, 3, to_length, x.n, 1, WIDE_BLOCK, (float *)cuda_at(x), length, (size_t)x.h * x.w);
}
