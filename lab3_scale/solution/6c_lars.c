/* 6c_lars.c: LARS. */
#include "lab3.h"
#include <math.h>

void lars(float *w, float *v, const float *g, int n, double rate, double mu, double decay,
          double trust)
{
    double length = vector_norm(w, n), slope = vector_norm(g, n), local = 1;
    if (length > 0 && slope > 0)
        local = trust * length / (slope + decay * length);
    for (int i = 0; i < n; i++) {
        v[i] = (float)(mu * v[i] + rate * local * (g[i] + decay * w[i]));
        w[i] -= v[i];
    }
}
