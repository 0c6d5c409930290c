/* cpu_amx.h: Intel's matrix unit (AMX, "Advanced Matrix Extensions"): eight tile registers of 16
 * rows of 64 bytes, and one instruction that multiplies two of them:
 *
 *     c[i][j] += sum over pairs l of  a[i][2l] b[l][2j] + a[i][2l+1] b[l][2j+1]     c in float32
 *
 * a and b are bfloat16; b's rows hold pairs of rows of the matrix. 16 x 16 x 32 multiply-adds take
 * 16 cycles, 16 times as many per cycle as float32 vectors do. Shapes of the registers are set
 * first (amx_shapes); the registers are named by literal numbers, 0 to 7.
 *
 * AMX: it is compiled in. CpuBackend.amx: it may be used; Linux grants the unit only on request,
 * because its registers add 8 KB to each thread's saved state. -DAMX_EMULATED does the same in C,
 * for tests on any processor and for the address sanitizer, which cannot see what tiles load.
 */
#ifndef CPU_AMX_H
#define CPU_AMX_H
#include "cpu_element.h"

enum { AMX_ROWS = 16, AMX_BYTES = 64, AMX_LANES = 16 /* floats, or pairs of bfloat16 */ };
/* Two bfloat16 that follow each other in a sum, the second in the upper half. */
typedef uint32_t Pair;

/* As the processor reads it: register t has rows[t] rows of bytes[t] bytes. */
typedef struct AmxShapes {
    uint8_t palette, first_row, unused[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} AmxShapes;

#ifdef __AMXBF16__ /* as older versions of Clang call it */
#define __AMX_BF16__
#endif
#if defined(__AMX_BF16__) || defined(AMX_EMULATED)
enum { AMX = true };
#else
enum { AMX = false };
#endif

#if defined(__AMX_BF16__) && !defined(AMX_EMULATED)
/* Not the compiler's intrinsics: some versions of GCC move stores behind their loads. */
INLINE void amx_shapes(const AmxShapes *shapes) { __asm__ volatile("ldtilecfg %0" ::"m"(*shapes)); }
INLINE void amx_release(void) { __asm__ volatile("tilerelease"); }
#define AMX_ZERO(t) __asm__ volatile("tilezero %%tmm" #t ::)
#define AMX_LOAD(t, from, apart) \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t ::"r"(from), "r"((long)(apart)) : "memory")
#define AMX_STORE(t, to, apart) \
    __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)" ::"r"(to), "r"((long)(apart)) : "memory")
#define AMX_DOT(c, a, b) __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #c ::)
#else
typedef struct AmxTile {
    unsigned char row[AMX_ROWS][AMX_BYTES];
} AmxTile;
static _Thread_local struct {
    AmxShapes shapes;
    AmxTile tile[8];
} amx_state __attribute__((unused));

INLINE void amx_shapes(const AmxShapes *shapes)
{
    memset(&amx_state, 0, sizeof amx_state);
    amx_state.shapes = *shapes;
}
INLINE void amx_release(void) { memset(&amx_state, 0xff, sizeof amx_state); }
INLINE void amx_zero(int t) { memset(&amx_state.tile[t], 0, sizeof(AmxTile)); }
INLINE void amx_load(int t, const void *from, long apart)
{
    memset(&amx_state.tile[t], 0, sizeof(AmxTile));
    for (int i = 0; i < amx_state.shapes.rows[t]; i++)
        memcpy(amx_state.tile[t].row[i], (const char *)from + i * apart, amx_state.shapes.bytes[t]);
}
INLINE void amx_store(int t, void *to, long apart)
{
    for (int i = 0; i < amx_state.shapes.rows[t]; i++)
        memcpy((char *)to + i * apart, amx_state.tile[t].row[i], amx_state.shapes.bytes[t]);
}
INLINE void amx_dot(int c, int a, int b)
{
    const AmxTile *A = &amx_state.tile[a], *B = &amx_state.tile[b];
    for (int i = 0; i < amx_state.shapes.rows[c]; i++)
        for (int l = 0; l < amx_state.shapes.bytes[a] / 4; l++)
            for (int j = 0; j < amx_state.shapes.bytes[c] / 4; j++) {
                float sum;
                memcpy(&sum, amx_state.tile[c].row[i] + 4 * j, sizeof sum);
                sum += load(A->row[i], 2 * l, BF16) * load(B->row[l], 2 * j, BF16);
                sum += load(A->row[i], 2 * l + 1, BF16) * load(B->row[l], 2 * j + 1, BF16);
                memcpy(amx_state.tile[c].row[i] + 4 * j, &sum, sizeof sum);
            }
}
#define AMX_ZERO(t) amx_zero(t)
#define AMX_LOAD(t, from, apart) amx_load(t, from, apart)
#define AMX_STORE(t, to, apart) amx_store(t, to, apart)
#define AMX_DOT(c, a, b) amx_dot(c, a, b)
#endif

/* All registers as large as they can be, and zero, as after every amx_shapes. */
static inline void amx_whole_shapes(void)
{
    AmxShapes shapes = {.palette = 1};
    for (int t = 0; t < 8; t++)
        shapes.rows[t] = AMX_ROWS, shapes.bytes[t] = AMX_BYTES;
    amx_shapes(&shapes);
}

/* to[j][i] = from[i][j], 16 x 16 pairs, rows `to_apart` and `apart` pairs apart. */
INLINE void transpose_pairs(Pair *to, long to_apart, const Pair *from, long apart)
{
#ifdef __AVX512F__
    __m512i v[AMX_LANES];
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (int i = 0; i < AMX_LANES; i++)
        v[i] = _mm512_loadu_si512(from + i * apart);
    /* Swap the off-diagonal blocks of 1, 2, 4 and 8. */
    UNROLL
    for (int block = 1; block < AMX_LANES; block *= 2) {
        __mmask16 upper = _mm512_test_epi32_mask(lane, _mm512_set1_epi32(block));
        __m512i size = _mm512_set1_epi32(block), other = _mm512_set1_epi32(AMX_LANES);
        __m512i left = _mm512_mask_add_epi32(lane, upper, _mm512_sub_epi32(lane, size), other);
        __m512i right = _mm512_mask_add_epi32(_mm512_add_epi32(lane, size), upper, lane, other);
        UNROLL
        for (int i = 0; i < AMX_LANES; i++)
            if (!(i & block)) {
                __m512i a = v[i], b = v[i + block];
                v[i] = _mm512_permutex2var_epi32(a, left, b);
                v[i + block] = _mm512_permutex2var_epi32(a, right, b);
            }
    }
    for (int i = 0; i < AMX_LANES; i++)
        _mm512_storeu_si512(to + i * to_apart, v[i]);
#else
    for (int j = 0; j < AMX_LANES; j++)
        for (int i = 0; i < AMX_LANES; i++)
            to[j * to_apart + i] = from[i * apart + j];
#endif
}
#endif
