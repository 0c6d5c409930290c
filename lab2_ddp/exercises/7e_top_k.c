/* 7e_top_k.c: exercise: the k largest elements. */
#include "check.h"
#include "lab2.h"

/* Of a [n] choose the k (1 … n) elements of largest *magnitude*: their indices, ascending, into
 * top->at, their values (with their signs) into top->value, and k into top->count. There is room
 * for k, no more.
 *
 * magnitude_at(a, n, k) is the k-th largest magnitude, found without sorting. All that are larger
 * are chosen. But several elements can be exactly as large as the k-th, where some are chosen and
 * others not: take those with the lowest indices, so that there are k. (A packet of another size
 * than the other ranks' would end the run.)
 *
 * Aji & Heafield, arXiv 1704.05021: with error feedback (7d) the 0.1 % largest are enough. */
void top_k(Sparse *top, const float *a, int n, int k)
{
    TODO("count those larger than the k-th; take them, and as many equal ones as are missing");
}
