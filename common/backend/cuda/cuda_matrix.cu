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

/* ---- lengths: a block for each piece of a matrix; sums always in the same order ---- */
static const size_t MOST_PIECES = 64, PIECE = 8 * BLOCK; /* of a matrix; elements */

static int pieces_of(size_t count, int matrices)
{
    size_t pieces = (count + PIECE - 1) / PIECE, fit = SCRATCH_BYTES / sizeof(double) / matrices;
    pieces = pieces < MOST_PIECES ? pieces : MOST_PIECES;
    return (int)(pieces < fit ? pieces : fit);
}

/* of_piece [matrices,pieces]: the sums of squares. */
KERNEL squares_of_pieces(double *of_piece, const float *x, size_t count)
{
    __shared__ double part[BLOCK], column[COLUMNS];
    const float *v = x + (size_t)blockIdx.y * count;
    FIRST
    {
        double sum = 0;
        FOR_EACH (i, count)
            sum += (double)v[i] * v[i];
        part[threadIdx.x] = sum;
    }
    SUM_BLOCK(&of_piece[(size_t)blockIdx.y * gridDim.x + blockIdx.x], part, column)
}

KERNEL to_length(float *x, float length, const double *of_piece, size_t count)
{
    __shared__ float scale;
    float *v = x + (size_t)blockIdx.y * count;
    FIRST
    {
        if (threadIdx.x == 0) {
            double sum = 0;
            for (unsigned i = 0; i < gridDim.x; i++)
                sum += of_piece[(size_t)blockIdx.y * gridDim.x + i];
            scale = (float)(length / fmax(sqrt(sum), 1e-7));
        }
    }
    THEN
    {
        FOR_EACH (i, count)
            v[i] *= scale;
    }
}

void cuda_to_length(Stream *s, Tensor x, float length)
{
    size_t count = (size_t)x.h * x.w;
    int pieces = pieces_of(count, x.n);
    double *of_piece = (double *)cuda_scratch(s);
    ASSERT(x.c == 1 && x.dtype == F32 && x.halo == 0 && pieces > 0);
    LAUNCH(s, 3, squares_of_pieces, pieces, x.n, BLOCK, of_piece, (const float *)cuda_at(x), count);
    LAUNCH(s, 2, to_length, pieces, x.n, BLOCK, (float *)cuda_at(x), length,
           (const double *)of_piece, count);
}
