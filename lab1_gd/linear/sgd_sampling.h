/* sgd_sampling.h: which examples an epoch's updates see: see SgdSampling. */
#ifndef SGD_SAMPLING_H
#define SGD_SAMPLING_H
#include "sgd_floor.h"

/* Fill order[0 … n) with examples for the updates of `epoch`, `batch` per update, from 0 … n-1.
 * Returns how many are in it: n where shuffled (the student's shuffle), else the whole batches that
 * n holds. A function of its arguments. */
int sgd_order(int *order, int n, SgdSampling sampling, int batch, uint64_t seed, int epoch);
#endif
