/* 2a_all_reduce_naive.c: exercise: an all-reduce as one would write it first: send everything to
 * rank 0 and back.
 *
 *     MPI_Send(data, length, MPI_FLOAT, to which rank, tag, comm);
 *     MPI_Recv(memory, length, MPI_FLOAT, from which rank, tag, comm, MPI_STATUS_IGNORE);
 */
#include "check.h"
#include "lab2.h"

/* Naive all-reduce: every rank ends with the sum over the ranks of v [count].
 *
 *   1. gather: every other rank sends its whole v to rank 0, which receives them one by one, from
 *      rank 1, 2, … P-1, each into a temporary buffer, and adds them to its own;
 *   2. broadcast: rank 0 sends the sum to rank 1, 2, … P-1, and they overwrite their v with it.
 * Rank 0 sends (P-1) count elements in P-1 messages, and receives the same number: all of it
 * through its one network card. Every other rank sends count elements, in one message. A parameter
 * server works like this.
 *
 * Any P >= 1, any count >= 0. Use only MPI's point-to-point functions, and MPI_Comm_rank and
 * MPI_Comm_size; all of them on comm, which need not be MPI_COMM_WORLD. (The same holds for 2b to
 * 2e.) */
void all_reduce_naive(float *v, int count, MPI_Comm comm)
{
    TODO("all_reduce_naive: gather and add on rank 0, then send the sum to each rank");
}
