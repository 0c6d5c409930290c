/* cpu_element.h: elements of activations, float32 or bfloat16, and vectors of them.
 *
 * A bfloat16 is the upper half of a float32: any processor can store it, and computing is in
 * float32. `type` is a constant where it matters (FOR_TYPE), so that one source becomes a loop for
 * each type.
 */
#ifndef CPU_ELEMENT_H
#define CPU_ELEMENT_H
#include "tensor.h"
#include <string.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#include <arm_neon.h>
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE float load(const void *from, long i, const DType type)
{
    return type == F32 ? ((const float *)from)[i] : bf16_value(((const uint16_t *)from)[i]);
}

INLINE void store(void *to, long i, float v, const DType type)
{
    if (type == F32)
        ((float *)to)[i] = v;
    else
        ((uint16_t *)to)[i] = bf16_of(v);
}

/* The address of the at-th element. */
INLINE void *element(const void *p, long at, DType type)
{
    return (char *)p + at * (long)dtype_size(type);
}

/* `call` with type_ as a constant. */
#define FOR_TYPE(type, call) \
    if ((type) == F32) { \
        const DType type_ = F32; \
        call; \
    } else { \
        const DType type_ = BF16; \
        call; \
    }

/* Of two tensors, whose types are other_ and type_: seldom two different ones (around a dense layer
 * is float32), so that is one slow loop for all. */
#define FOR_TYPES(other, type, call) \
    if ((other) == (type)) \
        FOR_TYPE(type, const DType other_ = type_; call) \
    else { \
        const DType other_ = (other), type_ = (type); \
        call; \
    }

/* The machine's vector width in floats, and how many pixels' sums fit its registers. */
#if defined(__AVX512F__)
enum { VEC = 16, MAX_TILE = 16 };
#elif defined(__AVX__)
enum { VEC = 8, MAX_TILE = 14 };
#else
enum { VEC = 4, MAX_TILE = 16 };
#endif
typedef float vec __attribute__((vector_size(VEC * sizeof(float)), aligned(4), may_alias));
typedef uint32_t vec_bits __attribute__((vector_size(VEC * sizeof(float))));
typedef uint32_t vec_pairs
    __attribute__((vector_size(VEC * sizeof(uint32_t)), aligned(4), may_alias));
typedef uint16_t vec_bf16 __attribute__((vector_size(VEC * 2), aligned(2), may_alias));

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

/* bf16_of, in the lower halves. */
INLINE vec_bits vec_rounded(vec v)
{
    vec_bits bits = (vec_bits)v, number = (vec_bits)(v == v),
             nearest = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;
    return ((nearest & number) | (quiet & ~number)) >> 16;
}

/* VEC elements from the at-th on, in the lower halves. Of the conversion GCC makes six
 * instructions. */
INLINE vec_bits vec_widened(const uint16_t *from, long at)
{
#ifdef __AVX512F__
    return (vec_bits)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i_u *)(from + at)));
#else
    return __builtin_convertvector(*(const vec_bf16 *)(from + at), vec_bits);
#endif
}

/* load and store of VEC elements from the at-th on. */
INLINE vec vec_load(const void *from, long at, const DType type)
{
    if (type == F32)
        return *(const vec *)((const float *)from + at);
    return (vec)(vec_widened(from, at) << 16);
}

INLINE void vec_store(void *to, long at, vec v, const DType type)
{
    if (type == F32) {
        *(vec *)((float *)to + at) = v;
        return;
    }
#ifdef __AVX512BF16__
    __m256bh half = _mm512_cvtneps_pbh((__m512)v);
    memcpy((uint16_t *)to + at, &half, sizeof half);
#else
    *(vec_bf16 *)((uint16_t *)to + at) = __builtin_convertvector(vec_rounded(v), vec_bf16);
#endif
}

/* VEC pairs from the at-th on: {first[i], second[i]} */
INLINE void vec_store_pairs(void *to, long at, vec first, vec second)
{
#ifdef __AVX512BF16__
    static const uint16_t order[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                       21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                       11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    __m512i both = (__m512i)_mm512_cvtne2ps_pbh((__m512)second, (__m512)first);
    both = _mm512_permutexvar_epi16(_mm512_loadu_si512(order), both);
#else
    vec_bits both = vec_rounded(first) | vec_rounded(second) << 16;
#endif
    memcpy((uint32_t *)to + at, &both, sizeof both);
}

/* DOTS: the processor multiplies pairs of bfloat16 and adds both products to a float32, which is
 * twice the multiply-adds. Elsewhere bfloat16 becomes float32 first.
 * sum[i] += pair[0] by[i][0] + pair[1] by[i][1] */
INLINE vec vec_dot(vec sum, vec by, const void *pair)
{
    int both;
    memcpy(&both, pair, sizeof both);
#if defined(__AVX512BF16__)
    return (vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)by, (__m512bh)_mm512_set1_epi32(both));
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
    return (vec)vbfdotq_f32((float32x4_t)sum, vreinterpretq_bf16_f32((float32x4_t)by),
                            vreinterpretq_bf16_s32(vdupq_n_s32(both)));
#else
    return sum; /* never called */
#endif
}
#if defined(__AVX512BF16__) || defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
enum { DOTS = true };
#else
enum { DOTS = false };
#endif

/* n elements from the at-th on as floats: in place, or converted into copy[n]. What is computed of
 * them then becomes vectors with any instruction set. */
INLINE const float *load_all(const void *from, long at, float *copy, int n, const DType type)
{
    if (type == F32)
        return (const float *)from + at;
    int i = 0;
    for (; i + VEC <= n; i += VEC)
        *(vec *)(copy + i) = vec_load(from, at + i, type);
    for (; i < n; i++)
        copy[i] = load(from, at + i, type);
    return copy;
}
/* The reverse: compute n elements in the place that room_for gives, then call store_all. */
INLINE float *room_for(void *to, long at, float *copy, const DType type)
{
    return type == F32 ? (float *)to + at : copy;
}
INLINE void store_all(void *to, long at, const float *copy, int n, const DType type)
{
    if (type == F32)
        return; /* they are there */
    int i = 0;
    for (; i + VEC <= n; i += VEC)
        vec_store(to, at + i, *(const vec *)(copy + i), type);
    for (; i < n; i++)
        store(to, at + i, copy[i], type);
}
/* The largest float that store_all stores as 0 if it is the i-th of n: AVX-512 stores subnormal
 * numbers as zeros. */
INLINE float stored_zero(int i, int n, const DType type)
{
    if (type == F32)
        return 0;
#ifdef __AVX512BF16__
    if (i < n / VEC * VEC)
        return 0x0.fffffep-126f;
#endif
    return 0x1p-134f;
}
#endif
