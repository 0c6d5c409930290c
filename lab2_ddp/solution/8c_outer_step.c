/* 8c_outer_step.c: DiLoCo's outer step. */
#include "lab2.h"

void outer_step(float *start, float *v, const float *delta, int n, double rate, double momentum)
{
    for (int i = 0; i < n; i++) {
        v[i] = (float)(momentum * v[i] + delta[i]);
        start[i] -= (float)(rate * (delta[i] + momentum * v[i]));
    }
}
