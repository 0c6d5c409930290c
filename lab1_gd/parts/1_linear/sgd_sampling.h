/* sgd_sampling.h: which examples the updates of an epoch see. */
#ifndef SGD_SAMPLING_H
#define SGD_SAMPLING_H
#include "sgd_floor.h"

/* Fill order[0 … n) with examples 0 … n-1 for the updates of `epoch`, `batch` per update. Returns
 * how many it holds: n if shuffled (with the student's shuffle), else as many whole batches as fit.
 * A function of its arguments. */
int sgd_order(int *order, int n, SgdSampling sampling, int batch, uint64_t seed, int epoch);
#endif
