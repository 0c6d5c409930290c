/* 7e_top_k.c: the k largest elements. */
#include "lab2.h"
#include <math.h>

void top_k(Sparse *top, const float *a, int n, int k)
{
    float least = magnitude_at(a, n, k);
    int larger = 0, count = 0;
#pragma omp simd reduction(+ : larger)
    for (int i = 0; i < n; i++)
        larger += fabsf(a[i]) > least;
    int equal = k - larger; /* how many as large as the k-th to take */
    for (int i = 0; i < n; i++)
        if (fabsf(a[i]) > least || (fabsf(a[i]) == least && equal-- > 0)) {
            top->at[count] = i;
            top->value[count++] = a[i];
        }
    top->count = count;
}
