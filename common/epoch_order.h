/* epoch_order.h: the order in which an epoch goes through the training pictures. */
#ifndef EPOCH_ORDER_H
#define EPOCH_ORDER_H
#include <stdint.h>

/* Fill order[0 … count) with a permutation of 0 … count-1, all equally likely, another for each
 * epoch. A function of its arguments alone: every rank computes all of it without communication,
 * and it is the same after a resume. */
void epoch_order(int32_t *order, int count, uint64_t seed, int epoch);
#endif
