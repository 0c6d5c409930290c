/* cpu_conv_amx.c: convolution on a matrix unit (cpu_amx.h), in bfloat16.
 *
 * Forward and data are the sums of cpu_conv_direct.c. A tile of up to 16 neighbouring pixels of a
 * row needs no copying: its rows overlap in memory, each begins one pixel further. Four such tiles
 * share a tile of weights, 32 elements of a run x 16 output channels:
 *
 *     out[p][k] += src[p * step + run.at + i] w[run][i][k]         p < 16, i < 32, k < 16
 *
 * The gradient of the weights sums over pixels, so in both factors pixels must follow each other:
 *
 *     dw[r][k][j] += dy[k][pixel] x[pixel, in kernel row r][j]     k < 16, 32 pixels, j < 16
 *
 * For some lines of the image at a time dy is transposed, and each pixel's R*C elements of x are
 * laid down beside the next pixel's. Then no row of a tile crosses a cache line: if all do, loading
 * takes three times as long as multiplying.
 *
 * Factors are rounded to bfloat16 if they are not yet, and nothing else is but the results.
 */
#include "cpu_conv.h"

enum {
    LANES = AMX_LANES,
    TILES = 4,         /* forward: of pixels, at a time */
    CHUNK = 2 * LANES, /* elements of a sum in one product */
    COLUMNS = 6,       /* weight: products at a time */
    BLOCK = 128        /* weight: pairs of pixels at a time, about: they stay in the L1 cache */
};

/* In registers 0 to 3: the sums of `tiles` tiles of pixels, from src[t] on, `step` apart. Weights
 * are pairs. */
INLINE void sums(const uint16_t *const src[TILES], long step, const Run *runs, int nruns,
                 const Pair *w, Ahead ahead[3], const int tiles)
{
    AMX_ZERO(0);
    AMX_ZERO(1);
    AMX_ZERO(2);
    AMX_ZERO(3);
/* a, b: registers for a whole chunk, or for what is left of a run */
#define PRODUCTS(a, b) \
    AMX_LOAD(b, w, AMX_BYTES); \
    AMX_LOAD(a, src[0] + at, 2 * step); \
    AMX_DOT(0, a, b); \
    if (tiles > 1) { \
        AMX_LOAD(a, src[1] + at, 2 * step); \
        AMX_DOT(1, a, b); \
    } \
    if (tiles > 2) { \
        AMX_LOAD(a, src[2] + at, 2 * step); \
        AMX_DOT(2, a, b); \
    } \
    if (tiles > 3) { \
        AMX_LOAD(a, src[3] + at, 2 * step); \
        AMX_DOT(3, a, b); \
    }
    for (int r = 0; r < nruns; r++) {
        long at = runs[r].at, end = at + runs[r].length;
        for (int i = 0; i < 3; i++)
            fetch_some(&ahead[i]);
        for (; at + CHUNK <= end; at += CHUNK, w += LANES * LANES) {
            PRODUCTS(4, 5)
        }
        if (at < end) {
            PRODUCTS(6, 7)
            w += (end - at) / 2 * LANES;
        }
    }
#undef PRODUCTS
}

/* out[p] = (plus ? plus[p] : 0) + sum[p], for pixels [begin, end) `step` apart. */
INLINE void put(uint16_t *out, const uint16_t *plus, long step, float sum[AMX_ROWS][LANES],
                int begin, int end)
{
    for (int p = begin; p < end; p++)
        for (int k = 0; k < LANES; k += VEC) {
            vec v = *(vec *)(sum[p] + k);
            if (plus)
                v += vec_load(plus, p * step + k, BF16);
            vec_store(out, p * step + k, v, BF16);
        }
}

/* Some tiles of pixels, and their sums. */
typedef struct Group {
    int tiles, begin[TILES]; /* pixels before `begin` are in the tile before */
    const uint16_t *src[TILES], *plus[TILES];
    uint16_t *out[TILES];
    float sum[TILES][AMX_ROWS][LANES] __attribute__((aligned(64)));
} Group;

/* A row of pixels is cut into equal tiles; the last one may begin inside the one before. */
static int tiles_across(int Q) { return (Q + AMX_ROWS - 1) / AMX_ROWS; }
int amx_fetches(int P, int Q) { return (P * tiles_across(Q) + TILES - 1) / TILES; }

static void group_put(Group *g, long step, int width)
{
    for (int t = 0; t < g->tiles; t++)
        put(g->out[t], g->plus[t], step, g->sum[t], g->begin[t], width);
}

void amx_rows(Pixels out, Pixels plus, Pixels src, const Run *runs, int nruns, const void *w, int P,
              int Q, Ahead ahead[3])
{
    int across = tiles_across(Q), width = (Q + across - 1) / across;
    int left = nruns ? runs[0].length % CHUNK : 0;
    AmxShapes shapes = {.palette = 1};
    for (int t = 0; t < 8; t++) {
        shapes.rows[t] = t == 5 ? LANES : t == 7 ? left / 2 : width;
        shapes.bytes[t] = t == 6 ? 2 * left : AMX_BYTES;
    }
    if (!left) /* no register has no rows */
        shapes.rows[7] = 1, shapes.bytes[6] = 4;
    amx_shapes(&shapes);
    Group groups[2]; /* one is multiplied while the one before is rounded and stored */
    groups[1].tiles = 0;
    for (int i = 0, h = 0, q = 0; h < P; i = !i) {
        Group *g = &groups[i];
        for (g->tiles = 0; g->tiles < TILES && h < P; g->tiles++) {
            int t = g->tiles, first = q + width <= Q ? q : Q - width;
            g->begin[t] = q - first;
            g->src[t] = (const uint16_t *)src.at + h * src.line + first * src.step;
            g->out[t] = (uint16_t *)out.at + h * out.line + first * out.step;
            g->plus[t] = plus.at ? (uint16_t *)plus.at + h * plus.line + first * out.step : NULL;
            q += width;
            if (q >= Q)
                q = 0, h++;
        }
        switch (g->tiles) {
        case 1: sums(g->src, src.step, runs, nruns, w, ahead, 1); break;
        case 2: sums(g->src, src.step, runs, nruns, w, ahead, 2); break;
        case 3: sums(g->src, src.step, runs, nruns, w, ahead, 3); break;
        default: sums(g->src, src.step, runs, nruns, w, ahead, 4);
        }
        group_put(&groups[!i], out.step, width);
        AMX_STORE(0, g->sum[0], AMX_BYTES);
        AMX_STORE(1, g->sum[1], AMX_BYTES);
        AMX_STORE(2, g->sum[2], AMX_BYTES);
        AMX_STORE(3, g->sum[3], AMX_BYTES);
        if (h == P)
            group_put(g, out.step, width);
    }
    amx_release();
}

/* ---- the gradient of the weights ---- */

/* Pairs of pixels in a row of dy; rows in a block; their pairs, rounded up to whole chunks. */
static int row_pairs(const ConvPlan *p) { return (p->Q + 1) / 2; }
static int block_rows(const ConvPlan *p)
{
    int rows = (BLOCK + row_pairs(p) - 1) / row_pairs(p);
    return rows < p->P ? rows : p->P;
}
static int block_pairs(const ConvPlan *p) { return round_up(block_rows(p) * row_pairs(p), LANES); }
/* The lines of x that kernel row r meets are those of plane r % stride from the r / stride-th on.
 * Behind them LANES pairs are zeros. */
static long plane_floats(const ConvPlan *p)
{
    return (block_pairs(p) + (long)(p->R - 1) / p->stride * row_pairs(p) + LANES) *
           conv_amx_columns(p);
}

/* The scratch: x [stride][plane][columns], dy [pairs,K], dy [K,pairs], all pairs of pixels. */
void amx_reserve(Backend *be, ConvPlan *p)
{
    p->amx = AMX && ((CpuBackend *)be)->amx && p->K % LANES == 0;
    if (!p->amx)
        return;
    size_t floats = p->stride * plane_floats(p) + 2L * block_pairs(p) * p->K + LANES;
    p->out = p->out > floats ? p->out : floats;
    conv_reserve(be, p);
}

static Pair *scratch_of(Stream *s, const ConvPlan *p)
{
    uintptr_t at = (uintptr_t)(conv_block(s, p) + 2 * p->image);
    return (Pair *)((at + AMX_BYTES - 1) / AMX_BYTES * AMX_BYTES);
}

/* Lay down rows [h0, h0 + rows) of dy, and what x they meet. */
static void lay_down(Pair *xs, Pair *dys, Pair *across, const ConvPlan *p, Tensor x, int in,
                     Tensor dy, int n, int h0, int rows, int J)
{
    int pairs = row_pairs(p), columns = conv_amx_columns(p), S = p->stride;
    int lines = S * (rows - 1) + p->R, chunks = round_up(rows * pairs, LANES);
    long line = (long)(x.w + 2 * x.halo) * x.c;
    const uint16_t *first = (uint16_t *)cpu_pixels(x, in, h0 * S) - p->pad * (line + x.c);
    for (int l = 0; l < lines; l++)
        conv_pair_pixels(xs + l % S * plane_floats(p) + (long)(l / S) * pairs * columns, columns,
                         first + l * line, (long)S * x.c, p->Q, J);
    for (int plane = 0; plane < S && plane < lines; plane++)
        memset(xs + plane * plane_floats(p) + (long)((lines - plane + S - 1) / S) * pairs * columns,
               0, sizeof(Pair) * LANES * columns);
    for (int h = 0; h < rows; h++)
        conv_pair_pixels(dys + (long)h * pairs * p->K, p->K, cpu_pixels(dy, n, h0 + h), p->K, p->Q,
                         p->K);
    memset(dys + (long)rows * pairs * p->K, 0, sizeof(Pair) * (chunks - rows * pairs) * p->K);
    for (int i = 0; i < chunks; i += LANES)
        for (int k = 0; k < p->K; k += LANES)
            transpose_pairs(across + (long)k * block_pairs(p) + i, block_pairs(p),
                            dys + (long)i * p->K + k, p->K);
}

/* to[c] = the sum over `pairs` pairs of dy's 16 output channels and x[c]'s 16 columns, c < count.
 */
INLINE void column_sums(float to[COLUMNS][AMX_ROWS][LANES], const Pair *dy, long dy_apart,
                        const Pair *const x[COLUMNS], int columns, int pairs, Ahead ahead[2],
                        const int count)
{
    AMX_ZERO(0);
    AMX_ZERO(1);
    AMX_ZERO(2);
    AMX_ZERO(3);
    AMX_ZERO(4);
    AMX_ZERO(5);
    for (long i = 0; i < pairs; i += LANES) {
        AMX_LOAD(6, dy + i, sizeof(Pair) * dy_apart);
        fetch_some(&ahead[0]), fetch_some(&ahead[1]);
#define PRODUCT(c) \
    if (c < count) { \
        AMX_LOAD(7, x[c] + i * columns, sizeof(Pair) * columns); \
        AMX_DOT(c, 6, 7); \
    }
        PRODUCT(0)
        PRODUCT(1)
        PRODUCT(2)
        PRODUCT(3)
        PRODUCT(4)
        PRODUCT(5)
#undef PRODUCT
    }
#define STORE(c) \
    if (c < count) \
        AMX_STORE(c, to[c], AMX_BYTES);
    STORE(0)
    STORE(1)
    STORE(2)
    STORE(3)
    STORE(4)
    STORE(5)
#undef STORE
}

/* d += image n's. */
static void image_gradient(float *d, Stream *s, const ConvPlan *p, Tensor x, Tensor dy, int n)
{
    Buffer room;
    bool copied = conv_copies_halves(x);
    Tensor source = copied ? conv_halves(s, p, x, n, &room) : x;
    int columns = conv_amx_columns(p), across = columns / LANES, products = p->R * across;
    Pair *xs = scratch_of(s, p), *dys = xs + p->stride * plane_floats(p),
         *dy_across = dys + (long)block_pairs(p) * p->K;
    float sum[COLUMNS][AMX_ROWS][LANES] __attribute__((aligned(64)));
    int steps = (p->P + block_rows(p) - 1) / block_rows(p) * (p->K / LANES) *
                ((products + COLUMNS - 1) / COLUMNS) * (block_pairs(p) / LANES);
    Ahead ahead[2] = {ahead_image(x, n + 1, steps, false), ahead_image(dy, n + 1, steps, false)};
    for (int h0 = 0; h0 < p->P; h0 += block_rows(p)) {
        int rows = p->P - h0 < block_rows(p) ? p->P - h0 : block_rows(p);
        int pairs = round_up(rows * row_pairs(p), LANES);
        lay_down(xs, dys, dy_across, p, source, copied ? 0 : n, dy, n, h0, rows,
                 copied ? columns : p->R * p->C);
        for (int k = 0; k < p->K; k += LANES)
            for (int c = 0; c < products; c += COLUMNS) {
                int count = products - c < COLUMNS ? products - c : COLUMNS;
                const Pair *from[COLUMNS];
                for (int i = 0; i < COLUMNS; i++) {
                    int at = i < count ? c + i : c, r = at / across;
                    from[i] = xs + r % p->stride * plane_floats(p) +
                              (long)(r / p->stride) * row_pairs(p) * columns + at % across * LANES;
                }
                const Pair *g = dy_across + (long)k * block_pairs(p);
                if (count == COLUMNS)
                    column_sums(sum, g, block_pairs(p), from, columns, pairs, ahead, COLUMNS);
                else if (count > COLUMNS / 2)
                    column_sums(sum, g, block_pairs(p), from, columns, pairs, ahead, COLUMNS - 1);
                else
                    column_sums(sum, g, block_pairs(p), from, columns, pairs, ahead, COLUMNS / 2);
                for (int i = 0; i < count; i++) {
                    int at = c + i;
                    float *to = d + conv_amx_at(p, at / across, k, at % across * LANES);
                    for (int v = 0; v < AMX_ROWS * LANES; v += VEC)
                        *(vec *)(to + v) += *(vec *)(sum[i][0] + v);
                }
            }
    }
}

void amx_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int part = 0; part < s->threads; part++) {
        float *d = conv_partial(s, p, part);
        memset(d, 0, sizeof(float) * conv_weights(p));
        amx_whole_shapes();
        for (int n = chunk_begin(x.n, part, s->threads); n < chunk_begin(x.n, part + 1, s->threads);
             n++)
            image_gradient(d, s, p, x, dy, n);
        amx_release();
    }
    conv_add_parts(s, p, dw, true);
}
