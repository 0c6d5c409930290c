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
#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

/* The machine's vector width in floats, and how many pixels' sums fit its registers. */
#if defined(__AVX512F__)
enum { VEC = 16, MAX_TILE = 16 };
#elif defined(__AVX__)
enum { VEC = 8, MAX_TILE = 14 };
#else
enum { VEC = 4, MAX_TILE = 16 };
#endif
typedef float vec __attribute__((vector_size(VEC * sizeof(float)), aligned(4), may_alias));
typedef uint32_t vec_bits __attribute__((vector_size(VEC * sizeof(float))));
typedef uint16_t vec_bf16 __attribute__((vector_size(VEC * 2), aligned(2), may_alias));

/* load and store (cpu.h) of VEC elements from the at-th on. */
INLINE vec vec_load(const void *from, long at, const DType type)
{
    if (type == F32)
        return *(const vec *)((const float *)from + at);
    vec_bf16 half = *(const vec_bf16 *)((const uint16_t *)from + at);
    return (vec)(__builtin_convertvector(half, vec_bits) << 16);
}

INLINE void vec_store(void *to, long at, vec v, const DType type)
{
    if (type == F32) {
        *(vec *)((float *)to + at) = v;
        return;
    }
#ifdef __AVX512BF16__
    __m256bh half = _mm512_cvtneps_pbh((__m512)v);
    memcpy((uint16_t *)to + at, &half, sizeof half);
#else
    vec_bits bits = (vec_bits)v, number = (vec_bits)(v == v),
             nearest = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;
    nearest = ((nearest & number) | (quiet & ~number)) >> 16;
    *(vec_bf16 *)((uint16_t *)to + at) = __builtin_convertvector(nearest, vec_bf16);
#endif
}

/* Processors that multiply pairs of bfloat16 and add both products to a float32 (DOTS): twice the
 * multiply-adds. Elsewhere bfloat16 becomes float32 first. */
#ifdef __AVX512BF16__
enum { DOTS = true };
/* sum[i] += pair[0] by[i][0] + pair[1] by[i][1] */
INLINE vec vec_dot(vec sum, vec by, const void *pair)
{
    int both;
    memcpy(&both, pair, sizeof both);
    return (vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)by, (__m512bh)_mm512_set1_epi32(both));
}
/* VEC pairs from the at-th on: {first[i], second[i]} */
INLINE void vec_store_pairs(void *to, long at, vec first, vec second)
{
    static const uint16_t order[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                       21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                       11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    __m512i both = (__m512i)_mm512_cvtne2ps_pbh((__m512)second, (__m512)first);
    both = _mm512_permutexvar_epi16(_mm512_loadu_si512(order), both);
    memcpy((uint32_t *)to + at, &both, sizeof both);
}
#else
enum { DOTS = false };
INLINE vec vec_dot(vec sum, vec by, const void *pair) { return sum; }
INLINE void vec_store_pairs(void *to, long at, vec first, vec second) {}
#endif

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
    size_t image;    /* floats of an image converted from bfloat16; 0: there is none */
    float *zeros;    /* a row of pixels beyond the border; NULL: not by Winograd's method */
};

/* Asked of a plan, this needs none of the kernels, of which a portable build has several. */
static inline bool conv_by_winograd(const ConvPlan *p) { return p->zeros != NULL; }

/* A run of consecutive elements in the source, the at-th from the pixel on. */
typedef struct Run {
    long at;
    int length;
} Run;
typedef void (*RowKernel)(void *out, const void *plus, long out_step, const void *src, long step,
                          const Run *runs, int nruns, const void *w, int Q);
/* The one for input pixels `step` elements apart (cpu_conv_direct.c): a row of Q output pixels x
 * VEC channels. From BF16 it takes dots of pairs: only with DOTS, and runs of even length. */
RowKernel conv_row_kernel(long step, DType from, DType to);
/* Where weight i of output channel v of VEC lies for it: a vector of each, or of each two. */
INLINE void conv_put_weight(void *to, long i, int v, float w, DType from)
{
    store(to, from == F32 ? i * VEC + v : (i / 2 * VEC + v) * 2 + i % 2, w, from);
}
/* d [J,K] += sum over P x Q pixels of x[j] dy[k]: lines and pixels of x lie x_line and x_step
 * apart, of dy dy_line and K (cpu_conv_weight.c). BF16: each of these floats is a pair, of two
 * pixels. */
void conv_weight_sum(float *d, int J, int K, const float *x, long x_line, long x_step,
                     const float *dy, long dy_line, int P, int Q, DType type);

static inline size_t conv_weights(const ConvPlan *p) { return (size_t)p->R * p->R * p->C * p->K; }
/* The scratch, cut up: packed weights, each thread's part of their gradient, then for each thread
 * two images and (gemm) a block. */
static inline float *conv_packed(Stream *s) { return ((CpuBackend *)s->be)->scratch; }
static inline float *conv_partial(Stream *s, const ConvPlan *p, int part)
{
    return conv_packed(s) + (1 + part) * conv_weights(p);
}
float *conv_block(Stream *s, const ConvPlan *p);
/* Image n of t as a batch of one in float32: itself, or a copy of bfloat16 with a border of p->pad,
 * of which a thread has two (0, 1), each behind its own `room`. */
Tensor conv_floats(Stream *s, const ConvPlan *p, Tensor t, int n, int copy, Buffer *room);
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
