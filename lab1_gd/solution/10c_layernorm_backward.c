/* 10c_layernorm_backward.c: the derivative of a layer norm. */
#include "lab1.h"

void layernorm_backward(float *dx, float *dgamma, float *dbeta, const float *dy, const float *x,
                        const float *gamma, float mean, float istd, int n)
{
    float mean_g = 0, mean_gx = 0;
    for (int i = 0; i < n; i++) {
        float g = gamma[i] * dy[i];
        mean_g += g / n;
        mean_gx += g * (x[i] - mean) * istd / n;
    }
    for (int i = 0; i < n; i++) {
        float xhat = (x[i] - mean) * istd;
        dx[i] = istd * (gamma[i] * dy[i] - mean_g - xhat * mean_gx);
        dgamma[i] += dy[i] * xhat;
        dbeta[i] += dy[i];
    }
}
