/* cuda_conv.h: shared by the files of the CUDA backend's convolution. Private to cuda_conv*.c and
 * cuda_im2col.cu.
 *
 * Three methods: kernels of our own for few channels (cuda_conv_tile.cu), else cuDNN where it was
 * found and supports the case, else im2col and cuBLAS, which support every case. All need the
 * filters as [K,R,R,C] (channels fastest, as in NHWC), in the type of the activations: packed from
 * PyTorch's [K,C,R,R] in each call, or for many calls at once (conv_pack in backend.h).
 */
#ifndef CUDA_CONV_H
#define CUDA_CONV_H
#include "cuda_backend.h"
#include "cuda_plan.h"

struct ConvPlan {
    int C, K, R, stride, pad, H, W, P, Q; /* x has H x W pixels of C channels, y P x Q of K */
    DType type;                           /* of the matrix product's inputs: y's */
    int images;                           /* im2col: images at a time */
    size_t weights;                       /* K * R * R * C */
    /* offsets into scratch memory, in bytes: the filters; the gradient of the filters;
     * im2col's matrix; its product, F32; cuDNN's workspace; its input */
    size_t packed_at, dpacked_at, col_at, out_at, dnn_at, padded_at;
    bool tiled, image; /* by cuda_conv_tile.cu; and x is an F32 image, y is not */
    size_t tile_at;    /* its sums */
    void *dnn;         /* cuda_conv_cudnn.c's, NULL: im2col */
    size_t dnn_bytes;  /* of its workspace */
    int dnn_C; /* channels of x as cuDNN sees them: C, or PADDED_C where an F32 image is copied to
                * BF16 or F16 for it: tensor cores take nothing narrower */
};
enum { PADDED_C = 8, FILTERS_ALIGNED = 16 /* bytes, for all libraries */ };

/* elements in a row of the matrix */
static inline size_t conv_row(const ConvPlan *p) { return (size_t)p->R * p->R * p->C; }
static inline void *conv_scratch(Stream *s, size_t at)
{
    return (char *)((CudaBackend *)s->be)->scratch + at;
}

#ifdef __cplusplus
extern "C" {
#endif
/* cuda_im2col.cu */
/* packed [K,R,R,channels], p->type = w [K,C,R,R]; channels beyond C are 0 */
void cuda_conv_pack_one(Stream *s, const ConvPlan *p, void *packed, Tensor w, int channels);
/* dw [K,C,R,R] += packed [K,R,R,channels], of this type; channels beyond C are not read */
void cuda_conv_unpack_add(Stream *s, const ConvPlan *p, Tensor dw, void *packed, DType type,
                          int channels);
/* padded [x.n,H,W,PADDED_C], p->type = x; channels beyond C are 0 */
void cuda_conv_pad(Stream *s, const ConvPlan *p, void *padded, Tensor x);
/* col [x.n * P * Q, R*R*C], p->type: each output pixel's inputs; 0 from beyond the edge */
void cuda_im2col(Stream *s, const ConvPlan *p, void *col, Tensor x);
/* dx (+)= for each input the sum of its entries in dcol [dx.n * P * Q, R*R*C], F32 */
void cuda_col2im(Stream *s, const ConvPlan *p, Tensor dx, const float *dcol, bool add);
/* rows [t.n * P * Q, K], p->type = t, without its border */
void cuda_conv_rows(Stream *s, const ConvPlan *p, void *rows, Tensor t);
/* y = rows (+ residual): rows [elements of y], F32 */
void cuda_conv_take(Stream *s, Tensor y, const float *rows, Tensor residual);

/* cuda_conv_tile.cu. plan: what it can do, p->tiled and p->image. fits: are these two of p->type
 * (an image's x: F32), dense and aligned? bytes: of its sums. A residual is like y. */
void cuda_tile_plan(Backend *be, ConvPlan *p, Tensor y, Tensor x);
bool cuda_tile_fits(const ConvPlan *p, Tensor y, Tensor x);
size_t cuda_tile_bytes(const ConvPlan *p);
void cuda_tile_forward(Stream *s, const ConvPlan *p, Tensor y, Tensor x, Tensor w, Tensor residual);
void cuda_tile_backward_data(Stream *s, const ConvPlan *p, Tensor dx, Tensor dy, Tensor w,
                             bool add);
void cuda_tile_backward_weight(Stream *s, const ConvPlan *p, Tensor dw, Tensor x, Tensor dy);

/* cuda_conv_filters.c: the filters as [K,R,R,channels]: w, if it has been packed, else in scratch
 * memory */
void *cuda_conv_filters(Stream *s, const ConvPlan *p, Tensor w, int channels);

/* cuda_conv_gemm.c */
void cuda_conv_gemm_forward(Stream *s, ConvPlan *p, Tensor y, Tensor x, Tensor w, Tensor residual);
void cuda_conv_gemm_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
void cuda_conv_gemm_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);
#ifdef __cplusplus
}
#endif
#endif
