/* 2_shuffle.c: Fisher–Yates: the last position gets any of those left, then the one before it. */
#include "lab1.h"

void shuffle(int *order, int n, Rng *r)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)rng_below(r, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}
