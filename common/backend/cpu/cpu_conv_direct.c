/* cpu_conv_direct.c: convolution without im2col, on vectors over output channels (GCC and Clang
 * vector extensions: AVX-512, AVX2, NEON alike).
 *
 * In NHWC the R taps of one kernel row lie side by side in memory: R*C elements in one run. So an
 * output pixel is the sum over R runs, and a tile of T neighbouring output pixels x one vector of
 * output channels stays in T registers while the runs go by:
 *
 *     out[p][k] = sum over runs, i in run:  src[p * step + run.at + i] * w[run][i][k],
 *                 p = 0 … T-1
 *
 * One vector of weights serves T multiply-adds. The same sum, over other runs, is
 *     forward, stride 1 and 2      source x, step = stride * C, runs = rows of the kernel
 *     backward data, stride 1      source dy, runs = rows of the flipped, transposed kernel
 *     backward data, stride 2      four sums, one for each parity of (h, w): each input pixel
 *                                  meets only the taps that hit it
 * Reading beyond the image's edge finds the halo's zeros.
 */
#include "cpu_conv.h"

/* out[p] = (plus ? plus[p] : 0) + the sum, for T pixels out_step apart. */
INLINE void tile(void *out, const void *plus, long out_step, const void *src, const long step,
                 const Run *runs, int nruns, const void *w, const int T, const DType from,
                 const DType to)
{
    const float *x = src;
    const uint16_t *pairs = src;
    const vec *weight = w;
    vec sum[MAX_TILE]; /* of which T are used */
    UNROLL
    for (int p = 0; p < T; p++)
        sum[p] = (vec){};
    for (int r = 0; r < nruns; r++) {
        long at = runs[r].at, end = at + runs[r].length;
        for (; at < end; at += from == F32 ? 1 : 2) {
            vec of = *weight++;
            UNROLL
            for (int p = 0; p < T; p++)
                if (from == F32)
                    sum[p] += x[p * step + at] * of;
                else
                    sum[p] = vec_dot(sum[p], of, pairs + p * step + at);
        }
    }
    UNROLL
    for (int p = 0; p < T; p++) {
        if (plus)
            sum[p] += vec_load(plus, p * out_step, to);
        vec_store(out, p * out_step, sum[p], to);
    }
}

/* A row of Q output pixels in tiles: equal ones for the common widths (32, 28, 16, 14, 8, 7), else
 * whatever fits. */
INLINE void row(void *out, const void *plus, long out_step, const void *src, const long step,
                const Run *runs, int nruns, const void *w, int Q, const DType from, const DType to)
{
    for (int q = 0, T; q < Q; q += T) {
        void *o = element(out, q * out_step, to), *x = element(src, q * step, from),
             *a = plus ? element(plus, q * out_step, to) : NULL;
        int left = Q - q;
#define TILE(t) tile(o, a, out_step, x, step, runs, nruns, w, T = (t), from, to)
        if (left >= 16 && Q % 14 != 0 && MAX_TILE >= 16)
            TILE(16);
        else if (left >= 14 && Q % 8 != 0)
            TILE(14);
        else if (left >= 8)
            TILE(8);
        else if (left == 7)
            TILE(7);
        else if (left >= 4)
            TILE(4);
        else
            TILE(1);
#undef TILE
    }
}

/* The same, compiled for a known step (the T addresses become constants) and known types. */
#define ROW(name, step_, from, to) \
    static void name(void *out, const void *plus, long out_step, const void *src, long step, \
                     const Run *runs, int nruns, const void *w, int Q) \
    { \
        row(out, plus, out_step, src, step_, runs, nruns, w, Q, from, to); \
    }
#define ROWS(name, step) \
    ROW(floats_##name, step, F32, F32) \
    ROW(rounded_##name, step, F32, BF16) \
    ROW(dots_##name, step, BF16, BF16)
ROWS(1, 1)
ROWS(3, 3)
ROWS(16, 16)
ROWS(32, 32)
ROWS(64, 64)
ROWS(128, 128)
ROWS(any, step)

RowKernel conv_row_kernel(long step, DType from, DType to)
{
#define OF_TYPES(name) (to == F32 ? floats_##name : from == F32 ? rounded_##name : dots_##name)
    ASSERT(from == F32 || (DOTS && to == BF16));
    switch (step) {
    case 1: return OF_TYPES(1);
    case 3: return OF_TYPES(3);
    case 16: return OF_TYPES(16);
    case 32: return OF_TYPES(32);
    case 64: return OF_TYPES(64);
    case 128: return OF_TYPES(128);
    default: return OF_TYPES(any);
    }
#undef OF_TYPES
}

/* In which type do the kernels read t, for a result of type `to`? If it is not t's, conv_floats of
 * it. */
static DType source_type(Tensor t, DType to)
{
    return t.dtype == BF16 && to == BF16 && DOTS && t.c % 2 == 0 ? BF16 : F32;
}

/* The weights of output vector kb, in the order in which tile() reads them: for each run, for each
 * of its elements, VEC outputs. */
static void pack_forward(void *to, const float *w, const ConvPlan *p, int kb, DType type)
{
    long i = 0;
    for (int r = 0; r < p->R; r++)
        for (int s = 0; s < p->R; s++)
            for (int c = 0; c < p->C; c++, i++)
                for (int v = 0; v < VEC; v++)
                    conv_put_weight(to, i, v,
                                    w[(((size_t)(kb * VEC + v) * p->C + c) * p->R + r) * p->R + s],
                                    type);
}

void direct_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                    Tensor residual)
{
    DType type = source_type(x, y.dtype);
    long each = (long)p->R * p->R * p->C * VEC; /* weights of an output vector */
    for (int kb = 0; kb < p->K / VEC; kb++)
        pack_forward(element(conv_packed(s), kb * each, type), cpu_at(w), p, kb, type);
    RowKernel kernel = conv_row_kernel((long)p->stride * p->C, type, y.dtype);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++) {
        Buffer room;
        Tensor in = type == BF16 ? x : conv_floats(s, p, x, n, 0, &room);
        const void *image = cpu_pixels(in, type == BF16 ? n : 0, 0);
        long line = (long)(in.w + 2 * in.halo) * p->C;
        Run runs[3];
        for (int r = 0; r < p->R; r++)
            runs[r] = (Run){r * line, p->R * p->C};
        for (int kb = 0; kb < p->K / VEC; kb++)
            for (int h = 0; h < p->P; h++) {
                long at = (h * p->stride - p->pad) * line - p->pad * p->C;
                kernel(element(cpu_pixels(y, n, h), kb * VEC, y.dtype),
                       given(residual) ? element(cpu_pixels(residual, n, h), kb * VEC, y.dtype)
                                       : NULL,
                       p->K, element(image, at, type), (long)p->stride * p->C, runs, p->R,
                       element(conv_packed(s), kb * each, type), p->Q);
            }
        if (given(moments))
            cpu_moments_of_image(moments, y, n);
    }
}

/* Along one axis, input position 2i + parity (stride 2) or i (stride 1) meets taps first, first -
 * stride, …, read from dy at i + shift onward. */
typedef struct Taps {
    int count, first, shift;
} Taps;

static Taps taps_of(const ConvPlan *p, int parity)
{
    if (p->stride == 1)
        return (Taps){p->R, p->R - 1, -p->pad};
    if (p->R == 1)
        return parity ? (Taps){0, 0, 0} : (Taps){1, 0, 0};
    return parity ? (Taps){2, 2, 0} : (Taps){1, 1, 0};
}

/* The pixels (stride * i + h, stride * j + w) of dx: their taps, and where their weights lie in the
 * packed ones. */
typedef struct Parity {
    int h, w;
    Taps rows, columns;
    long at;
} Parity;

static void pack_backward(void *to, const float *w, const ConvPlan *p, const Parity *of, DType type)
{
    long i = 0;
    for (int cb = 0; cb < p->C / VEC; cb++)
        for (int a = 0; a < of->rows.count; a++)
            for (int b = 0; b < of->columns.count; b++)
                for (int k = 0; k < p->K; k++, i++) {
                    int r = of->rows.first - a * p->stride, s = of->columns.first - b * p->stride;
                    for (int v = 0; v < VEC; v++)
                        conv_put_weight(
                            to, i, v, w[(((size_t)k * p->C + cb * VEC + v) * p->R + r) * p->R + s],
                            type);
                }
}

/* Image n's dx from its dy, `image`. */
static void backward_image(const ConvPlan *p, const float *packed, Tensor dx, const void *image,
                           long line, bool add, int n, const Parity *of, DType type)
{
    int S = p->stride, Q = (p->W - of->w + S - 1) / S, taps = of->rows.count * of->columns.count;
    RowKernel kernel = conv_row_kernel(p->K, type, dx.dtype);
    Run runs[3];
    for (int r = 0; r < of->rows.count; r++)
        runs[r] = (Run){r * line, of->columns.count * p->K};
    for (int cb = 0; cb < p->C / VEC; cb++)
        for (int i = 0; i * S + of->h < p->H; i++) {
            void *to = element(cpu_pixels(dx, n, i * S + of->h), of->w * p->C + cb * VEC, dx.dtype);
            long from = (i + of->rows.shift) * line + (long)of->columns.shift * p->K;
            kernel(to, add ? to : NULL, (long)S * p->C, element(image, from, type), p->K, runs,
                   of->rows.count, element(packed, of->at + (long)cb * taps * p->K * VEC, type), Q);
        }
}

void direct_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    DType type = source_type(dy, dx.dtype);
    Parity all[4];
    int parities = 0;
    long at = 0;
    for (int h = 0; h < p->stride; h++)
        for (int v = 0; v < p->stride; v++) {
            Parity *of = &all[parities];
            *of = (Parity){h, v, taps_of(p, h), taps_of(p, v), at};
            if (of->columns.count == 0)
                of->rows.count = 0;
            if (of->rows.count == 0 && add)
                continue;
            pack_backward(element(conv_packed(s), at, type), cpu_at(w), p, of, type);
            at += (long)of->rows.count * of->columns.count * p->K * p->C;
            parities++;
        }
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < dx.n; n++) {
        Buffer room;
        Tensor in = type == BF16 ? dy : conv_floats(s, p, dy, n, 0, &room);
        const void *image = cpu_pixels(in, type == BF16 ? n : 0, 0);
        for (int i = 0; i < parities; i++)
            backward_image(p, conv_packed(s), dx, image, (long)(in.w + 2 * in.halo) * p->K, add, n,
                           &all[i], type);
    }
}
