/* 2b_kendall_tau.c: exercise: do two measurements put the same things in the same order? */
#include "check.h"
#include "lab3.h"

/* x [n] and y [n] are two measurements of n things: here the sharpness of n trained networks and
 * their test errors. Of each of the n (n - 1) / 2 pairs i < j ask whether x and y agree on which
 * is larger:
 *
 *     concordant   x_i < x_j and y_i < y_j, or both >
 *     discordant   one < and the other >
 *     tied         x_i = x_j or y_i = y_j: neither
 *
 * and return (concordant - discordant) / pairs: 1 where they always agree, -1 where never, about 0
 * where one says nothing about the other. It looks at the order alone, so it does not matter that
 * sharpness runs over decades. NAN with n < 2: no pair. Kendall, "A new measure of rank
 * correlation", 1938 (his tau a); used so by Jiang et al. (arXiv 1912.02178). */
double kendall_tau(const double *x, const double *y, int n)
{
    TODO("count the pairs on which x and y agree, less those on which they do not; divide by all "
         "pairs");
}
