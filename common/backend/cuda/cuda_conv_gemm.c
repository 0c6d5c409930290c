/* cuda_conv_gemm.c: convolution as matrix multiplication (im2col; Chellapilla et al., 2006) by
 * cuBLAS.
 *
 * im2col writes every output pixel's R x R x C inputs as one row of a matrix; then, with the
 * filters w as [K,RRC],
 *     forward          y [pixels,K]    = col [pixels,RRC] . w^T
 *     backward, data   dcol            = dy . w, and col2im sums for each input its entries in dcol
 *     backward, weight dw [K,RRC]     += dy^T . col
 * A few images at a time. A 1 x 1 convolution with stride 1 needs no matrix: x is one.
 */
#include "cuda_conv.h"

/* Images [first, first + p->images) of t, or to its end. */
static Tensor some(const ConvPlan *p, Tensor t, int first)
{
    Tensor part = t;
    part.at += (size_t)first * (t.h + 2 * t.halo) * (t.w + 2 * t.halo) * t.c;
    part.n = t.n - first < p->images ? t.n - first : p->images;
    return part;
}

static int rows(const ConvPlan *p, Tensor t) { return t.n * p->P * p->Q; }
static Operand operand(const void *at, size_t ld, bool transposed)
{
    return (Operand){at, (int)ld, transposed};
}

/* Are t's images a dense matrix of this plan's type? */
static bool is_matrix(const ConvPlan *p, Tensor t) { return t.halo == 0 && t.dtype == p->type; }

/* im2col's matrix of x: in scratch memory, or x itself. */
static const void *columns(Stream *s, const ConvPlan *p, Tensor x)
{
    if (p->R == 1 && p->stride == 1 && is_matrix(p, x))
        return cuda_at(x);
    void *col = conv_scratch(s, p->col_at);
    cuda_im2col(s, p, col, x);
    return col;
}

/* dy as a matrix: itself, or a copy in scratch memory. */
static const void *matrix_of(Stream *s, const ConvPlan *p, Tensor dy)
{
    if (is_matrix(p, dy))
        return cuda_at(dy);
    void *copy = conv_scratch(s, p->out_at);
    cuda_conv_rows(s, p, copy, dy);
    return copy;
}

void cuda_conv_gemm_forward(Stream *s, ConvPlan *p, Tensor y, Tensor x, Tensor w, Tensor residual)
{
    void *packed = cuda_conv_filters(s, p, w, p->C), *out = conv_scratch(s, p->out_at);
    size_t D = conv_row(p);
    for (int first = 0; first < y.n; first += p->images) {
        Tensor part = some(p, y, first),
               skip = given(residual) ? some(p, residual, first) : NO_TENSOR;
        const void *col = columns(s, p, some(p, x, first));
        bool direct = is_matrix(p, y) && !given(residual);
        cuda_gemm(s, direct ? cuda_at(part) : out, direct ? p->type : F32, p->K, 0,
                  operand(col, D, false), operand(packed, D, true), p->type, rows(p, part), p->K,
                  (int)D);
        if (!direct)
            cuda_conv_take(s, part, out, skip);
    }
}

void cuda_conv_gemm_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    void *packed = cuda_conv_filters(s, p, w, p->C);
    float *dcol = conv_scratch(s, p->col_at);
    size_t D = conv_row(p);
    for (int first = 0; first < dx.n; first += p->images) {
        Tensor part = some(p, dx, first), g = some(p, dy, first);
        bool direct = p->R == 1 && p->stride == 1 && part.halo == 0 && part.dtype == F32;
        cuda_gemm(s, direct ? cuda_at(part) : dcol, F32, (int)D, direct && add,
                  operand(matrix_of(s, p, g), p->K, false), operand(packed, D, false), p->type,
                  rows(p, g), (int)D, p->K);
        if (!direct)
            cuda_col2im(s, p, part, dcol, add);
    }
}

void cuda_conv_gemm_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
    float *dpacked = conv_scratch(s, p->dpacked_at);
    size_t D = conv_row(p);
    for (int first = 0; first < dy.n; first += p->images) {
        Tensor g = some(p, dy, first);
        const void *col = columns(s, p, some(p, x, first)), *rows_of_g = matrix_of(s, p, g);
        cuda_gemm(s, dpacked, F32, (int)D, first > 0, operand(rows_of_g, p->K, true),
                  operand(col, D, false), p->type, p->K, (int)D, rows(p, g));
    }
    cuda_conv_unpack_add(s, p, dw, dpacked, F32, p->C);
}
