/* 7b_ternary.c: exercise: a bucket in three values, the largest elements clipped. */
#include "check.h"
#include "lab2.h"

/* Write g [n] as codes 0, 1, 2, which a receiver reads as -scale, 0, +scale, and return the scale.
 *
 * With the largest magnitude for a scale (7a, 2 bits), one outlier makes nearly every other element
 * a 0, now and then a huge ±scale: right on average, but noisy. TernGrad first clips: with
 * sigma = sqrt(mean of g[i]²), what is larger than clip * sigma in magnitude counts as
 * ±clip * sigma. So
 *
 *     scale = the smaller of the largest magnitude and clip * sigma
 *     code[i] = 1 ± 1, with g[i]'s sign, with probability |g[i]| / scale (1 where that is more)
 *             = 1 otherwise
 *
 * u [n] has a number uniform in [0, 1) for each element: something with probability p happens where
 * u < p. n >= 1. A bucket of zeros has scale 0 and codes 1: do not divide by it. On average a
 * receiver reads the *clipped* gradient: that bias is the price of less noise.
 *
 * Wen et al., TernGrad, arXiv 1705.07878 (clip = 2.5). */
float ternary(uint8_t *code, const float *g, const float *u, int n, float clip)
{
    TODO("sigma and the largest magnitude, the scale, then a code for each element");
}
