/* 2_shuffle.c: exercise: a new order for every epoch. */
#include "check.h"
#include "lab1.h"

/* Put order[0 … n) into a random order: of the n! orders that its numbers can stand in, each is
 * equally likely, whatever the order was before. All chance comes from r (rng_below), and r moves
 * on with each number drawn: the same r gives the same order, the next call another one. n >= 1; no
 * memory beside the array is needed. */
void shuffle(int *order, int n, Rng *r)
{
    TODO("put the n numbers of order into a random order, all orders equally likely");
}
