/* epoch_order.h: the order in which an epoch visits the training images. */
#ifndef EPOCH_ORDER_H
#define EPOCH_ORDER_H
#include <stdint.h>

/* Fill order[0 … count) with a uniformly random permutation of 0 … count-1, a new one for each
 * epoch. A function of its arguments alone: every rank computes the same order without
 * communication, also after a resume. */
void epoch_order(int32_t *order, int count, uint64_t seed, int epoch);
#endif
