/* 2_shuffle.c: exercise: a new order for every epoch. */
#include "check.h"
#include "lab1.h"

/* Shuffle order[0 … n), n >= 1, in place: each of the n! permutations of its elements must be
 * equally likely, for any order before. All randomness comes from r: rng_below(r, k) draws
 * one of 0 … k-1 (rng.h) and advances r. So the same r gives the same order, and the next call
 * another one. No memory besides the array is needed. The check counts the 24 orders of 4 elements
 * in 24,000 shuffles. */
void shuffle(int *order, int n, Rng *r)
{
    TODO("shuffle the n elements of order, all permutations equally likely");
}
