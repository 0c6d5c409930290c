/* cuda_fp16.h: CUDA's half precision on the CPU: 5 bits of exponent, 10 of mantissa; and what the
 * emulations of its libraries share: 16-bit elements. */
#ifndef CUDA_FP16_ON_HOST_H
#define CUDA_FP16_ON_HOST_H
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct __half {
    uint16_t bits;
} __half;

static inline float host_float(uint32_t bits)
{
    float x;
    return memcpy(&x, &bits, sizeof x), x;
}
static inline uint32_t host_bits(float x)
{
    uint32_t bits;
    return memcpy(&bits, &x, sizeof bits), bits;
}

static inline float __half2float(__half h)
{
    uint32_t sign = (uint32_t)(h.bits & 0x8000) << 16, rest = (uint32_t)(h.bits & 0x7fff) << 13;
    if (rest >= 0x7c00 << 13) /* infinite, or NaN */
        return host_float(sign | rest | 0x7f800000);
    return host_float(sign | host_bits(host_float(rest) * 0x1p112f)); /* subnormals, too */
}

/* To nearest, ties to even. */
static inline __half __float2half_rn(float x)
{
    uint32_t bits = host_bits(fabsf(x)), half;
    if (x != x)
        half = 0x7fff;
    else if (fabsf(x) >= 65520)
        half = 0x7c00;
    else if (fabsf(x) < 0x1p-14f)
        half = (uint32_t)rintf(fabsf(x) * 0x1p24f);
    else
        half = (bits - (112u << 23) + 0xfff + (bits >> 13 & 1)) >> 13;
    return __half{(uint16_t)(half | (signbit(x) && x == x ? 0x8000 : 0))};
}

/* An element of F16, else of BF16. */
static inline float host_widen(uint16_t bits, bool fp16)
{
    return fp16 ? __half2float(__half{bits}) : host_float((uint32_t)bits << 16);
}
static inline uint16_t host_narrow(float x, bool fp16)
{
    uint32_t bits = host_bits(x);
    return fp16   ? __float2half_rn(x).bits
         : x != x ? 0x7fc0
                  : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
#endif
