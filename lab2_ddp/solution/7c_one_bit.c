/* 7c_one_bit.c: a bucket in signs and two means. */
#include "lab2.h"

void one_bit(uint8_t *code, float value[2], const float *g, int n)
{
    float below = 0, above = 0;
    int positive = 0;
#pragma omp simd reduction(+ : below, above, positive)
    for (int i = 0; i < n; i++) {
        int bit = g[i] >= 0;
        code[i] = (uint8_t)bit;
        positive += bit;
        above += g[i] >= 0 ? g[i] : 0;
        below += g[i] < 0 ? g[i] : 0;
    }
    value[0] = positive < n ? below / (float)(n - positive) : 0;
    value[1] = positive > 0 ? above / (float)positive : 0;
}
