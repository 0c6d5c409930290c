/* cpu_product.c: a matrix product in blocks that stay in the caches (Goto and van de Geijn, ACM
 * Trans. Math. Softw. 34, 2008). Its factors stay float32 or are rounded to bfloat16.
 *
 * A block of b, UNITS deep and WIDE columns wide, is laid down in panels of PANEL columns: it stays
 * in the L2 cache, as does a block of a, TALL rows and UNITS deep; the panel at work stays in the
 * L1 cache. A tile of c, up to TILE rows of two vectors, stays in registers while the loop runs
 * down the depth; each step takes one float32 or, where the processor has DOTS, two bfloat16. With
 * a matrix unit (cpu_amx.h) a tile is 32 x 32 and a step takes 32 numbers.
 */
#include "cpu_product.h"

/* A float32, or two bfloat16 that follow each other in a sum. */
typedef Pair Unit;
typedef float Number __attribute__((may_alias));

enum { LANES = AMX_LANES, PANEL = 2 * LANES, TALL = 12 * LANES, WIDE = 512, UNITS = 128 };
/* A tile needs two registers per row, and three more. */
#if defined(__AVX512F__)
enum { TILE = 14 };
#elif defined(__aarch64__)
enum { TILE = 12 };
#else
enum { TILE = 6 };
#endif

/* Zero up to multiples of LANES: rows, columns and depth; a's rows up to whole tiles. */
typedef struct Block {
    Unit b[WIDE / PANEL][UNITS][PANEL];
    union {
        Unit along[TALL][UNITS], across[UNITS][TALL];
    } a;
} Block;

/* Keeps GCC from turning a short loop of vector stores into a call of memcpy. */
#define NO_CALL __asm__("" ::: "memory")

static int least(int a, int b) { return a < b ? a : b; }
INLINE int units_of(int numbers, const bool rounded)
{
    return rounded ? (numbers + 1) / 2 : numbers;
}
static Matrix part(Matrix m, long i, long j) /* from element (i, j) on */
{
    return (Matrix){m.at + i * m.row + j * m.column, m.row, m.column};
}

INLINE Unit unit_of(float first, float second, const bool rounded)
{
    Unit unit = bf16_of(first) | (Unit)bf16_of(second) << 16;
    if (!rounded)
        memcpy(&unit, &first, sizeof unit);
    return unit;
}

/* n numbers that follow each other; zeros up to a multiple of LANES units. */
INLINE void units_along(Unit *to, const float *from, int n, const bool rounded)
{
    const int step = rounded ? 2 : 1;
    int i = 0;
    for (; i + VEC <= n; i += VEC) {
        vec_store(to, i, *(const vec *)(from + i), rounded ? BF16 : F32);
        NO_CALL;
    }
    for (; i < round_up(n, LANES * step); i += step)
        to[i / step] = unit_of(i < n ? from[i] : 0, i + 1 < n ? from[i + 1] : 0, rounded);
}

/* n columns of a row or, as pairs, of two; second NULL: zeros. */
INLINE void units_across(Unit *to, const float *first, const float *second, int n,
                         const bool rounded)
{
    int i = 0;
    for (; i + VEC <= n; i += VEC)
        if (rounded)
            vec_store_pairs(to, i, *(const vec *)(first + i),
                            second ? *(const vec *)(second + i) : (vec){0});
        else {
            vec_store(to, i, *(const vec *)(first + i), F32);
            NO_CALL;
        }
    for (; i < n; i++)
        to[i] = unit_of(first[i], second ? second[i] : 0, rounded);
}

/* LANES vectors of `depth` numbers, of which the first `count` exist; each is contiguous, `apart`
 * floats from the one before. */
INLINE void strip_along(Unit to[LANES][UNITS], const float *from, long apart, int count, int depth,
                        const bool rounded)
{
    for (int i = 0; i < LANES; i++)
        if (i < count)
            units_along(to[i], from + i * apart, depth, rounded);
        else
            memset(to[i], 0, sizeof to[i]);
}

/* Columns [0, n) of `depth` rows, `apart` floats from each other, in panels [UNITS][wide]; zeros
 * up to `padded` columns and a multiple of LANES units. */
INLINE void pack_across(Unit *to, int wide, const float *from, long apart, int n, int padded,
                        int depth, const bool rounded)
{
    int step = rounded ? 2 : 1, end = step * round_up(units_of(depth, rounded), LANES);
    for (int k = 0; k < end; k += step, to += wide) {
        const float *row = from + k * apart;
        for (int at = 0; at < n; at += wide) {
            Unit *panel = to + (long)at * UNITS;
            int count = least(n - at, wide), filled = least(padded - at, wide);
            if (count < filled || k >= depth)
                memset(panel, 0, sizeof *to * filled);
            if (k < depth)
                units_across(panel, row + at, k + 1 < depth ? row + at + apart : NULL, count,
                             rounded);
        }
    }
}

/* Rows [0, rows) of a; rows up to `padded` become zeros. */
INLINE void pack_rows(Unit to[TALL][UNITS], Matrix a, int rows, int padded, int depth,
                      const bool rounded)
{
    const float *from = a.at;
    int units = units_of(depth, rounded);
    for (int r = 0; r < padded; r += LANES, from += LANES * a.row) {
        Unit strip[UNITS][LANES];
        int count = rows - r < 0 ? 0 : least(rows - r, LANES);
        if (a.column == 1 || count == 0) {
            strip_along(to + r, from, a.row, count, depth, rounded);
            continue;
        }
        pack_across(strip[0], LANES, from, a.column, count, LANES, depth, rounded);
        for (int p = 0; p < units; p += LANES)
            transpose_pairs(to[r] + p, UNITS, strip[p], LANES);
    }
}

/* Columns [0, columns) of b. */
INLINE void pack_columns(Unit to[][UNITS][PANEL], Matrix b, int columns, int depth,
                         const bool rounded)
{
    int units = units_of(depth, rounded);
    if (b.column == 1) {
        pack_across(to[0][0], PANEL, b.at, b.row, columns, round_up(columns, LANES), depth,
                    rounded);
        return;
    }
    for (int at = 0; at < round_up(columns, PANEL); at += LANES) {
        Unit strip[LANES][UNITS];
        int count = columns - at < 0 ? 0 : least(columns - at, LANES);
        strip_along(strip, b.at + at * b.column, b.column, count, depth, rounded);
        for (int p = 0; p < units; p += LANES)
            transpose_pairs(to[at / PANEL][p] + at % PANEL, PANEL, strip[0] + p, UNITS);
    }
}

/* sum[i] += a b[i] */
INLINE vec plus_product(vec sum, vec b, const Unit *a, const bool rounded)
{
    if (rounded)
        return vec_dot(sum, b, a);
    return sum + b * *(const Number *)a;
}

/* c (+)= a b for one tile: `rows` rows, at most `height`, of `vectors` vectors. */
INLINE void tile(float *c, long ldc, const Unit *a, const Unit (*b)[PANEL], int rows, int units,
                 bool add, const int height, const int vectors, const bool across,
                 const bool rounded)
{
    vec sum[TILE][2] = {{{0}}};
    const int next_row = across ? 1 : UNITS, next_unit = across ? TALL : 1;
    UNROLL
    for (int i = 0; i < height; i++)
        for (int v = 0; v < vectors; v++)
            __builtin_prefetch(c + i * ldc + v * VEC, 1);
    for (int p = 0; p < units; p++) {
        const vec *row = (const vec *)b[p];
        vec b0 = row[0], b1 = vectors > 1 ? row[1] : b0;
        UNROLL
        for (int i = 0; i < height; i++) {
            const Unit *at = a + i * next_row + p * next_unit;
            sum[i][0] = plus_product(sum[i][0], b0, at, rounded);
            if (vectors > 1)
                sum[i][1] = plus_product(sum[i][1], b1, at, rounded);
        }
    }
    UNROLL
    for (int i = 0; i < height; i++)
        if (i < rows)
            for (int v = 0; v < vectors; v++) {
                vec *to = (vec *)(c + i * ldc) + v;
                *to = sum[i][v] + (add ? *to : (vec){0});
            }
}

/* All columns of a panel, by tiles with constant numbers of rows (`rows` rounded up to 4, 8, 12 or
 * TILE) and vectors. */
INLINE void panel(float *c, long ldc, const Unit *a, const Unit (*b)[PANEL], int rows, int columns,
                  int units, bool add, const bool across, const bool rounded)
{
#define TILES(height) \
    case ((height) + 3) / 4: \
        if (columns > VEC) \
            tile(to, ld, a, b, rows, units, adds, height, 2, across, rounded); \
        else \
            tile(to, ld, a, b, rows, units, adds, height, 1, across, rounded); \
        break;
    for (; columns > 0; columns -= 2 * VEC, c += 2 * VEC, b = (const void *)(b[0] + 2 * VEC)) {
        float copy[TILE][2 * VEC];
        bool whole = columns >= 2 * VEC || columns == VEC, adds = add && whole;
        float *to = whole ? c : copy[0];
        long ld = whole ? ldc : 2 * VEC;
        switch ((rows + 3) / 4) {
            TILES(4)
#if defined(__AVX512F__) || defined(__aarch64__)
            TILES(8)
            TILES(12)
#endif
#ifndef __aarch64__
            TILES(TILE)
#endif
        }
        for (int i = 0; !whole && i < rows; i++)
            for (int j = 0; j < columns; j++)
                c[i * ldc + j] = copy[i][j] + (add ? c[i * ldc + j] : 0);
    }
}

/* The same by the matrix unit: four tiles of 16 x 16, in c's own place or, at its edge, a copy. */
static void amx_tile(float *c, long ldc, const Unit (*a)[UNITS], const Unit (*b)[PANEL], int rows,
                     int columns, int units, bool add)
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
    for (int p = 0; p < units; p += LANES) {
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

/* c (+)= the product of the block's a and b. */
INLINE void multiply(const Block *block, float *c, long ldc, int rows, int columns, int units,
                     bool add, bool across, const bool rounded, bool amx)
{
    const int tall = amx ? 2 * LANES : TILE;
    for (int at = 0; at < columns; at += PANEL)
        for (int r = 0; r < rows; r += tall) {
            const Unit(*b)[PANEL] = (const Unit(*)[PANEL])block->b[at / PANEL];
            float *to = c + r * ldc + at;
            int high = least(rows - r, tall), wide = least(columns - at, PANEL);
            if (amx)
                amx_tile(to, ldc, block->a.along + r, b, high, wide, units, add);
            else if (across)
                panel(to, ldc, block->a.across[0] + r, b, high, wide, units, add, true, rounded);
            else
                panel(to, ldc, block->a.along[r], b, high, wide, units, add, false, rounded);
        }
}

INLINE void product(float *c, long ldc, Matrix a, Matrix b, int i0, int i1, int n, int k, bool add,
                    const bool rounded, bool amx)
{
    Block block __attribute__((aligned(64)));
    const int deep = rounded ? 2 * UNITS : UNITS;
    const bool across = !amx && a.column != 1;
    const int tile_rows = amx ? 2 * LANES : TILE, tall = TALL / tile_rows * tile_rows;
    for (int j = 0; j < n; j += WIDE)
        for (int d = 0; d < k; d += deep) {
            int columns = least(n - j, WIDE), depth = least(k - d, deep),
                units = units_of(depth, rounded);
            pack_columns(block.b, part(b, d, j), columns, depth, rounded);
            for (int i = i0; i < i1; i += tall) {
                int rows = least(i1 - i, tall), padded = round_up(rows, tile_rows);
                Matrix from = part(a, i, d);
                if (across)
                    pack_across(block.a.across[0], TALL, from.at, from.column, rows, padded, depth,
                                rounded);
                else
                    pack_rows(block.a.along, from, rows, padded, depth, rounded);
                multiply(&block, c + i * ldc + j, ldc, rows, columns, units, add || d > 0, across,
                         rounded, amx);
            }
        }
}

void cpu_product(const Stream *s, float *c, long ldc, Matrix a, Matrix b, int i0, int i1, int n,
                 int k, bool add, bool rounded)
{
    const bool amx = rounded && cpu_by_amx(s);
    ASSERT(k > 0 || add);
    if (i0 >= i1)
        return;
    if (!rounded) {
        product(c, ldc, a, b, i0, i1, n, k, add, false, false);
        return;
    }
    if (amx)
        amx_whole_shapes();
    product(c, ldc, a, b, i0, i1, n, k, add, true, amx);
    if (amx)
        amx_release();
}
