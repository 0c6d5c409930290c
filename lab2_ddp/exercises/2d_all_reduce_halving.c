/* 2d_all_reduce_halving.c: exercise: the all-reduce by halving and doubling (Rabenseifner's): few
 * steps and few bytes.
 */
#include "check.h"
#include "lab2.h"

/* All-reduce by recursive halving and doubling: every rank ends with the sum over the ranks of
 * v [count].
 *
 * Let P be a power of two. Each rank has a range of v that it handles, at first [0, count).
 *   1. reduce-scatter by halving: in the steps d = P/2, P/4, … 1 rank r and rank r ^ d cut their
 *      range, which is the same, at its middle, begin + (end - begin) / 2. The one without the bit
 *      d in its number keeps the lower half, the other the upper. Each sends the half that it gives
 *      up, receives the other's part of the half that it keeps into a temporary buffer, and adds it
 *      to its own. Afterwards rank r has the full sum of its range, about count/P elements. Note
 *      the ranges of all steps: the way back needs them.
 *   2. all-gather by doubling: the same steps backwards, d = 1, 2, … P/2: rank r and rank r ^ d
 *      send each other the range that they have, and then both have the range before that cut.
 * Each rank sends 2 log2 P messages, and as few elements as on the ring, about
 * 2 (P-1)/P * count. Every element is summed on one rank and then copied: the same bits everywhere.
 *
 * Any other P >= 1: as in 2c. The extra ranks Q … P-1 send their whole v to rank r - Q before, and
 * get the whole result from it after.
 *
 * Any count >= 0: a range may be empty. Point-to-point functions only, as in 2a.
 * Rabenseifner, "Optimization of collective reduction operations", 2004; Thakur, Rabenseifner &
 * Gropp, "Optimization of collective communication operations in MPICH", 2005, section 4.5. */
void all_reduce_halving(float *v, int count, MPI_Comm comm)
{
    TODO("all_reduce_halving: halve the range and add, down to 1/P of it; then the way back");
}
