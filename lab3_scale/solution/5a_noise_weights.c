/* 5a_noise_weights.c: a weight for each image, so that a large batch is as noisy as a small one. */
#include "lab3.h"
#include <math.h>

void noise_weights(float *z, int n, int small, Rng *r)
{
    double sigma = sqrt((double)n / small - 1);
    for (int i = 0; i < n; i++)
        z[i] = (float)(1 + sigma * rng_normal(r));
}
