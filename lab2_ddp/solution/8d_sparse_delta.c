/* 8d_sparse_delta.c: the k largest elements of a pseudo-gradient, with 2 bits each. */
#include "lab2.h"
#include <math.h>
#include <stdlib.h>

typedef struct Element {
    float size;
    int32_t at;
} Element;

static int larger_first(const void *a, const void *b)
{
    const Element *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : x->at - y->at;
}

static int rising(const void *a, const void *b)
{
    return ((const Element *)a)->at - ((const Element *)b)->at;
}

static float two_bits_of(float x, float m)
{
    return copysignf(fabsf(x) >= 0.75f * m ? m : m / 2, x);
}

void sparse_delta(int32_t *at, float *value, float *residual, const float *delta, int n, int k,
                  double decay, bool two_bits)
{
    Element e[SPARSE_CHUNK];
    for (int i = 0; i < n; i++) {
        residual[i] = (float)(decay * residual[i] + delta[i]);
        e[i] = (Element){fabsf(residual[i]), i};
    }
    qsort(e, n, sizeof *e, larger_first);
    float m = e[0].size;
    qsort(e, k, sizeof *e, rising);
    for (int i = 0; i < k; i++) {
        at[i] = e[i].at;
        value[i] = two_bits ? two_bits_of(residual[at[i]], m) : residual[at[i]];
        residual[at[i]] -= value[i];
    }
}
