/* 7a_round_stochastic.c: a bucket in codes of a few bits, right on average. */
#include "lab2.h"
#include <math.h>

float round_stochastic(uint8_t *code, const float *g, const float *u, int n, int bits)
{
    int L = (1 << (bits - 1)) - 1;
    float scale = 0;
#pragma omp simd reduction(max : scale)
    for (int i = 0; i < n; i++)
        scale = fabsf(g[i]) > scale ? fabsf(g[i]) : scale;
    float step = scale > 0 ? (float)L / scale : 0;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int k = (int)(g[i] * step + (float)L + u[i]); /* never below 0: this rounds down */
        code[i] = (uint8_t)(k < 2 * L ? k : 2 * L);
    }
    return scale;
}
