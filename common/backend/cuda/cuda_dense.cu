/* cuda_dense.cu: the dense layer: three matrix products by cuBLAS, and the bias. All in F32: a
 * dense layer's input is small (model_plan.c keeps it in F32 for every precision). */
#include "cuda_pieces.h"

static void check(Tensor y, Tensor x, Tensor w)
{
    ASSERT(x.h == 1 && x.w == 1 && y.n == x.n && w.n == y.c && w.c == x.c && !x.halo && !y.halo);
    ASSERT(x.dtype == F32 && y.dtype == F32 && w.dtype == F32);
}

static Operand matrix(Tensor t, bool transposed)
{
    Operand o = {cuda_at(t), t.c, transposed};
    return o;
}

KERNEL fill_rows(float *y, const float *bias, int K, size_t n)
{
    FOR_EACH (i, n)
        y[i] = bias[i % K];
}

void cuda_dense_forward(Stream *s, Tensor y, Tensor x, Tensor w, Tensor bias)
{
    check(y, x, w);
    if (given(bias))
        LAUNCH(s, 1, fill_rows, blocks_for(tensor_count(y)), 1, BLOCK, (float *)cuda_at(y),
               (const float *)cuda_at(bias), y.c, tensor_count(y));
    cuda_gemm(s, cuda_at(y), F32, y.c, given(bias) ? 1 : 0, matrix(x, false), matrix(w, true), F32,
              x.n, y.c, x.c);
}

void cuda_dense_backward_data(Stream *s, Tensor dx, Tensor dy, Tensor w, bool add)
{
    check(dy, dx, w);
    cuda_gemm(s, cuda_at(dx), F32, dx.c, add, matrix(dy, false), matrix(w, false), F32, dx.n, dx.c,
              dy.c);
}

/* sum [C] += over the N rows of x [N,C]; of several pieces, sum [pieces,C] = each piece's. */
KERNEL add_rows(float *sum, const float *x, int N, int C, Strips s, Pieces cut)
{
    __shared__ float part[WIDE_BLOCK];
    Place me = place_in(s, C);
    FIRST
    {
        float a = 0;
        int end = min_of(((int)blockIdx.x + 1) * cut.length, N);
        for (int n = (int)blockIdx.x * cut.length + me.lane; me.busy && n < end; n += s.lanes)
            a += x[(size_t)n * C + me.channel];
        part[threadIdx.x] = a;
    }
    THEN
    {
        if (me.busy && me.lane == 0) {
            float a = 0;
            SUM_LANES(a, part, s);
            float *to = &sum[(size_t)blockIdx.x * C + me.channel];
            *to = cut.count == 1 ? *to + a : a;
        }
    }
}

void cuda_dense_backward_weight(Stream *s, Tensor dw, Tensor dbias, Tensor x, Tensor dy)
{
    check(dy, x, dw);
    Strips strips = strips_of(dy.c, WIDE_BLOCK);
    cuda_gemm(s, cuda_at(dw), F32, dw.c, 1, matrix(dy, true), matrix(x, false), F32, dy.c, x.c,
              x.n);
    if (!given(dbias))
        return;
    Pieces cut = pieces_of(dy.n, dy.c);
    float *to = (float *)cuda_at(dbias), *part = cut.count == 1 ? to : (float *)cuda_scratch(s);
    LAUNCH(s, 2, add_rows, cut.count, strips.count, WIDE_BLOCK, part, (const float *)cuda_at(dy),
           dy.n, dy.c, strips, cut);
    if (cut.count > 1)
        LAUNCH(s, 1, add_pieces, blocks_for((size_t)dy.c), 1, BLOCK, to, part, cut.count,
               (size_t)dy.c, dy.c);
}
