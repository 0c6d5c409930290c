/* cpu_conv.h: shared by the CPU's three convolution methods; cpu_conv.c chooses:
 *   cpu_conv_winograd.c   3 x 3, stride 1, channels a multiple of the vector width: a quarter of
 *                         the multiplications
 *   cpu_conv_direct.c, cpu_conv_weight.c   1 x 1, 2 x 2 (not back to its input), stride 2, an
 *                                          image's 1 or 3 channels: vectors over output channels
 *   cpu_conv_gemm.c       all others: im2col and cpu_product.c
 *   cpu_conv_amx.c        the first two, of BF16, where the processor has a matrix unit
 * BF16 images: Winograd's transforms read and write them; the others get a copy of an image in
 * float32 (conv_floats), or multiply pairs where the processor has dots (cpu_element.h). Then
 * Winograd's products are dots of rounded factors, too: y, dx and dw are off by 1e-2 of their
 * norm, else y and dx by 2e-3 for their own rounding.
 * docs/convolution.md explains them, with measurements. */
#ifndef CPU_CONV_H
#define CPU_CONV_H
#include "cpu.h"
#include "cpu_amx.h"

struct ConvPlan {
    int C, K, R, stride, pad;
    int H, W, P, Q;  /* input and output height and width */
    int rows;        /* gemm: output rows per block */
    size_t col, out; /* gemm: floats of one block's matrix, and of its result */
    size_t image;    /* floats of an image converted from bfloat16; 0: none */
    bool amx;        /* by cpu_conv_amx.c, if y is BF16 */
    float *zeros;    /* a row of pixels beyond the border; NULL: not by Winograd's method */
};

/* Asked of a plan, this needs none of the kernels, of which a portable build has several. */
static inline bool conv_by_winograd(const ConvPlan *p) { return p->zeros != NULL; }

/* A run of consecutive elements in the source, the at-th from the pixel on. */
typedef struct Run {
    long at;
    int length;
} Run;
/* Pixels of a row, `step` elements apart; rows `line` apart. */
typedef struct Pixels {
    void *at; /* may be NULL */
    long line, step;
} Pixels;
typedef void (*RowKernel)(void *out, const void *plus, long out_step, const void *src, long step,
                          const Run *runs, int nruns, const void *w, int Q);
/* The one for input pixels `step` elements apart (cpu_conv_direct.c): a row of Q output pixels x
 * VEC channels. From BF16, to BF16 alone, it takes dots of pairs: with DOTS, and runs of even
 * length. */
RowKernel conv_row_kernel(long step, DType from, DType to);
/* Where weight i of output channel v of `lanes` lies for it: a vector of each, or of each two. */
INLINE void conv_put_weight(void *to, long i, int v, int lanes, float w, DType from)
{
    store(to, from == F32 ? i * lanes + v : (i / 2 * lanes + v) * 2 + i % 2, w, from);
}
/* d [J,K] += sum over P x Q pixels of x[j] dy[k]: lines and pixels of x lie x_line and x_step
 * apart, of dy dy_line and K (cpu_conv_weight.c). BF16: each of these floats is a pair, of two
 * pixels. */
void conv_weight_sum(float *d, int J, int K, const float *x, long x_line, long x_step,
                     const float *dy, long dy_line, int P, int Q, DType type);

/* What is read or written next, fetched some cache lines at a time while products are computed: all
 * at once would be more than the processor can wait for. */
typedef struct Ahead {
    const char *at;
    long step, end; /* bytes at a time; left */
    bool write;
} Ahead;
enum { LINE = 64 };
INLINE void fetch_some(Ahead *a)
{
    long bytes = a->step < a->end ? a->step : a->end;
    for (long i = 0; i < bytes; i += LINE)
        if (a->write)
            __builtin_prefetch(a->at + i, 1);
        else
            __builtin_prefetch(a->at + i, 0);
    a->at += bytes, a->end -= bytes;
}
/* Image n of t, if there is one, within `steps` calls. */
static inline Ahead ahead_image(Tensor t, int n, int steps, bool write)
{
    if (!given(t) || n >= t.n)
        return (Ahead){.at = NULL};
    long bytes = (long)t.h * (t.w + 2 * t.halo) * t.c * (long)dtype_size(t.dtype);
    return (Ahead){cpu_pixels(t, n, 0), (bytes / (steps * LINE) + 1) * LINE, bytes, write};
}

/* Q pixels' J elements, the pixels `step` apart, two pixels side by side: ceil(Q/2) rows of J
 * pairs, `apart` pairs apart. */
void conv_pair_pixels(Pair *to, long apart, const uint16_t *from, long step, int Q, int J);

/* Columns of a kernel row in cpu_conv_amx.c: R*C, C rounded up to pairs, rounded up to a tile. */
static inline int conv_amx_columns(const ConvPlan *p)
{
    return round_up(p->R * (p->C + p->C % 2), AMX_LANES);
}
/* Where it lays dw of kernel row r, output channel k: [R] [K/16] [columns/16] [16] [16]. */
static inline size_t conv_amx_along(int column)
{
    enum { L = AMX_LANES };
    return (size_t)column / L * L * L + column % L;
}
static inline size_t conv_amx_at(const ConvPlan *p, int r, int k, int column)
{
    enum { L = AMX_LANES };
    size_t tile = ((size_t)r * (p->K / L) + k / L) * (conv_amx_columns(p) / L);
    return (tile * L + k % L) * L + conv_amx_along(column);
}
static inline size_t conv_weights(const ConvPlan *p)
{
    return (size_t)p->R * p->K * (p->amx ? conv_amx_columns(p) : p->R * p->C);
}
/* The scratch, cut up: packed weights, each thread's part of their gradient, then for each thread
 * two images and (gemm) a block. */
static inline float *conv_packed(Stream *s) { return ((CpuBackend *)s->be)->scratch; }
static inline float *conv_partial(Stream *s, const ConvPlan *p, int part)
{
    return conv_packed(s) + (1 + part) * conv_weights(p);
}
float *conv_block(Stream *s, const ConvPlan *p); /* this thread's images and block */
/* Image n of t as a batch of one in float32: itself, or a copy of bfloat16 with a border of p->pad,
 * of which a thread has two (0, 1), each behind its own `room`. */
Tensor conv_floats(Stream *s, const ConvPlan *p, Tensor t, int n, int copy, Buffer *room);
/* The same in BF16, with an even number of channels; is a copy needed? */
Tensor conv_halves(Stream *s, const ConvPlan *p, Tensor t, int n, Buffer *room);
static inline bool conv_copies_halves(Tensor t) { return t.dtype != BF16 || t.c % 2; }
/* dw [K,C,R,R] += the threads' parts, added in order; they are laid out [R,R,C,K] or, if amx, as
 * conv_amx_at says. */
void conv_add_parts(Stream *s, ConvPlan *p, Tensor dw, bool amx);
/* Scratch memory for what the plan says. */
void conv_reserve(Backend *be, const ConvPlan *p);

/* As a RowKernel with 16 output channels, P rows at once, all in BF16; and how often that fetches
 * some of what is `ahead`. */
void amx_rows(Pixels out, Pixels plus, Pixels src, const Run *runs, int nruns, const void *w, int P,
              int Q, Ahead ahead[3]);
int amx_fetches(int P, int Q);
void amx_reserve(Backend *be, ConvPlan *p);
void amx_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);

void direct_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                    Tensor residual);
void direct_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
void direct_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);

void gemm_reserve(Backend *be, ConvPlan *p);
void gemm_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                  Tensor residual);
void gemm_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
void gemm_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);

void winograd_reserve(Backend *be, ConvPlan *p);
void winograd_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                      Tensor residual);
void winograd_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
void winograd_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);
#endif
