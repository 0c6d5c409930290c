/* cpu_product.c: a matrix product of factors that are rounded to bfloat16, in blocks that stay in
 * the caches (Goto and van de Geijn, ACM Trans. Math. Softw. 34, 2008).
 *
 * A block of b, DEPTH rows and WIDE columns, is rounded and laid down in panels of PANEL columns:
 * it stays in the L2 cache, as does a block of a, TALL rows and DEPTH columns; the panel at work
 * stays in the L1 cache. Each tile of c stays in registers while the depth is walked through: TILE
 * rows and PANEL columns, two numbers at a time, where the processor has DOTS; 32 x 32, 32 numbers
 * at a time, where it has a matrix unit (cpu_amx.h).
 */
#include "cpu_product.h"

enum {
    LANES = AMX_LANES,
    PANEL = AMX ? 2 * LANES : 2 * VEC,
    TILE = 14, /* its sums take 28 of 32 registers */
    TALL = 6 * LANES,
    WIDE = 512,
    DEPTH = 256,
    PAIRS = DEPTH / 2
};
/* Both are zero up to whole tiles, and in depth up to LANES pairs. */
typedef struct Block {
    Pair b[WIDE / PANEL][PAIRS][PANEL];
    Pair a[TALL][PAIRS];
} Block;

static int least(int a, int b) { return a < b ? a : b; }

INLINE Pair pair_of(float first, float second)
{
    return bf16_of(first) | (Pair)bf16_of(second) << 16;
}

/* n numbers that follow each other, as pairs; zeros up to LANES pairs. */
static void pairs_along(Pair *to, const float *from, int n)
{
    int i = 0;
    for (; i + VEC <= n; i += VEC)
        vec_store(to, i, *(const vec *)(from + i), BF16);
    for (; i < n; i += 2)
        to[i / 2] = pair_of(from[i], i + 1 < n ? from[i + 1] : 0);
    memset(to + (n + 1) / 2, 0, sizeof *to * (round_up((n + 1) / 2, LANES) - (n + 1) / 2));
}

/* n columns of two rows, each column a pair; second NULL: zeros. */
static void pairs_across(Pair *to, const float *first, const float *second, int n)
{
    int i = 0;
    for (; i + VEC <= n; i += VEC)
        vec_store_pairs(to, i, *(const vec *)(first + i),
                        second ? *(const vec *)(second + i) : (vec){0});
    for (; i < n; i++)
        to[i] = pair_of(first[i], second ? second[i] : 0);
}

/* LANES vectors of `depth` numbers, of which the first `count` are there; each lies along memory,
 * `apart` floats from the one before. */
static void strip_along(Pair to[LANES][PAIRS], const float *from, long apart, int count, int depth)
{
    for (int i = 0; i < LANES; i++)
        if (i < count)
            pairs_along(to[i], from + i * apart, depth);
        else
            memset(to[i], 0, sizeof to[i]);
}

/* The first `count` of n vectors of `depth` numbers, side by side in memory: each number is `apart`
 * floats behind the one before. to's rows are to_apart pairs apart. */
static void strip_across(Pair *to, long to_apart, const float *from, long apart, int count, int n,
                         int depth)
{
    for (int k = 0; k < 2 * round_up((depth + 1) / 2, LANES); k += 2, to += to_apart) {
        const float *row = from + k * apart;
        if (count < n || k >= depth)
            memset(to, 0, sizeof *to * n);
        if (k < depth)
            pairs_across(to, row, k + 1 < depth ? row + apart : NULL, count);
    }
}

/* Rows [i, i + rows) of a, columns [k, k + depth). Rows up to `padded` become zeros. */
static void pack_a(Pair to[TALL][PAIRS], Matrix a, int i, int rows, int padded, int k, int depth)
{
    const float *from = a.at + i * a.row + k * a.column;
    for (int r = 0; r < padded; r += LANES, from += LANES * a.row) {
        Pair strip[PAIRS][LANES];
        int count = rows - r < 0 ? 0 : least(rows - r, LANES);
        if (a.column == 1) {
            strip_along(to + r, from, a.row, count, depth);
            continue;
        }
        strip_across(strip[0], LANES, from, a.column, count, LANES, depth);
        for (int p = 0; 2 * p < depth; p += LANES)
            transpose_pairs(to[r] + p, PAIRS, strip[p], LANES);
    }
}

/* A panel: columns [j, j + columns) of b, rows [k, k + depth). */
static void pack_b(Pair to[PAIRS][PANEL], Matrix b, int j, int columns, int k, int depth)
{
    const float *from = b.at + k * b.row + j * b.column;
    if (b.column == 1) {
        strip_across(to[0], PANEL, from, b.row, columns, PANEL, depth);
        return;
    }
    for (int c = 0; c < PANEL; c += LANES, from += LANES * b.column) {
        Pair strip[LANES][PAIRS];
        strip_along(strip, from, b.column, columns - c < 0 ? 0 : least(columns - c, LANES), depth);
        for (int p = 0; 2 * p < depth; p += LANES)
            transpose_pairs(to[p] + c, PANEL, strip[0] + p, PAIRS);
    }
}

/* A tile: `rows` rows of a times `columns` columns of a panel. */
static void tile(float *c, long ldc, const Pair (*a)[PAIRS], const Pair (*b)[PANEL], int rows,
                 int columns, int pairs, bool add)
{
    vec left[TILE] = {{0}}, right[TILE] = {{0}};
    for (int p = 0; p < pairs; p++) {
        vec b0 = *(const vec *)b[p], b1 = *(const vec *)(b[p] + VEC);
        UNROLL
        for (int i = 0; i < TILE; i++) {
            left[i] = vec_dot(left[i], b0, a[i] + p);
            right[i] = vec_dot(right[i], b1, a[i] + p);
        }
    }
    float sum[TILE][PANEL];
    UNROLL
    for (int i = 0; i < TILE; i++) {
        *(vec *)sum[i] = left[i];
        *(vec *)(sum[i] + VEC) = right[i];
    }
    for (int r = 0; r < rows; r++, c += ldc)
        for (int j = 0; j < columns; j++)
            c[j] = add ? c[j] + sum[r][j] : sum[r][j];
}

/* The same by the matrix unit: four tiles of 16 x 16, in c's own place or, at its edge, a copy. */
static void amx_tile(float *c, long ldc, const Pair (*a)[PAIRS], const Pair (*b)[PANEL], int rows,
                     int columns, int pairs, bool add)
{
    float copy[2 * LANES][2 * LANES];
    bool whole = rows == 2 * LANES && columns == 2 * LANES;
    float *to = whole ? c : copy[0];
    long ld = whole ? ldc : 2 * LANES, bytes = sizeof *to * ld;
    for (int r = 0; !whole && add && r < rows; r++)
        memcpy(copy[r], c + r * ldc, sizeof *c * columns);
    if (add) {
        AMX_LOAD(0, to, bytes);
        AMX_LOAD(1, to + LANES, bytes);
        AMX_LOAD(2, to + LANES * ld, bytes);
        AMX_LOAD(3, to + LANES * ld + LANES, bytes);
    } else {
        AMX_ZERO(0);
        AMX_ZERO(1);
        AMX_ZERO(2);
        AMX_ZERO(3);
    }
    for (int p = 0; p < pairs; p += LANES) {
        AMX_LOAD(4, a[0] + p, sizeof *a);
        AMX_LOAD(6, b[p], sizeof *b);
        AMX_DOT(0, 4, 6);
        AMX_LOAD(7, b[p] + LANES, sizeof *b);
        AMX_DOT(1, 4, 7);
        AMX_LOAD(5, a[LANES] + p, sizeof *a);
        AMX_DOT(2, 5, 6);
        AMX_DOT(3, 5, 7);
    }
    AMX_STORE(0, to, bytes);
    AMX_STORE(1, to + LANES, bytes);
    AMX_STORE(2, to + LANES * ld, bytes);
    AMX_STORE(3, to + LANES * ld + LANES, bytes);
    for (int r = 0; !whole && r < rows; r++)
        memcpy(c + r * ldc, copy[r], sizeof *c * columns);
}

void cpu_product(const Stream *s, float *c, long ldc, Matrix a, Matrix b, int i0, int i1, int n,
                 int k, bool add)
{
    Block block;
    const bool amx = cpu_by_amx(s);
    int tile_rows = amx ? 2 * LANES : TILE, tall = TALL / tile_rows * tile_rows;
    if (i0 >= i1)
        return;
    if (amx)
        amx_whole_shapes();
    for (int j = 0; j < n; j += WIDE)
        for (int d = 0; d < k; d += DEPTH) {
            int columns = least(n - j, WIDE), depth = least(k - d, DEPTH), pairs = (depth + 1) / 2;
            for (int at = 0; at < columns; at += PANEL)
                pack_b(block.b[at / PANEL], b, j + at, least(columns - at, PANEL), d, depth);
            for (int i = i0; i < i1; i += tall) {
                int rows = least(i1 - i, tall);
                pack_a(block.a, a, i, rows, round_up(rows, tile_rows), d, depth);
                for (int at = 0; at < columns; at += PANEL)
                    for (int r = 0; r < rows; r += tile_rows)
                        (amx ? amx_tile : tile)(c + (i + r) * ldc + j + at, ldc,
                                                (const Pair(*)[PAIRS])block.a + r,
                                                (const Pair(*)[PANEL])block.b[at / PANEL],
                                                least(rows - r, tile_rows),
                                                least(columns - at, PANEL), pairs, add || d > 0);
            }
        }
    if (amx)
        amx_release();
}
