/* 2c_all_reduce_doubling.c: exercise: the all-reduce by recursive doubling: few steps, for short
 * vectors.
 */
#include "check.h"
#include "lab2.h"

/* All-reduce by recursive doubling: every rank ends with the sum over the ranks of v [count].
 *
 * Let P be a power of two. In the steps d = 1, 2, 4, … P/2 rank r exchanges its whole v with rank
 * r ^ d (the bit d of r flipped), into a temporary buffer, and adds what arrives: after the step
 * with distance d it has the sum over the 2d ranks whose numbers differ from r in the bits up to d.
 * Each rank sends log2 P messages of count elements.
 * Every rank ends with the same bits, because both sides of an exchange add the same two numbers.
 *
 * Where P is not a power of two, let Q be the largest power of two below P.
 *   before: the extra ranks Q … P-1 send their v to rank r - Q, which adds it to its own;
 *   then    the ranks 0 … Q-1 do the steps above, among themselves, with Q in place of P;
 *   after:  the extra ranks get the result from rank r - Q.
 * That costs two more messages one after the other: P = 5 takes as long as P = 16.
 *
 * Any count >= 0. Point-to-point functions only, as in 2a. Both partners of an exchange must not
 * send first: MPI_Sendrecv (see 2b).
 * Thakur, Rabenseifner & Gropp, "Optimization of collective communication operations in MPICH",
 * 2005, section 4.5. */
void all_reduce_doubling(float *v, int count, MPI_Comm comm)
{
    TODO("all_reduce_doubling: exchange and add whole vectors over distances 1, 2, 4, …");
}
