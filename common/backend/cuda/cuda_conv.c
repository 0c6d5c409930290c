/* cuda_conv.c: convolution on the GPU: the plan, its scratch memory, and the choice between our
 * kernels, cuDNN and im2col. */
#include "cuda_conv.h"
#include "cuda_conv_cudnn.h"
#include <stdlib.h>

enum { COL_BYTES = 64 << 20 }; /* of im2col's matrix, and of its product, at a time */

int cuda_conv_halo(Backend *be, int R)
{
    return 0; /* dense images: their pixels are a matrix's rows */
}

/* The next `bytes` of scratch memory, aligned for every library. */
static size_t place(size_t *end, size_t bytes)
{
    size_t at = *end;
    *end += (bytes + 255) / 256 * 256;
    return at;
}

/* The scratch memory: filters, their gradient, and for im2col, of p->images images: the matrix (F32
 * in backward data), and a dense copy of y or dy in either type. */
static void plan_scratch(Backend *be, ConvPlan *p, int N)
{
    size_t end = 0, pixels = (size_t)p->P * p->Q, filters = p->weights / p->C * p->dnn_C,
           widest = conv_row(p) > (size_t)p->K ? conv_row(p) : (size_t)p->K;
    p->images = im2col_images(N, p->P * p->Q, widest * sizeof(float), COL_BYTES);
    p->packed_at = place(&end, filters * sizeof(float));
    p->dpacked_at = place(&end, filters * sizeof(float));
    p->col_at = place(&end, p->images * pixels * conv_row(p) * sizeof(float));
    p->out_at = place(&end, p->images * pixels * p->K * sizeof(float));
    p->dnn_at = place(&end, p->dnn_bytes);
    p->padded_at =
        place(&end, p->dnn_C > p->C ? (size_t)N * p->H * p->W * sizeof(uint16_t) * p->dnn_C : 0);
    p->tile_at = place(&end, p->tiled ? cuda_tile_bytes(p) : 0);
    cuda_reserve(be, end);
}

ConvPlan *cuda_conv_plan_new(Backend *be, Tensor y, Tensor x, int R, int stride)
{
    ASSERT(R >= 1 && R <= 3 && (stride == 1 || stride == 2));
    ASSERT(y.h == conv_side(x.h, R, stride) && y.w == conv_side(x.w, R, stride) && y.n == x.n);
    ConvPlan *p = alloc(1, sizeof *p);
    *p = (ConvPlan){.C = x.c,
                    .K = y.c,
                    .R = R,
                    .stride = stride,
                    .pad = conv_pad(R),
                    .H = x.h,
                    .W = x.w,
                    .P = y.h,
                    .Q = y.w,
                    .type = y.dtype,
                    .dnn_C = x.c,
                    .weights = (size_t)y.c * R * R * x.c};
    cuda_tile_plan(be, p, y, x);
    cudnn_plan(be, p, y, x);
    plan_scratch(be, p, x.n);
    return p;
}

void cuda_conv_plan_free(ConvPlan *p)
{
    cudnn_plan_free(p);
    free(p);
}

static void check(const ConvPlan *p, Tensor y, Tensor x)
{
    ASSERT(x.n == y.n && x.h == p->H && x.w == p->W && x.c == p->C && y.h == p->P && y.w == p->Q &&
           y.c == p->K);
    ASSERT(is_activation(x) && is_activation(y));
}

/* Before each convolution: can our kernels do it? */
static bool by_tile(Stream *s, const ConvPlan *p, Tensor y, Tensor x)
{
    check(p, y, x);
    cuda_take_scratch(s);
    return cuda_tile_fits(p, y, x);
}

void cuda_conv_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                       Tensor residual)
{
    ASSERT(!given(residual) || same_shape(residual, y));
    if (by_tile(s, p, y, x) && (!given(residual) || cuda_tile_fits(p, residual, x)))
        cuda_tile_forward(s, p, y, x, w, residual);
    else if (!cudnn_fits(p, DNN_FORWARD, y, x) || !cudnn_forward(s, p, y, x, w, residual))
        cuda_conv_gemm_forward(s, p, y, x, w, residual);
    if (given(moments))
        cuda_image_moments(s, moments, y);
}

void cuda_conv_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    if (by_tile(s, p, dy, dx) && !p->image)
        cuda_tile_backward_data(s, p, dx, dy, w, add);
    else if (!cudnn_fits(p, add ? DNN_DATA_ADD : DNN_DATA, dy, dx) ||
             !cudnn_backward_data(s, p, dx, dy, w, add))
        cuda_conv_gemm_backward_data(s, p, dx, dy, w, add);
}

void cuda_conv_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
    ASSERT(tensor_count(dw) == p->weights);
    if (by_tile(s, p, dy, x))
        cuda_tile_backward_weight(s, p, dw, x, dy);
    else if (!cudnn_fits(p, DNN_WEIGHT, dy, x) || !cudnn_backward_weight(s, p, dw, x, dy))
        cuda_conv_gemm_backward_weight(s, p, dw, x, dy);
}
