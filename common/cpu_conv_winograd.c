/* cpu_conv_winograd.c: 3 x 3 convolution of stride 1 with 16 multiplications where the sum itself takes 36 (Winograd's
 * minimal filtering F(2x2, 3x3); Lavin & Gray, arXiv 1509.09308).
 *
 * The output is cut into tiles of 2 x 2 pixels. Each reads a 4 x 4 patch d of the input, and with constant matrices
 *     V = B' d B   (16 numbers per channel)          U = G w G'   (16 numbers per pair of channels)
 *     M = sum over channels of U * V, number by number        y = A' M A
 * "Number by number" is 16 matrix products [tiles,C] . [C,K], one for each place in the 4 x 4, and they run on the same
 * kernels as the direct convolution. B and A hold only 0, 1 and -1, so the transforms are additions on vectors of
 * channels. The way back is the same algebra:
 *     data     the same convolution of dy, with the weights turned round
 *     weight   dM = A dy A',   dU = sum over tiles of V * dM (16 products [C,tiles] . [tiles,K]),   dw = G' dU G
 * Rounding errors are about twice those of the direct sum; of the larger F(4x4, 3x3) they would be ten times.
 */
#include <omp.h>
#include "cpu_conv.h"

enum { PLACES = 16,      /* of the 4 x 4 */
       BLOCK = 16,       /* tiles at a time, forward and data: about the L1 cache */
       GROUP = 64,       /* weight: long sums, seldom stored */
       APART = 16 };     /* floats between the places' matrices, lest they all fall into one set of the cache */

static inline int tiles_along(int size) { return (size + 1) / 2; }

/* Tile rows that are worked on together, so that they have about `tiles` tiles. */
static int rows_at_once(int tile_columns, int tiles) { return tile_columns >= tiles ? 1 : tiles / tile_columns; }

/* Floats of one place's matrix: so many tiles of so many channels. */
static long plane_of(int tile_columns, int tiles, int channels)
{
    return (long)rows_at_once(tile_columns, tiles) * tile_columns * channels + APART;
}

static inline size_t weights(const ConvPlan *p) { return (size_t)PLACES * p->C * p->K; }
static float *packed(Stream *s) { return ((CpuBackend *)s->be)->scratch; }
static float *partial(Stream *s, const ConvPlan *p, int part) { return packed(s) + (1 + part) * weights(p); }
static size_t block_floats(const ConvPlan *p)
{
    int columns = tiles_along(p->Q);
    return (size_t)PLACES * (plane_of(columns, GROUP, p->C) + plane_of(columns, GROUP, p->K));
}
static float *block_of(Stream *s, const ConvPlan *p)
{
    return partial(s, p, s->be->threads) + omp_get_thread_num() * block_floats(p);
}

bool winograd_fits(const ConvPlan *p)
{
    return p->R == 3 && p->stride == 1 && p->C % VEC == 0 && p->K % VEC == 0;
}

void winograd_reserve(Backend *be, ConvPlan *p)
{
    if (winograd_fits(p)) {
        p->zeros = alloc((p->W + 3) * (p->C > p->K ? p->C : p->K), sizeof(float));
        cpu_reserve(be, (1 + be->threads) * weights(p) + be->threads * block_floats(p));
    }
}

/* ---- transforms; `plane` floats lie between one place's numbers and the next's ---- */

/* One column of the patch, B' applied: to[0 … 3]. */
INLINE void down(vec *to, const float *const row[4], long at)
{
    vec d0 = *(const vec *)(row[0] + at), d1 = *(const vec *)(row[1] + at);
    vec d2 = *(const vec *)(row[2] + at), d3 = *(const vec *)(row[3] + at);
    to[0] = d0 - d2, to[1] = d1 + d2, to[2] = d2 - d1, to[3] = d1 - d3;
}

/* V of one row of tiles. row[i]: the patches' four rows of pixels, from column -1; C channels. Neighbouring patches share
 * two columns. odd: the last patch's last column lies beyond the border, and counts as 0. */
INLINE void input_row(float *V, long plane, const float *const row[4], int tiles, bool odd, const int C)
{
    for (int c = 0; c < C; c += VEC) {
        vec a[4], b[4], e[4], f[4]; /* columns 0 to 3 */
        down(a, row, c);
        down(b, row, C + c);
        for (int t = 0; t < tiles; t++) {
            down(e, row, (2L * t + 2) * C + c);
            if (odd && t == tiles - 1)
                memset(f, 0, sizeof f);
            else
                down(f, row, (2L * t + 3) * C + c);
            float *to = V + (long)t * C + c;
            UNROLL
            for (int i = 0; i < 4; i++) {
                *(vec *)(to + (4 * i + 0) * plane) = a[i] - e[i];
                *(vec *)(to + (4 * i + 1) * plane) = b[i] + e[i];
                *(vec *)(to + (4 * i + 2) * plane) = e[i] - b[i];
                *(vec *)(to + (4 * i + 3) * plane) = b[i] - f[i];
                a[i] = e[i], b[i] = f[i];
            }
        }
    }
}

/* y = A' M A of one row of tiles, plus what is given. y[i]: the tiles' two rows of Q pixels; y[1] NULL: there is no second. */
INLINE void output_row(float *const y[2], const float *const plus[2], const float *M, long plane, int Q, const int K)
{
    for (int k = 0; k < K; k += VEC)
        for (int q = 0; q < Q; q += 2) {
            const float *from = M + (long)(q / 2) * K + k;
            vec s[2][4]; /* A' M */
            UNROLL
            for (int j = 0; j < 4; j++) {
                vec m0 = *(const vec *)(from + j * plane), m1 = *(const vec *)(from + (4 + j) * plane);
                vec m2 = *(const vec *)(from + (8 + j) * plane), m3 = *(const vec *)(from + (12 + j) * plane);
                s[0][j] = m0 + (m1 + m2), s[1][j] = (m1 - m2) - m3;
            }
            long at = (long)q * K + k;
            UNROLL
            for (int i = 0; i < 2; i++) {
                if (!y[i])
                    continue;
                vec left = s[i][0] + (s[i][1] + s[i][2]), right = (s[i][1] - s[i][2]) - s[i][3];
                bool both = q + 1 < Q;
                if (plus[i])
                    left += *(const vec *)(plus[i] + at);
                if (plus[i] && both)
                    right += *(const vec *)(plus[i] + at + K);
                *(vec *)(y[i] + at) = left;
                if (both)
                    *(vec *)(y[i] + at + K) = right;
            }
        }
}

/* dM = A dy A' of one row of tiles; g[i]: its two rows of Q pixels, NULL: 0. */
INLINE void gradient_row(float *Z, long plane, const float *const g[2], int Q, const int K)
{
    for (int k = 0; k < K; k += VEC)
        for (int q = 0; q < Q; q += 2) {
            long at = (long)q * K + k;
            vec zero = {}, z[4][2]; /* A dy */
            UNROLL
            for (int j = 0; j < 2; j++) {
                bool inside = q + j < Q;
                vec g0 = inside ? *(const vec *)(g[0] + at + j * K) : zero;
                vec g1 = inside && g[1] ? *(const vec *)(g[1] + at + j * K) : zero;
                z[0][j] = g0, z[1][j] = g0 + g1, z[2][j] = g0 - g1, z[3][j] = -g1;
            }
            float *to = Z + (long)(q / 2) * K + k;
            UNROLL
            for (int i = 0; i < 4; i++) {
                *(vec *)(to + (4 * i + 0) * plane) = z[i][0];
                *(vec *)(to + (4 * i + 1) * plane) = z[i][0] + z[i][1];
                *(vec *)(to + (4 * i + 2) * plane) = z[i][0] - z[i][1];
                *(vec *)(to + (4 * i + 3) * plane) = -z[i][1];
            }
        }
}

/* The same three, compiled for the usual channel counts. */
static void input_tiles(float *V, long plane, const float *const row[4], int tiles, bool odd, int C)
{
    FOR_CHANNELS(C, input_row(V, plane, row, tiles, odd, c_))
}
static void output_tiles(float *const y[2], const float *const plus[2], const float *M, long plane, int Q, int K)
{
    if (plus[0])
        FOR_CHANNELS(K, output_row(y, plus, M, plane, Q, c_))
    else
        FOR_CHANNELS(K, output_row(y, (const float *[2]){NULL, NULL}, M, plane, Q, c_))
}
static void gradient_tiles(float *Z, long plane, const float *const g[2], int Q, int K)
{
    FOR_CHANNELS(K, gradient_row(Z, plane, g, Q, c_))
}

/* V of tile row t of image n. */
static void input_of(float *V, long plane, Tensor x, int n, int t, const float *zeros)
{
    const float *row[4];
    for (int i = 0; i < 4; i++) {
        int h = 2 * t - 1 + i; /* at most x.h + 1, where a border of 1 has ended */
        row[i] = h <= x.h ? cpu_row(x, n, 0) + ((long)h * (x.w + 2 * x.halo) - 1) * x.c : zeros;
    }
    input_tiles(V, plane, row, tiles_along(x.w), x.w % 2, x.c);
}

/* ---- weights ---- */

/* u = G g G', for 3 x 3 taps g, 1 apart or (turned round) -1. */
INLINE void transform_weight(float u[PLACES], const float *g, int apart)
{
    float t[4][3]; /* G g */
    for (int j = 0; j < 3; j++) {
        float g0 = g[j * apart], g1 = g[(3 + j) * apart], g2 = g[(6 + j) * apart];
        t[0][j] = g0, t[1][j] = 0.5f * (g0 + g1 + g2), t[2][j] = 0.5f * (g0 - g1 + g2), t[3][j] = g2;
    }
    for (int i = 0; i < 4; i++) {
        u[4 * i] = t[i][0], u[4 * i + 3] = t[i][2];
        u[4 * i + 1] = 0.5f * (t[i][0] + t[i][1] + t[i][2]), u[4 * i + 2] = 0.5f * (t[i][0] - t[i][1] + t[i][2]);
    }
}

/* U, as the kernels read it: [place][vector of outputs][input][VEC]. Backward the outputs are w's inputs, and the taps are
 * turned round. */
static void pack(Stream *s, const ConvPlan *p, const float *w, bool backward)
{
    int in = backward ? p->K : p->C, out = backward ? p->C : p->K;
    float *to = packed(s);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int o = 0; o < out; o++)
        for (int i = 0; i < in; i++) {
            float u[PLACES];
            if (backward)
                transform_weight(u, w + ((size_t)i * p->C + o) * 9 + 8, -1);
            else
                transform_weight(u, w + ((size_t)o * p->C + i) * 9, 1);
            for (int place = 0; place < PLACES; place++)
                to[(((size_t)place * (out / VEC) + o / VEC) * in + i) * VEC + o % VEC] = u[place];
        }
}

/* ---- the three convolutions ---- */

/* Ask memory for rows of x that will be read soon; they come while the matrix products run. */
static void fetch_ahead(Tensor x, int n, int h, int rows)
{
    long row = (long)(x.w + 2 * x.halo) * x.c;
    const float *from = cpu_row(x, n, 0) + h * row;
    for (long i = 0; i < rows * row; i += 16)
        __builtin_prefetch(from + i);
}

/* y = x * (packed weights) + plus for image n. */
static void image(Stream *s, const ConvPlan *p, Tensor y, Tensor x, Tensor plus, RowKernel kernel, int n)
{
    int columns = tiles_along(y.w), rows = tiles_along(y.h), block = rows_at_once(columns, BLOCK);
    long v = plane_of(columns, BLOCK, x.c), m = plane_of(columns, BLOCK, y.c);
    float *V = block_of(s, p), *M = V + PLACES * v;
    Run run = {0, x.c};
    for (int t0 = 0; t0 < rows; t0 += block) {
        int t1 = t0 + block < rows ? t0 + block : rows;
        for (int t = t0; t < t1; t++)
            input_of(V + (long)(t - t0) * columns * x.c, v, x, n, t, p->zeros);
        fetch_ahead(x, n, 2 * t1 + 1, 2 * (t1 - t0));
        if (given(plus))
            fetch_ahead(plus, n, 2 * t0, 2 * (t1 - t0));
        for (int h = 2 * t0; h < 2 * t1 && h < y.h; h++)
            for (long i = 0; i < (long)y.w * y.c; i += 16)
                __builtin_prefetch(cpu_row(y, n, h) + i, 1);
        for (int place = 0; place < PLACES; place++)
            for (int k = 0; k < y.c; k += VEC)
                kernel(M + place * m + k, NULL, y.c, V + place * v, x.c, &run, 1,
                       packed(s) + ((size_t)place * y.c + k) * x.c, (t1 - t0) * columns);
        for (int t = t0; t < t1; t++) {
            bool two = 2 * t + 1 < y.h;
            float *to[2] = {cpu_row(y, n, 2 * t), two ? cpu_row(y, n, 2 * t + 1) : NULL};
            const float *add[2] = {given(plus) ? cpu_row(plus, n, 2 * t) : NULL,
                                   given(plus) && two ? cpu_row(plus, n, 2 * t + 1) : NULL};
            output_tiles(to, add, M + (long)(t - t0) * columns * y.c, m, y.w, y.c);
        }
    }
}

void winograd_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w, Tensor residual)
{
    RowKernel kernel = conv_row_kernel(p->C);
    pack(s, p, cpu_at(w), false);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++) {
        image(s, p, y, x, residual, kernel, n);
        if (given(moments))
            cpu_moments_of_image(moments, y, n);
    }
}

void winograd_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    RowKernel kernel = conv_row_kernel(p->K);
    pack(s, p, cpu_at(w), true);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < dx.n; n++)
        image(s, p, dx, dy, add ? dx : NO_TENSOR, kernel, n);
}

/* dU [place][C][K] += the sum over some tiles. */
static void add_tiles(float *dU, const ConvPlan *p, const float *V, long v, const float *Z, long z, int tiles)
{
    for (int place = 0; place < PLACES; place++)
        conv_weight_sum(dU + (size_t)place * p->C * p->K, p->C, p->K, V + place * v, 0, p->C, Z + place * z, 0, 1, tiles);
}

/* Images [n0, n1): tile rows are gathered until there are enough for long sums. */
static void weight_part(Stream *s, const ConvPlan *p, float *dU, Tensor x, Tensor dy, int n0, int n1)
{
    int columns = tiles_along(p->Q), rows = tiles_along(p->P), most = rows_at_once(columns, GROUP) * columns, tiles = 0;
    long v = plane_of(columns, GROUP, p->C), z = plane_of(columns, GROUP, p->K);
    float *V = block_of(s, p), *Z = V + PLACES * v;
    memset(dU, 0, sizeof(float) * weights(p));
    for (int n = n0; n < n1; n++)
        for (int t = 0; t < rows; t++) {
            const float *g[2] = {cpu_row(dy, n, 2 * t), 2 * t + 1 < p->P ? cpu_row(dy, n, 2 * t + 1) : NULL};
            input_of(V + (long)tiles * p->C, v, x, n, t, p->zeros);
            gradient_tiles(Z + (long)tiles * p->K, z, g, p->Q, p->K);
            tiles += columns;
            if (tiles == most || (n == n1 - 1 && t == rows - 1)) {
                add_tiles(dU, p, V, v, Z, z, tiles);
                tiles = 0;
            }
        }
}

/* dw [K,C,3,3] += G' dU G, dU summed over its parts in order. */
static void add_parts(Stream *s, const ConvPlan *p, float *dw)
{
    size_t apart = (size_t)p->C * p->K;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int c = 0; c < p->C; c++)
        for (int k = 0; k < p->K; k++) {
            float u[PLACES] = {0}, t[3][4];
            for (int part = 0; part < s->threads; part++)
                for (int place = 0; place < PLACES; place++)
                    u[place] += partial(s, p, part)[place * apart + (size_t)c * p->K + k];
            for (int j = 0; j < 4; j++) {
                float plus = 0.5f * (u[4 + j] + u[8 + j]), minus = 0.5f * (u[4 + j] - u[8 + j]);
                t[0][j] = u[j] + plus, t[1][j] = minus, t[2][j] = plus + u[12 + j];
            }
            float *to = dw + ((size_t)k * p->C + c) * 9;
            for (int i = 0; i < 3; i++) {
                float plus = 0.5f * (t[i][1] + t[i][2]), minus = 0.5f * (t[i][1] - t[i][2]);
                to[3 * i] += t[i][0] + plus, to[3 * i + 1] += minus, to[3 * i + 2] += plus + t[i][3];
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
