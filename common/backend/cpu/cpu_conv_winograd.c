/* cpu_conv_winograd.c: 3 x 3 convolution of stride 1 with 36 multiplications where the sum itself
 * takes 144 (Winograd's minimal filtering F(4x4, 3x3); Lavin & Gray, arXiv 1509.09308).
 *
 * The output is cut into tiles of 4 x 4 pixels. Each reads a 6 x 6 patch d of the input, and with
 * constant matrices
 *     V = B' d B   (36 elements per channel)        U = G w G'   (36 elements per pair of channels)
 *     M = sum over channels of U * V, elementwise           y = A' M A
 * "Elementwise" is 36 matrix products [tiles,C] . [C,K], one for each position in the 6 x 6. The
 * backward pass is the same algebra:
 *     data     the same convolution of dy, with the weights rotated by 180 degrees
 *     weight   dM = A dy A',   dU = sum over tiles of V * dM (36 products [C,tiles] . [tiles,K]),
 *              dw = G' dU G
 *
 * Along one axis this is polynomial multiplication: evaluate at six points, multiply, interpolate.
 * The usual points 0, 1, -1, 2, -2 and infinity make the error 5 times that of the direct sum.
 * Ours, 0, a, -a, b, -b and infinity with a = 1/sqrt 2 and b = sqrt 2, make it 2.3 times that
 * (measured, 64 channels): their powers stay between 0.35 and 2.8.
 */
#include "cpu_conv.h"
#include <omp.h>

enum {
    SIDE = 6,
    TILE = 4,
    PLACES = SIDE * SIDE,
    BLOCK = 8,  /* tiles at a time, forward and data: V and M stay in the first-level cache */
    GROUP = 32, /* weight: longer sums, stored less often */
    APART = 16, /* floats between the positions' matrices, lest they all map to one cache set */
    /* positions at a time: as many sums as registers hold, and enough to hide an addition's time */
    AT_ONCE = VEC == 8 ? 1 : 2
};

/* a3 = a * a * a */
static const float a = 0.70710678f, b = 1.41421356f, a3 = 0.35355339f, b3 = 2.82842712f;

static inline int tiles_along(int size) { return (size + TILE - 1) / TILE; }

/* Tile rows that are worked on together, so that they have about `tiles` tiles. */
static int rows_at_once(int tile_columns, int tiles)
{
    return tile_columns >= tiles ? 1 : tiles / tile_columns;
}

/* Floats of one position's matrix, tiles x channels. */
static long plane_of(int tile_columns, int tiles, int channels)
{
    return (long)rows_at_once(tile_columns, tiles) * tile_columns * channels + APART;
}

/* The scratch, cut up: U, each thread's dU, each thread's V and M. */
static inline size_t weights(const ConvPlan *p) { return (size_t)PLACES * p->C * p->K; }
static float *packed(Stream *s) { return ((CpuBackend *)s->be)->scratch; }
static float *partial(Stream *s, const ConvPlan *p, int part)
{
    return packed(s) + (1 + part) * weights(p);
}
static size_t block_floats(const ConvPlan *p)
{
    int columns = tiles_along(p->Q);
    columns += columns % 2; /* the most that any layout takes */
    return (size_t)PLACES * (plane_of(columns, GROUP, p->C) + plane_of(columns, GROUP, p->K));
}
static float *block_of(Stream *s, const ConvPlan *p)
{
    return partial(s, p, s->be->threads) + omp_get_thread_num() * block_floats(p);
}

/* Is it faster? The tiles of a very small image lie mostly beyond its edge. */
static bool winograd_fits(const ConvPlan *p)
{
    /* of 16 pixels in a tile */
    bool full = p->P * p->Q >= 8 * tiles_along(p->P) * tiles_along(p->Q);
    return p->R == 3 && p->stride == 1 && p->C % VEC == 0 && p->K % VEC == 0 && full;
}

void winograd_reserve(Backend *be, ConvPlan *p)
{
    if (winograd_fits(p)) {
        p->zeros = alloc((p->W + 2 * SIDE) * (p->C > p->K ? p->C : p->K), sizeof(float));
        cpu_reserve(be, (1 + be->threads) * weights(p) + be->threads * block_floats(p));
    }
}

/* ---- transforms along one axis: of elements `step` vectors apart, into elements `to_step` apart
 * ---- */

/* B' d: 6 to 6. */
INLINE void input_1d(vec *to, int to_step, const vec *d, int step)
{
    vec d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step];
    vec even_a = d4 - 2 * d2, odd_a = d3 - 2 * d1, even_b = d4 - 0.5f * d2, odd_b = d3 - 0.5f * d1;
    to[0] = (d[0] + d4) - 2.5f * d2;
    to[to_step] = even_a + a * odd_a, to[2 * to_step] = even_a - a * odd_a;
    to[3 * to_step] = even_b + b * odd_b, to[4 * to_step] = even_b - b * odd_b;
    to[5 * to_step] = (d[5 * step] + d1) - 2.5f * d3;
}

/* A' m: 6 to 4. */
INLINE void output_1d(vec *to, int to_step, const vec *m, int step)
{
    vec even_a = m[step] + m[2 * step], odd_a = m[step] - m[2 * step];
    vec even_b = m[3 * step] + m[4 * step], odd_b = m[3 * step] - m[4 * step];
    to[0] = m[0] + (even_a + even_b);
    to[to_step] = a * odd_a + b * odd_b;
    to[2 * to_step] = 0.5f * even_a + 2 * even_b;
    to[3 * to_step] = (a3 * odd_a + b3 * odd_b) + m[5 * step];
}

/* A g: 4 to 6. */
INLINE void gradient_1d(vec *to, int to_step, const vec *g, int step)
{
    vec g1 = g[step], g2 = g[2 * step], g3 = g[3 * step];
    vec even_a = g[0] + 0.5f * g2, odd_a = a * g1 + a3 * g3, even_b = g[0] + 2 * g2,
        odd_b = b * g1 + b3 * g3;
    to[0] = g[0];
    to[to_step] = even_a + odd_a, to[2 * to_step] = even_a - odd_a;
    to[3 * to_step] = even_b + odd_b, to[4 * to_step] = even_b - odd_b;
    to[5 * to_step] = g3;
}

/* G w: 3 to 6. */
INLINE void weight_1d(vec *to, int to_step, const vec *w, int step)
{
    vec w1 = w[step], w2 = w[2 * step];
    vec even_a = (w[0] + 0.5f * w2) / -1.5f, odd_a = (a / -1.5f) * w1, even_b = (w[0] + 2 * w2) / 6,
        odd_b = (b / 6) * w1;
    to[0] = w[0];
    to[to_step] = even_a + odd_a, to[2 * to_step] = even_a - odd_a;
    to[3 * to_step] = even_b + odd_b, to[4 * to_step] = even_b - odd_b;
    to[5 * to_step] = w2;
}

/* G' u: 6 to 3. */
INLINE void weight_back_1d(vec *to, int to_step, const vec *u, int step)
{
    vec even_a = (u[step] + u[2 * step]) / 1.5f, odd_a = (u[step] - u[2 * step]) / 1.5f;
    vec even_b = (u[3 * step] + u[4 * step]) / 6, odd_b = (u[3 * step] - u[4 * step]) / 6;
    to[0] = u[0] - even_a + even_b;
    to[to_step] = b * odd_b - a * odd_a;
    to[2 * to_step] = 2 * even_b - 0.5f * even_a + u[5 * step];
}

/* ---- a row of tiles; `plane` floats lie between one position's elements and the next's ---- */

/* One column of the patch, B' applied. */
INLINE void column(vec *to, const void *const row[SIDE], long at, const DType type)
{
    vec d[SIDE];
    UNROLL
    for (int i = 0; i < SIDE; i++)
        d[i] = vec_load(row[i], at, type);
    input_1d(to, 1, d, 1);
}

/* How V and Z are stored: for dots in the forward pass [tile,C] in BF16, for dots over tiles
 * [tile/2,C] pairs. */
typedef enum { FLOATS, HALVES, PAIRS } Layout;

/* Element c of `plane` of tile t; even: the tile before it. */
INLINE void put(void *V, long plane, int t, int C, int c, vec v, vec *even, const Layout layout)
{
    if (layout == PAIRS && t % 2 == 0)
        *even = v;
    if (layout == PAIRS) /* again when the second tile is there, if there is one */
        vec_store_pairs(V, plane + (long)(t / 2) * C + c, *even, t % 2 ? v : (vec){});
    else
        vec_store(V, plane + (long)t * C + c, v, layout == HALVES ? BF16 : F32);
}

/* V of `tiles` tiles side by side. row[i]: the patches' six rows of pixels from column -1, C
 * channels. Neighbouring patches share two columns. */
INLINE void input_row(void *V, long plane, const void *const row[SIDE], int tiles, const int C,
                      const DType type, const Layout layout)
{
    for (int c = 0; c < C; c += VEC) {
        vec d[SIDE][SIDE], v[SIDE], even[PLACES] = {0}; /* [column][row] */
        column(d[4], row, c, type);
        column(d[5], row, C + c, type);
        for (int t = 0; t < tiles; t++) {
            memcpy(d[0], d[4], 2 * sizeof d[0]);
            UNROLL
            for (int j = 2; j < SIDE; j++)
                column(d[j], row, (4L * t + j) * C + c, type);
            UNROLL
            for (int i = 0; i < SIDE; i++) {
                input_1d(v, 1, &d[0][i], SIDE);
                UNROLL
                for (int j = 0; j < SIDE; j++)
                    put(V, (SIDE * i + j) * plane, t, C, c, v[j], &even[SIDE * i + j], layout);
            }
        }
    }
}

/* y = A' M A of a row of tiles, plus `plus`. y[i], plus[i]: its rows of Q pixels, of which
 * there are `rows`. */
INLINE void output_row(void *const y[TILE], const void *const plus[TILE], int rows, const float *M,
                       long plane, int Q, const bool add, const int K, const DType type)
{
    for (int k = 0; k < K; k += VEC)
        for (int t = 0; t * TILE < Q; t++) {
            vec m[SIDE], s[TILE][SIDE], out[TILE];
            UNROLL
            for (int j = 0; j < SIDE; j++) {
                UNROLL
                for (int i = 0; i < SIDE; i++)
                    m[i] = *(const vec *)(M + (SIDE * i + j) * plane + (long)t * K + k);
                output_1d(&s[0][j], SIDE, m, 1);
            }
            int columns = Q - t * TILE < TILE ? Q - t * TILE : TILE;
            UNROLL
            for (int i = 0; i < TILE; i++) {
                output_1d(out, 1, s[i], 1);
                long at = (long)t * TILE * K + k;
                UNROLL
                for (int j = 0; j < TILE; j++, at += K)
                    if (i < rows && j < columns) {
                        if (add)
                            out[j] += vec_load(plus[i], at, type);
                        vec_store(y[i], at, out[j], type);
                    }
            }
        }
}

/* dM = A dy A' of a row of tiles; g[i]: its four rows of Q pixels. */
INLINE void gradient_row(void *Z, long plane, const void *const g[TILE], int Q, const int K,
                         const DType type, const Layout layout)
{
    for (int k = 0; k < K; k += VEC) {
        vec even[PLACES] = {0};
        for (int t = 0; t * TILE < Q; t++) {
            vec d[TILE], z[SIDE][TILE], out[SIDE]; /* z = A dy */
            UNROLL
            for (int j = 0; j < TILE; j++) {
                bool inside = t * TILE + j < Q;
                UNROLL
                for (int i = 0; i < TILE; i++)
                    d[i] = inside ? vec_load(g[i], (long)(t * TILE + j) * K + k, type) : (vec){};
                gradient_1d(&z[0][j], TILE, d, 1);
            }
            UNROLL
            for (int i = 0; i < SIDE; i++) {
                gradient_1d(out, 1, z[i], 1);
                UNROLL
                for (int j = 0; j < SIDE; j++)
                    put(Z, (SIDE * i + j) * plane, t, K, k, out[j], &even[SIDE * i + j], layout);
            }
        }
    }
}

/* The same three, compiled for the common channel counts, both types, and the layouts that there
 * are of each. */
static void input_tiles(void *V, long plane, const void *const row[SIDE], int tiles, int C,
                        DType type, Layout layout)
{
    if (type == F32)
        FOR_CHANNELS(C, input_row(V, plane, row, tiles, c_, F32, FLOATS))
    else if (!DOTS || layout == FLOATS)
        FOR_CHANNELS(C, input_row(V, plane, row, tiles, c_, BF16, FLOATS))
    else if (layout == HALVES)
        FOR_CHANNELS(C, input_row(V, plane, row, tiles, c_, BF16, HALVES))
    else
        FOR_CHANNELS(C, input_row(V, plane, row, tiles, c_, BF16, PAIRS))
}
static void output_tiles(void *const y[TILE], const void *const plus[TILE], int rows,
                         const float *M, long plane, int Q, int K, DType type)
{
    if (plus)
        FOR_TYPE(type, FOR_CHANNELS(K, output_row(y, plus, rows, M, plane, Q, true, c_, type_)))
    else
        FOR_TYPE(type, FOR_CHANNELS(K, output_row(y, NULL, rows, M, plane, Q, false, c_, type_)))
}
static void gradient_tiles(void *Z, long plane, const void *const g[TILE], int Q, int K, DType type,
                           Layout layout)
{
    if (type == F32)
        FOR_CHANNELS(K, gradient_row(Z, plane, g, Q, c_, F32, FLOATS))
    else if (!DOTS || layout == FLOATS)
        FOR_CHANNELS(K, gradient_row(Z, plane, g, Q, c_, BF16, FLOATS))
    else
        FOR_CHANNELS(K, gradient_row(Z, plane, g, Q, c_, BF16, PAIRS))
}

/* Bytes from one tile's elements to the next's, two of which are pairs. */
static long tile_bytes(int C, Layout layout) { return C * (layout == FLOATS ? 4L : 2L); }
/* Tiles of a row, and that rounded up to pairs. */
static int columns_of(int size, Layout layout)
{
    int tiles = tiles_along(size);
    return layout == PAIRS ? tiles + tiles % 2 : tiles;
}

enum { EDGE = 2 * TILE + 2 }; /* columns of two tiles' patches */

/* V of tile row t of image n. Pixels beyond a border of 1 are zeros: the last tiles (one, or two to
 * keep pairs together) then come from a copy with more of them, `edge`. */
static void input_of(void *V, Layout layout, long plane, Tensor x, int n, int t, const float *zeros,
                     float *edge)
{
    int tiles = tiles_along(x.w), whole = x.w % TILE ? (tiles - 1) / 2 * 2 : tiles;
    const long size = (long)dtype_size(x.dtype), pixel = x.c * size; /* bytes */
    const void *row[SIDE], *last[SIDE];
    for (int i = 0; i < SIDE; i++) {
        int h = TILE * t - 1 + i;
        row[i] = h <= x.h ? (char *)cpu_pixels(x, n, 0) + ((long)h * (x.w + 2 * x.halo) - 1) * pixel
                          : (const void *)zeros;
    }
    if (whole > 0)
        input_tiles(V, plane, row, whole, x.c, x.dtype, layout);
    if (whole == tiles)
        return;
    int columns = x.w + 2 - whole * TILE; /* of these patches, the border's included */
    for (int i = 0; i < SIDE; i++) {
        char *to = (char *)edge + i * EDGE * pixel;
        last[i] = memcpy(to, (const char *)row[i] + (long)whole * TILE * pixel, columns * pixel);
        memset(to + columns * pixel, 0, (EDGE - columns) * pixel);
    }
    input_tiles((char *)V + whole * tile_bytes(x.c, layout), plane, last, tiles - whole, x.c,
                x.dtype, layout);
}

/* ---- weights ---- */

/* The type of V and U for images of this type. */
static DType factors_of(DType images) { return DOTS ? images : F32; }

/* U = G w G' as the products read it: [position][vector of outputs][input][VEC], in BF16 the inputs
 * in pairs. Backward the outputs are w's inputs, and the taps are rotated. */
static void pack(Stream *s, const ConvPlan *p, const float *w, bool backward, DType type)
{
    int in = backward ? p->K : p->C, out = backward ? p->C : p->K;
    long apart = backward ? 9 : 9L * p->C; /* from one output's taps to the next's */
    float *to = packed(s);
#pragma omp parallel for num_threads(s->threads) schedule(static) collapse(2)
    for (int o = 0; o < out; o += VEC)
        for (int i = 0; i < in; i++) {
            const float *from = backward ? w + ((long)i * p->C + o) * 9
                                         : w + ((long)o * p->C + i) * 9;
            vec taps[9], t[SIDE][3], u[SIDE];
            for (int j = 0; j < 9; j++)
                for (int lane = 0; lane < VEC; lane++)
                    taps[j][lane] = from[lane * apart + (backward ? 8 - j : j)];
            UNROLL
            for (int j = 0; j < 3; j++)
                weight_1d(&t[0][j], 3, taps + j, 3);
            UNROLL
            for (int row = 0; row < SIDE; row++) {
                weight_1d(u, 1, t[row], 1);
                for (int j = 0; j < SIDE; j++) {
                    void *of = element(to, (((long)row * SIDE + j) * out + o) * in, type);
                    for (int lane = 0; lane < VEC; lane++)
                        conv_put_weight(of, i, lane, VEC, u[j][lane], type);
                }
            }
        }
}

/* ---- the three convolutions ---- */

/* `rows` tile rows of t, from the first-th of the batch on, within `steps` calls. */
static Ahead ahead_of(Tensor t, long first, int rows, int steps, bool write)
{
    int of_image = tiles_along(t.h);
    long bytes = rows * TILE * (long)(t.w + 2 * t.halo) * t.c * (long)dtype_size(t.dtype);
    return (Ahead){cpu_pixels(t, (int)(first / of_image), (int)(first % of_image) * TILE),
                   (bytes / (steps * LINE) + 1) * LINE, bytes, write};
}

/* M = V U at AT_ONCE positions from `place` on, T tiles x VEC outputs each. */
INLINE void product(float *M, long m, const void *V, long v, const void *U, long u, int K,
                    const int C, const int T, const DType type)
{
    vec sum[T], more[T]; /* more: of the second position */
    UNROLL
    for (int t = 0; t < T; t++)
        sum[t] = more[t] = (vec){};
    const vec *first = U, *second = element(U, u, type);
    for (int i = 0; i < C; i += type == F32 ? 1 : 2) {
        vec a = *first++, b = AT_ONCE == 2 ? *second++ : a;
        UNROLL
        for (int t = 0; t < T; t++) {
            const void *x = element(V, t * C + i, type), *next = element(V, v + t * C + i, type);
            if (type == F32)
                sum[t] += *(const float *)x * a;
            else
                sum[t] = vec_dot(sum[t], a, x);
            if (AT_ONCE == 2 && type == F32)
                more[t] += *(const float *)next * b;
            else if (AT_ONCE == 2)
                more[t] = vec_dot(more[t], b, next);
        }
    }
    UNROLL
    for (int t = 0; t < T; t++) {
        *(vec *)(M + (long)t * K) = sum[t];
        if (AT_ONCE == 2)
            *(vec *)(M + m + (long)t * K) = more[t];
    }
}

/* All 36 products, for `tiles` tiles. */
INLINE void products_of(float *M, long m, const void *V, long v, const void *U, int tiles, int K,
                        Ahead ahead[3], const int C, const DType type)
{
    const long u = (long)K * C;
    for (int place = 0; place < PLACES; place += AT_ONCE) {
        for (int i = 0; i < 3; i++)
            fetch_some(&ahead[i]);
        for (int k = 0; k < K; k += VEC)
            for (int t = 0, T; t < tiles; t += T) {
                float *to = M + place * m + (long)t * K + k;
                const void *from = element(V, place * v + (long)t * C, type),
                           *by = element(U, place * u + (long)k * C, type);
#define PRODUCT(T_) product(to, m, from, v, by, u, K, C, T = (T_), type)
                if (tiles - t >= 8)
                    PRODUCT(8);
                else if (tiles - t == 7)
                    PRODUCT(7);
                else if (tiles - t >= 4)
                    PRODUCT(4);
                else
                    PRODUCT(1);
#undef PRODUCT
            }
    }
}
static void products(float *M, long m, const void *V, long v, const void *U, int tiles, int K,
                     int C, Ahead ahead[3], DType type)
{
    FOR_TYPE(type, FOR_CHANNELS(C, products_of(M, m, V, v, U, tiles, K, ahead, c_, type_)))
}

/* y = x * (packed weights) + plus for images [n0, n1), some rows of tiles at a time. */
static void images(Stream *s, const ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor plus,
                   int n0, int n1)
{
    int columns = tiles_along(y.w), rows = tiles_along(y.h), block = rows_at_once(columns, BLOCK);
    long v = plane_of(columns, BLOCK, x.c), m = plane_of(columns, BLOCK, y.c);
    float *V = block_of(s, p), *M = V + PLACES * v, edge[SIDE * EDGE * x.c];
    DType type = factors_of(x.dtype);
    Layout layout = type == BF16 ? HALVES : FLOATS;
    for (long first = (long)n0 * rows, end = (long)n1 * rows; first < end; first += block) {
        int count = first + block < end ? block : (int)(end - first);
        for (int i = 0; i < count; i++)
            input_of((char *)V + i * columns * tile_bytes(x.c, layout), layout, v, x,
                     (int)((first + i) / rows), (int)((first + i) % rows), p->zeros, edge);
        Ahead ahead[3] = {ahead_of(x, first + count, count, PLACES / AT_ONCE, false),
                          ahead_of(y, first, count, PLACES / AT_ONCE, true)};
        if (given(plus))
            ahead[2] = ahead_of(plus, first, count, PLACES / AT_ONCE, false);
        products(M, m, V, v, packed(s), count * columns, y.c, x.c, ahead, type);
        for (int i = 0; i < count; i++) {
            int n = (int)((first + i) / rows), t = (int)((first + i) % rows);
            int lines = y.h - TILE * t < TILE ? y.h - TILE * t : TILE;
            void *to[TILE];
            const void *add[TILE];
            for (int j = 0; j < lines; j++) {
                to[j] = cpu_pixels(y, n, TILE * t + j);
                add[j] = given(plus) ? cpu_pixels(plus, n, TILE * t + j) : NULL;
            }
            output_tiles(to, given(plus) ? add : NULL, lines, M + (long)i * columns * y.c, m, y.w,
                         y.c, y.dtype);
            if (given(moments) && t == rows - 1)
                cpu_moments_of_image(moments, y, n);
        }
    }
}

void winograd_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                      Tensor residual)
{
    pack(s, p, cpu_at(w), false, factors_of(x.dtype));
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int part = 0; part < s->threads; part++)
        images(s, p, y, moments, x, residual, chunk_begin(x.n, part, s->threads),
               chunk_begin(x.n, part + 1, s->threads));
}

void winograd_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    pack(s, p, cpu_at(w), true, factors_of(dy.dtype));
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int part = 0; part < s->threads; part++)
        images(s, p, dx, NO_TENSOR, dy, add ? dx : NO_TENSOR, chunk_begin(dx.n, part, s->threads),
               chunk_begin(dx.n, part + 1, s->threads));
}

/* Images [n0, n1): dU [position][C][K] = their sum, over enough tiles at a time for long sums. */
static void weight_part(Stream *s, const ConvPlan *p, float *dU, Tensor x, Tensor dy, int n0,
                        int n1)
{
    DType type = x.dtype == dy.dtype ? factors_of(x.dtype) : F32;
    Layout layout = type == BF16 ? PAIRS : FLOATS;
    int columns = columns_of(p->Q, layout), rows = tiles_along(p->P),
        group = rows_at_once(columns, GROUP);
    long v = plane_of(columns, GROUP, p->C), z = plane_of(columns, GROUP, p->K);
    float *V = block_of(s, p), *Z = V + PLACES * v, edge[SIDE * EDGE * p->C];
    memset(dU, 0, sizeof(float) * weights(p));
    for (long first = (long)n0 * rows, end = (long)n1 * rows; first < end; first += group) {
        int count = first + group < end ? group : (int)(end - first);
        for (int i = 0; i < count; i++) {
            int n = (int)((first + i) / rows), t = (int)((first + i) % rows);
            const void *g[TILE];
            for (int j = 0; j < TILE; j++)
                g[j] = TILE * t + j < p->P ? cpu_pixels(dy, n, TILE * t + j) : p->zeros;
            input_of((char *)V + i * columns * tile_bytes(p->C, layout), layout, v, x, n, t,
                     p->zeros, edge);
            gradient_tiles((char *)Z + i * columns * tile_bytes(p->K, layout), z, g, p->Q, p->K,
                           dy.dtype, layout);
        }
        Ahead next_x = ahead_of(x, first + count, count, PLACES, false),
              next_dy = ahead_of(dy, first + count, count, PLACES, false);
        for (int place = 0; place < PLACES; place++) {
            fetch_some(&next_x), fetch_some(&next_dy);
            conv_weight_sum(dU + (size_t)place * p->C * p->K, p->C, p->K, V + place * v, 0, p->C,
                            Z + place * z, 0, 1, count * columns / (layout == PAIRS ? 2 : 1), type);
        }
    }
}

/* dw [K,C,3,3] += G' dU G, dU summed over its parts in order. */
static void add_parts(Stream *s, const ConvPlan *p, float *dw)
{
#pragma omp parallel for num_threads(s->threads) schedule(static) collapse(2)
    for (int k = 0; k < p->K; k += VEC)
        for (int c = 0; c < p->C; c++) {
            vec u[SIDE], t[3][SIDE], d[3];
            for (int j = 0; j < SIDE; j++) {
                for (int i = 0; i < SIDE; i++) {
                    size_t at = ((size_t)(SIDE * i + j) * p->C + c) * p->K + k;
                    u[i] = *(const vec *)(partial(s, p, 0) + at);
                    for (int part = 1; part < s->threads; part++)
                        u[i] += *(const vec *)(partial(s, p, part) + at);
                }
                weight_back_1d(&t[0][j], SIDE, u, 1);
            }
            for (int i = 0; i < 3; i++) {
                weight_back_1d(d, 1, t[i], 1);
                for (int j = 0; j < 3; j++)
                    for (int lane = 0; lane < VEC; lane++)
                        dw[((size_t)(k + lane) * p->C + c) * 9 + 3 * i + j] += d[j][lane];
            }
        }
}

void winograd_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int part = 0; part < s->threads; part++)
        weight_part(s, p, partial(s, p, part), x, dy, chunk_begin(x.n, part, s->threads),
                    chunk_begin(x.n, part + 1, s->threads));
    add_parts(s, p, cpu_at(dw));
}
