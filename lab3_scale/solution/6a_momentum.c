/* 6a_momentum.c: SGD with momentum. */
#include "lab3.h"

void momentum(float *w, float *v, const float *g, int n, double rate, double mu, double decay)
{
    for (int i = 0; i < n; i++) {
        double d = g[i] + decay * w[i];
        v[i] = (float)(mu * v[i] + d);
        w[i] = (float)(w[i] - rate * v[i]);
    }
}
