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
INLINE void tile(float *out, const float *plus, long out_step, const float *src, const long step,
                 const Run *runs, int nruns, const float *w, const int T)
{
    vec sum[MAX_TILE]; /* of which T are used */
    UNROLL
    for (int p = 0; p < T; p++)
        sum[p] = (vec){};
    for (int r = 0; r < nruns; r++) {
        const float *from = src + runs[r].at;
        for (int i = 0; i < runs[r].length; i++, w += VEC) {
            vec weight = *(const vec *)w;
            UNROLL
            for (int p = 0; p < T; p++)
                sum[p] += from[p * step + i] * weight;
        }
    }
    UNROLL
    for (int p = 0; p < T; p++) {
        if (plus)
            sum[p] += *(const vec *)(plus + p * out_step);
        *(vec *)(out + p * out_step) = sum[p];
    }
}

/* A row of Q output pixels in tiles: equal ones for the common widths (32, 28, 16, 14, 8, 7), else
 * whatever fits. */
INLINE void row(float *out, const float *plus, long out_step, const float *src, const long step,
                const Run *runs, int nruns, const float *w, int Q)
{
    for (int q = 0, T; q < Q; q += T) {
        float *o = out + q * out_step;
        const float *a = plus ? plus + q * out_step : NULL, *x = src + q * step;
        int left = Q - q;
#define TILE(t) tile(o, a, out_step, x, step, runs, nruns, w, T = (t))
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

/* The same, compiled for a known step: the T addresses become constants. */
#define ROW(name, step_) \
    static void name(float *out, const float *plus, long out_step, const float *src, long step, \
                     const Run *runs, int nruns, const float *w, int Q) \
    { \
        row(out, plus, out_step, src, step_, runs, nruns, w, Q); \
    }
ROW(row_1, 1)
ROW(row_3, 3)
ROW(row_16, 16)
ROW(row_32, 32)
ROW(row_64, 64)
ROW(row_128, 128)
ROW(row_any, step)

RowKernel conv_row_kernel(long step)
{
    switch (step) {
    case 1: return row_1;
    case 3: return row_3;
    case 16: return row_16;
    case 32: return row_32;
    case 64: return row_64;
    case 128: return row_128;
    default: return row_any;
    }
}

/* The weights of output vector kb, in the order in which tile() reads them: for each run, for each
 * of its elements, VEC outputs. Returns the end. */
static float *pack_forward(float *to, const float *w, const ConvPlan *p, int kb)
{
    for (int r = 0; r < p->R; r++)
        for (int s = 0; s < p->R; s++)
            for (int c = 0; c < p->C; c++)
                for (int v = 0; v < VEC; v++)
                    *to++ = w[(((size_t)(kb * VEC + v) * p->C + c) * p->R + r) * p->R + s];
    return to;
}

void direct_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                    Tensor residual)
{
    float *packed = conv_packed(s), *end = packed;
    for (int kb = 0; kb < p->K / VEC; kb++)
        end = pack_forward(end, cpu_at(w), p, kb);
    Run runs[3];
    long line = (long)(x.w + 2 * x.halo) * p->C, step = (long)p->stride * p->C;
    for (int r = 0; r < p->R; r++)
        runs[r] = (Run){r * line, p->R * p->C};
    RowKernel kernel = conv_row_kernel(step);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++) {
        for (int kb = 0; kb < p->K / VEC; kb++)
            for (int h = 0; h < p->P; h++) {
                const float *from = cpu_row(x, n, 0) + (h * p->stride - p->pad) * line -
                                    p->pad * p->C;
                const float *plus = given(residual) ? cpu_row(residual, n, h) + kb * VEC : NULL;
                kernel(cpu_row(y, n, h) + kb * VEC, plus, p->K, from, step, runs, p->R,
                       packed + (size_t)kb * p->R * p->R * p->C * VEC, p->Q);
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

static void pack_backward(float *to, const float *w, const ConvPlan *p, Taps rows, Taps columns)
{
    for (int cb = 0; cb < p->C / VEC; cb++)
        for (int a = 0; a < rows.count; a++)
            for (int b = 0; b < columns.count; b++)
                for (int k = 0; k < p->K; k++) {
                    int r = rows.first - a * p->stride, s = columns.first - b * p->stride;
                    for (int v = 0; v < VEC; v++)
                        *to++ = w[(((size_t)k * p->C + cb * VEC + v) * p->R + r) * p->R + s];
                }
}

/* All pixels (stride*i + ph, stride*j + pw) of one image's dx. */
static void backward_image(const ConvPlan *p, const float *packed, Tensor dx, Tensor dy, bool add,
                           int n, int ph, int pw, Taps rows, Taps columns, const Run *runs,
                           RowKernel kernel)
{
    int S = p->stride, Q = (p->W - pw + S - 1) / S;
    long line = (long)(dy.w + 2 * dy.halo) * p->K;
    for (int cb = 0; cb < p->C / VEC; cb++)
        for (int i = 0; i * S + ph < p->H; i++) {
            float *to = cpu_row(dx, n, i * S + ph) + pw * p->C + cb * VEC;
            const float *from = cpu_row(dy, n, 0) + (i + rows.shift) * line +
                                (long)columns.shift * p->K;
            kernel(to, add ? to : NULL, (long)S * p->C, from, p->K, runs, rows.count,
                   packed + (size_t)cb * rows.count * columns.count * p->K * VEC, Q);
        }
}

void direct_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    long line = (long)(dy.w + 2 * dy.halo) * p->K;
    RowKernel kernel = conv_row_kernel(p->K);
    for (int ph = 0; ph < p->stride; ph++)
        for (int pw = 0; pw < p->stride; pw++) {
            Taps rows = taps_of(p, ph), columns = taps_of(p, pw);
            if (columns.count == 0)
                rows.count = 0;
            if (rows.count == 0 && add)
                continue;
            pack_backward(conv_packed(s), cpu_at(w), p, rows, columns);
            Run runs[3];
            for (int r = 0; r < rows.count; r++)
                runs[r] = (Run){r * line, columns.count * p->K};
#pragma omp parallel for num_threads(s->threads) schedule(static)
            for (int n = 0; n < dx.n; n++)
                backward_image(p, conv_packed(s), dx, dy, add, n, ph, pw, rows, columns, runs,
                               kernel);
        }
}
