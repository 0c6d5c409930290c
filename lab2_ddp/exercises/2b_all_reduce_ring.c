/* 2b_all_reduce_ring.c: exercise: the ring all-reduce, from sends and receives.
 *
 * It consists of two loops of P-1 steps. Each step is one MPI_Sendrecv, to one neighbour and from
 * the other; in the first loop an addition follows.
 *
 *     MPI_Sendrecv(chunk, sent, MPI_FLOAT, next, tag,           data, its length, to which rank
 *                  buffer, expected, MPI_FLOAT, previous, tag,  memory, its length, from which rank
 *                  comm, MPI_STATUS_IGNORE);
 *
 * Two small static functions above it keep each loop to a few lines: where chunk k begins (it ends
 * where chunk k + 1 begins); and one step, which sends chunk `out` of v to the next rank and
 * receives chunk `in` from the previous one, into memory that it is given.
 */
#include "check.h"
#include "lab2.h"

/* Ring all-reduce, one way to do what step 6 of Part 3 calls: every rank ends with the sum over the
 * ranks of v [count].
 *
 * The P ranks form a ring: rank r sends to r+1 and receives from r-1, modulo P. v is cut into P
 * chunks, as equal as possible: chunk k is [count*k/P, count*(k+1)/P), in integer division; with
 * count < P some are empty. Compute count*k in 64 bits: it may exceed an int.
 *   1. reduce-scatter, P-1 steps: in step i = 0 … P-2 rank r sends chunk r-i, receives
 *      chunk r-i-1 into a temporary buffer and adds it to its own. Afterwards rank r has the full
 *      sum of chunk r+1.
 *   2. all-gather, P-1 steps: in step i rank r sends chunk r+1-i and overwrites its own chunk r-i
 *      with what arrives.
 * All chunk numbers are modulo P; add P first, because % in C keeps the sign: (r + P - i) % P.
 * Every rank ends with the same bits, because each chunk is summed once, in one order, and then
 * copied. Each rank sends 2 (P-1) messages and about 2 (P-1)/P * count elements: less than twice
 * the data, however many ranks there are.
 *
 * Any P >= 1, any count >= 0. Use only MPI's point-to-point functions, and MPI_Comm_rank and
 * MPI_Comm_size. Ranks that wait in MPI_Send for each other to receive deadlock: MPI_Sendrecv sends
 * and receives at once.
 * Patarasuk & Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
 * 2009. */
void all_reduce_ring(float *v, int count, MPI_Comm comm)
{
    TODO("all_reduce_ring: reduce-scatter around the ring, then all-gather around the ring");
}
