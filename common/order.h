/* order.h: the order in which an epoch goes through the training pictures. */
#ifndef ORDER_H
#define ORDER_H
#include <stdint.h>

/* order [count]: a permutation of 0 … count-1, all of them equally likely, drawn anew for each epoch. A function of its arguments alone: every rank can
 * work out the whole of it and no rank needs to be told; and it is the same after a resume. */
void epoch_order(int32_t *order, int count, uint64_t seed, int epoch);
#endif
