/* 10b_softmax_backward.c: the derivative of a softmax. */
#include "lab1.h"

void softmax_backward(float *ds, const float *p, const float *dp, int n)
{
    float mean = 0;
    for (int k = 0; k < n; k++)
        mean += p[k] * dp[k];
    for (int j = 0; j < n; j++)
        ds[j] = p[j] * (dp[j] - mean);
}
