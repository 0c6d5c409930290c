/* cpu_exp.h: exp that the compiler turns into vectors; the C library's works on one number at a
 * time. Include it first. */
#ifndef CPU_EXP_H
#define CPU_EXP_H
#ifndef __clang__
/* GCC turns a choice between two results into a jump, and makes no vectors, in case the one that is
 * not taken would raise a floating-point exception; nobody looks at those here. */
#pragma GCC optimize("no-trapping-math")
#endif
#include "cpu.h"

/* exp(x) of x <= 0, not below -87, where the result is still a normal number; NaN stays NaN. As
 * in Cephes: relative error 1e-7. */
INLINE float exp_of(float x)
{
    const float round = 12582912; /* 1.5 * 2^23: adding it leaves no fraction */
    x = x < -87 ? -87 : x;
    float n = (x * 1.44269504f + round) - round, r = x - n * 0.693359375f + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    uint32_t bits = ((uint32_t)(int32_t)n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return (p * r * r + r + 1) * power;
}

/* Of n numbers: what to subtract before their exponentials. */
INLINE float largest(const float *x, int n)
{
    float most = x[0];
#ifndef __clang__ /* which makes no vectors of this, and says so */
#pragma omp simd reduction(max : most)
#endif
    for (int i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}
#endif
