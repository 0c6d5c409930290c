/* 9b_apply_stale.c: an update with an old gradient. */
#include "lab2.h"

void apply_stale(float *w, float *v, const float *g, int n, double rate, double momentum,
                 int staleness, bool aware)
{
    double c = aware ? 1.0 / (1 + staleness) : 1;
    for (int i = 0; i < n; i++) {
        v[i] = (float)(momentum * v[i] + c * g[i]);
        w[i] -= (float)(rate * v[i]);
    }
}
