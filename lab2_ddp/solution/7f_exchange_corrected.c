/* 7f_exchange_corrected.c: momentum before the choice, not after it. */
#include "lab2.h"

void exchange_corrected(Remedy *r, float *g, float *u, float *v, float momentum)
{
    for (int i = 0; i < r->n; i++) {
        u[i] = momentum * u[i] + g[i];
        v[i] += u[i];
    }
    r->compress(r, v);
    for (int k = 0; k < r->kept; k++)
        u[r->at[k]] = v[r->at[k]] = 0;
    r->exchange(r, g);
}
