/* cpu_product.c: a matrix product of factors that are rounded to bfloat16, in blocks that stay in
 * the caches (Goto and van de Geijn, ACM Trans. Math. Softw. 34, 2008).
 *
 * A block of b, DEPTH rows and WIDE columns, is rounded and laid down in panels of PANEL columns:
 * it stays in the L2 cache, as does a block of a, TALL rows and DEPTH columns; the panel at work
 * stays in the L1 cache. Each tile of c, TILE rows and PANEL columns, stays in registers while the
 * depth is walked through, two at a time: a processor with DOTS multiplies pairs.
 */
#include "cpu_product.h"

enum {
    PANEL = 2 * VEC,
    TILE = 14, /* its sums take 28 of 32 registers */
    TALL = 6 * TILE,
    WIDE = 512,
    DEPTH = 256,
    PAIRS = DEPTH / 2
};
/* Two bfloat16 that follow each other along k, the second in the upper half. */
typedef uint32_t Pair;
typedef struct Block {
    Pair b[WIDE / PANEL][PAIRS][PANEL];
    Pair a[TALL * PAIRS]; /* [TALL][PAIRS] if a's rows are contiguous, else [PAIRS][TALL] */
} Block;

static int least(int a, int b) { return a < b ? a : b; }

INLINE Pair pair_of(float first, float second)
{
    return bf16_of(first) | (Pair)bf16_of(second) << 16;
}

/* n numbers that follow each other, as pairs; an odd last one with a zero. */
static void pairs_along(Pair *to, const float *from, int n)
{
    int i = 0;
    for (; i + VEC <= n; i += VEC)
        vec_store(to, i, *(const vec *)(from + i), BF16);
    for (; i < n; i += 2)
        to[i / 2] = pair_of(from[i], i + 1 < n ? from[i + 1] : 0);
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

/* Rows [i, i + rows) of a, columns [k, k + depth). Rows up to the next tile become zeros. */
static void pack_a(Pair *to, Matrix a, int i, int rows, int k, int depth)
{
    const float *from = a.at + i * a.row + k * a.column;
    int padded = (rows + TILE - 1) / TILE * TILE;
    if (a.column == 1) {
        for (int r = 0; r < rows; r++)
            pairs_along(to + r * PAIRS, from + r * a.row, depth);
        memset(to + rows * PAIRS, 0, sizeof *to * (size_t)(padded - rows) * PAIRS);
        return;
    }
    for (int p = 0; p < depth; p += 2, to += TALL) {
        const float *row = from + p * a.column;
        pairs_across(to, row, p + 1 < depth ? row + a.column : NULL, rows);
        memset(to + rows, 0, sizeof *to * (size_t)(padded - rows));
    }
}

/* A panel: columns [j, j + columns) of b, rows [k, k + depth). Columns up to PANEL become zeros. */
static void pack_b(Pair to[PAIRS][PANEL], Matrix b, int j, int columns, int k, int depth)
{
    const float *from = b.at + k * b.row + j * b.column;
    if (columns < PANEL)
        memset(to, 0, sizeof *to * PAIRS);
    if (b.column == 1) {
        for (int p = 0; p < depth; p += 2) {
            const float *row = from + p * b.row;
            pairs_across(to[p / 2], row, p + 1 < depth ? row + b.row : NULL, columns);
        }
        return;
    }
    for (int c = 0; c < columns; c++) {
        Pair column[PAIRS];
        pairs_along(column, from + c * b.column, depth);
        for (int p = 0; p < (depth + 1) / 2; p++)
            to[p][c] = column[p];
    }
}

/* sum [TILE][PANEL] = a's tile, whose rows are across pairs apart, times a panel. */
INLINE void tile_sums(float sum[TILE][PANEL], const Pair *a, const Pair (*b)[PANEL], int pairs,
                      const int across, const int along)
{
    vec left[TILE] = {{0}}, right[TILE] = {{0}};
    for (int p = 0; p < pairs; p++, a += along) {
        vec b0 = *(const vec *)b[p], b1 = *(const vec *)(b[p] + VEC);
        UNROLL
        for (int i = 0; i < TILE; i++) {
            left[i] = vec_dot(left[i], b0, a + i * across);
            right[i] = vec_dot(right[i], b1, a + i * across);
        }
    }
    UNROLL
    for (int i = 0; i < TILE; i++) {
        *(vec *)sum[i] = left[i];
        *(vec *)(sum[i] + VEC) = right[i];
    }
}

static void tile(float *c, long ldc, const Block *block, int i, int panel, int rows, int columns,
                 int pairs, bool a_along, bool add)
{
    float sum[TILE][PANEL];
    const Pair(*b)[PANEL] = block->b[panel];
    if (a_along)
        tile_sums(sum, block->a + i * PAIRS, b, pairs, PAIRS, 1);
    else
        tile_sums(sum, block->a + i, b, pairs, 1, TALL);
    for (int r = 0; r < rows; r++, c += ldc)
        for (int j = 0; j < columns; j++)
            c[j] = add ? c[j] + sum[r][j] : sum[r][j];
}

/* A block of a times one of b, into c. */
static void block_product(float *c, long ldc, const Block *block, int rows, int columns, int pairs,
                          bool a_along, bool add)
{
    for (int j = 0; j < columns; j += PANEL)
        for (int i = 0; i < rows; i += TILE)
            tile(c + i * ldc + j, ldc, block, i, j / PANEL, least(rows - i, TILE),
                 least(columns - j, PANEL), pairs, a_along, add);
}

void cpu_product(float *c, long ldc, Matrix a, Matrix b, int i0, int i1, int n, int k, bool add)
{
    Block block;
    if (i0 >= i1)
        return;
    for (int j = 0; j < n; j += WIDE)
        for (int d = 0; d < k; d += DEPTH) {
            int columns = least(n - j, WIDE), depth = least(k - d, DEPTH);
            for (int at = 0; at < columns; at += PANEL)
                pack_b(block.b[at / PANEL], b, j + at, least(columns - at, PANEL), d, depth);
            for (int i = i0; i < i1; i += TALL) {
                int rows = least(i1 - i, TALL);
                pack_a(block.a, a, i, rows, d, depth);
                block_product(c + i * ldc + j, ldc, &block, rows, columns, (depth + 1) / 2,
                              a.column == 1, add || d > 0);
            }
        }
}
