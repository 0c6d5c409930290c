/* 7b_ternary.c: a bucket in three values, the largest elements clipped. */
#include "lab2.h"
#include <math.h>

float ternary(uint8_t *code, const float *g, const float *u, int n, float clip)
{
    float squares = 0, most = 0;
#pragma omp simd reduction(+ : squares) reduction(max : most)
    for (int i = 0; i < n; i++) {
        squares += g[i] * g[i];
        most = fabsf(g[i]) > most ? fabsf(g[i]) : most;
    }
    float scale = fminf(most, clip * sqrtf(squares / (float)n));
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int some = u[i] * scale < fabsf(g[i]);
        code[i] = (uint8_t)(g[i] < 0 ? 1 - some : 1 + some);
    }
    return scale;
}
