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

/* How the kernels read a tensor t for a result of type `to`. */
typedef struct Source {
    DType type;
    bool copied; /* conv_floats or conv_halves of t */
    bool amx;
    int lanes; /* output channels at a time */
} Source;

static Source source_of(const ConvPlan *p, Tensor t, DType to)
{
    if (p->amx && to == BF16)
        return (Source){BF16, conv_copies_halves(t), true, AMX_LANES};
    bool dots = DOTS && t.dtype == BF16 && to == BF16 && t.c % 2 == 0;
    return (Source){dots ? BF16 : F32, !dots && t.dtype != F32, false, VEC};
}

/* Image n of t, as *line elements a row from the first pixel on. */
static const void *read_image(const Source *from, Stream *s, const ConvPlan *p, Tensor t, int n,
                              long *line, Buffer *room)
{
    Tensor in = !from->copied      ? t
              : from->type == BF16 ? conv_halves(s, p, t, n, room)
                                   : conv_floats(s, p, t, n, 0, room);
    *line = (long)(in.w + 2 * in.halo) * in.c;
    return cpu_pixels(in, from->copied ? 0 : n, 0);
}

/* P rows of Q pixels x `lanes` output channels. */
static void rows(const Source *from, Pixels out, Pixels plus, DType to, Pixels src, const Run *runs,
                 int nruns, const void *w, int P, int Q, Ahead ahead[3])
{
    if (from->amx) {
        amx_rows(out, plus, src, runs, nruns, w, P, Q, ahead);
        return;
    }
    RowKernel kernel = conv_row_kernel(src.step, from->type, to);
    for (int h = 0; h < P; h++)
        kernel(element(out.at, h * out.line, to),
               plus.at ? element(plus.at, h * plus.line, to) : NULL, out.step,
               element(src.at, h * src.line, from->type), src.step, runs, nruns, w, Q);
}

/* Image n of t from output channel k on. */
static Pixels pixels_of(Tensor t, int n, int k)
{
    return given(t) ? (Pixels){element(cpu_pixels(t, n, 0), k, t.dtype),
                               (long)(t.w + 2 * t.halo) * t.c, t.c}
                    : (Pixels){.at = NULL};
}

/* The weights of output channels from k on, in the order in which tile() reads them: for each run,
 * for each of its elements, `lanes` outputs. Of C channels, zero where w has none. */
static void pack_forward(void *to, const float *w, const ConvPlan *p, int C, int k,
                         const Source *from)
{
    long i = 0;
    for (int r = 0; r < p->R; r++)
        for (int s = 0; s < p->R; s++)
            for (int c = 0; c < C; c++, i++)
                for (int v = 0; v < from->lanes; v++)
                    conv_put_weight(to, i, v, from->lanes,
                                    c < p->C
                                        ? w[(((size_t)(k + v) * p->C + c) * p->R + r) * p->R + s]
                                        : 0,
                                    from->type);
}

void direct_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                    Tensor residual)
{
    Source from = source_of(p, x, y.dtype);
    int C = from.type == BF16 ? p->C + p->C % 2 : p->C;
    long taps = (long)p->R * p->R * C;
    for (int k = 0; k < p->K; k += from.lanes)
        pack_forward(element(conv_packed(s), k * taps, from.type), cpu_at(w), p, C, k, &from);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++) {
        Buffer room;
        long line;
        const void *image = read_image(&from, s, p, x, n, &line, &room);
        Pixels src = {element(image, -p->pad * (line + C), from.type), p->stride * line,
                      (long)p->stride * C};
        Run runs[3];
        for (int r = 0; r < p->R; r++)
            runs[r] = (Run){r * line, p->R * C};
        int steps = amx_fetches(p->P, p->Q) * (p->K / from.lanes) * p->R;
        Ahead ahead[3] = {ahead_image(x, n + 1, steps, false), ahead_image(y, n + 1, steps, true),
                          ahead_image(residual, n + 1, steps, false)};
        for (int k = 0; k < p->K; k += from.lanes)
            rows(&from, pixels_of(y, n, k), pixels_of(residual, n, k), y.dtype, src, runs, p->R,
                 element(conv_packed(s), k * taps, from.type), p->P, p->Q, ahead);
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

static void pack_backward(void *to, const float *w, const ConvPlan *p, const Parity *of,
                          const Source *from)
{
    long i = 0;
    for (int c = 0; c < p->C; c += from->lanes)
        for (int a = 0; a < of->rows.count; a++)
            for (int b = 0; b < of->columns.count; b++)
                for (int k = 0; k < p->K; k++, i++) {
                    int r = of->rows.first - a * p->stride, s = of->columns.first - b * p->stride;
                    for (int v = 0; v < from->lanes; v++)
                        conv_put_weight(to, i, v, from->lanes,
                                        w[(((size_t)k * p->C + c + v) * p->R + r) * p->R + s],
                                        from->type);
                }
}

/* Image n's dx from its dy, `image`. */
static void backward_image(const ConvPlan *p, const float *packed, Tensor dx, const void *image,
                           long line, bool add, int n, const Parity *of, const Source *from,
                           Ahead ahead[3])
{
    int S = p->stride, P = (p->H - of->h + S - 1) / S, Q = (p->W - of->w + S - 1) / S;
    long weights = (long)of->rows.count * of->columns.count * p->K; /* of an input channel */
    Pixels src = {element(image, of->rows.shift * line + (long)of->columns.shift * p->K,
                          from->type),
                  line, p->K};
    Run runs[3];
    for (int r = 0; r < of->rows.count; r++)
        runs[r] = (Run){r * line, of->columns.count * p->K};
    for (int c = 0; c < p->C; c += from->lanes) {
        Pixels to = pixels_of(dx, n, c);
        to.at = element(to.at, of->h * to.line + of->w * to.step, dx.dtype);
        to.line *= S, to.step *= S;
        rows(from, to, add ? to : (Pixels){.at = NULL}, dx.dtype, src, runs, of->rows.count,
             element(packed, of->at + c * weights, from->type), P, Q, ahead);
    }
}

void direct_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    Source from = source_of(p, dy, dx.dtype);
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
            pack_backward(element(conv_packed(s), at, from.type), cpu_at(w), p, of, &from);
            at += (long)of->rows.count * of->columns.count * p->K * p->C;
            parities++;
        }
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < dx.n; n++) {
        Buffer room;
        long line;
        const void *image = read_image(&from, s, p, dy, n, &line, &room);
        int steps = 1;
        for (int i = 0; i < parities; i++)
            steps += amx_fetches((p->H - all[i].h + p->stride - 1) / p->stride,
                                 (p->W - all[i].w + p->stride - 1) / p->stride) *
                     all[i].rows.count * (p->C / from.lanes);
        Ahead ahead[3] = {ahead_image(dy, n + 1, steps, false),
                          ahead_image(dx, n + 1, steps, true)};
        for (int i = 0; i < parities; i++)
            backward_image(p, conv_packed(s), dx, image, line, add, n, &all[i], &from, ahead);
    }
}
