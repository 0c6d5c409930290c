/* 5b_grow_batch.c: raise the batch instead of lowering the rate. */
#include "lab3.h"
#include <math.h>

void grow_batch(int *batch, double *rate, int most, double factor)
{
    double wanted = round(*batch * factor);
    int grown = wanted < most ? (int)wanted : most;
    *rate = *rate / factor * grown / *batch;
    *batch = grown;
}
