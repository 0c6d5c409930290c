/* cuda_matrix.cu: products of a batch of matrices by one call of cuBLAS, and their lengths. */
#include "cuda_kernel.h"

static Operand stack(Tensor t, bool transposed)
{
    Operand o = {cuda_at(t), t.w, transposed};
    return o;
}

void cuda_matmul(Stream *s, Tensor c, Tensor a, Tensor b, bool a_transposed, bool b_transposed)
{
    int M = c.h, N = c.w, K = a_transposed ? a.h : a.w;
    ASSERT(a.n == c.n && b.n == c.n && a.c == 1 && b.c == 1 && c.c == 1);
    ASSERT((a_transposed ? a.w : a.h) == M && (b_transposed ? b.h : b.w) == N &&
           (b_transposed ? b.w : b.h) == K);
    cuda_gemm_stack(s, (float *)cuda_at(c), stack(a, a_transposed), stack(b, b_transposed), c.n, M,
                    N, K);
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
