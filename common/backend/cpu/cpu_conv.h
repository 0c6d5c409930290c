/* cpu_conv.h: shared by the CPU's three convolution methods; cpu_conv.c chooses:
 *   cpu_conv_winograd.c   3 x 3, stride 1, channels a multiple of the vector width: a quarter of
 *                         the multiplications
 *   cpu_conv_direct.c, cpu_conv_weight.c   1 x 1, 2 x 2 (not back to its input), stride 2, an
 *                                          image's 1 or 3 channels: vectors over output channels
 *   cpu_conv_gemm.c       all others: im2col and CBLAS
 * docs/convolution.md explains them, with measurements. */
#ifndef CPU_CONV_H
#define CPU_CONV_H
#include "cpu.h"

/* The machine's vector width in floats, and how many pixels' sums fit its registers. */
#if defined(__AVX512F__)
enum { VEC = 16, MAX_TILE = 16 };
#elif defined(__AVX__)
enum { VEC = 8, MAX_TILE = 14 };
#else
enum { VEC = 4, MAX_TILE = 16 };
#endif
typedef float vec __attribute__((vector_size(VEC * sizeof(float)), aligned(4), may_alias));

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

struct ConvPlan {
    int C, K, R, stride, pad;
    int H, W, P, Q;  /* input and output height and width */
    int rows;        /* gemm: output rows per block */
    size_t col, out; /* gemm: floats of one block's matrix, and of its result */
    float *zeros;    /* a row of pixels beyond the border; NULL: not by Winograd's method */
};

/* Asked of a plan, this needs none of the kernels, of which a portable build has several. */
static inline bool conv_by_winograd(const ConvPlan *p) { return p->zeros != NULL; }

/* A run of consecutive elements in the source, `at` floats from the pixel. */
typedef struct Run {
    long at;
    int length;
} Run;
typedef void (*RowKernel)(float *out, const float *plus, long out_step, const float *src, long step,
                          const Run *runs, int nruns, const float *w, int Q);
/* The one for input pixels `step` floats apart (cpu_conv_direct.c): a row of Q output pixels x VEC
 * channels. */
RowKernel conv_row_kernel(long step);
/* d [J,K] += sum over P x Q pixels of x[j] dy[k]: lines and pixels of x lie x_line and x_step
 * apart, of dy dy_line and K (cpu_conv_weight.c). */
void conv_weight_sum(float *d, int J, int K, const float *x, long x_line, long x_step,
                     const float *dy, long dy_line, int P, int Q);

static inline size_t conv_weights(const ConvPlan *p) { return (size_t)p->R * p->R * p->C * p->K; }
/* The scratch, cut up: packed weights, each thread's part of their gradient, then (gemm) a block
 * for each thread. */
static inline float *conv_packed(Stream *s) { return ((CpuBackend *)s->be)->scratch; }
static inline float *conv_partial(Stream *s, const ConvPlan *p, int part)
{
    return conv_packed(s) + (1 + part) * conv_weights(p);
}
/* dw [K,C,R,R] += the threads' parts, laid out [R,R,C,K], added in order. */
void conv_add_parts(Stream *s, ConvPlan *p, Tensor dw);

void direct_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                    Tensor residual);
void direct_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
void direct_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);

void gemm_reserve(Backend *be, ConvPlan *p);
void gemm_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                  Tensor residual);
void gemm_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
void gemm_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);

bool winograd_fits(const ConvPlan *p);
void winograd_reserve(Backend *be, ConvPlan *p);
void winograd_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                      Tensor residual);
void winograd_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
void winograd_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);
#endif
