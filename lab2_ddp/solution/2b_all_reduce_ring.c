/* 2b_all_reduce_ring.c: the ring all-reduce, from sends and receives.
 *
 * Chunk numbers are taken modulo P; adding P first keeps them from going below zero.
 */
#include "check.h"
#include "lab2.h"
#include <stdlib.h>

/* Where chunk k of `count` elements cut into P begins; it ends where chunk k+1 begins. */
static int chunk_begin(int count, int k, int P) { return (int)((int64_t)count * k / P); }

/* Send chunk `out` of v to the next rank while receiving chunk `in` from the previous one, into
 * `to`. Returns the length of `in`. */
static int shift_chunk(const float *v, float *to, int count, int out, int in, MPI_Comm comm)
{
    int rank, P;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &P);
    int begin = chunk_begin(count, out, P), length = chunk_begin(count, out + 1, P) - begin;
    int expected = chunk_begin(count, in + 1, P) - chunk_begin(count, in, P);
    MPI_Sendrecv(v + begin, length, MPI_FLOAT, (rank + 1) % P, 0, to, expected, MPI_FLOAT,
                 (rank + P - 1) % P, 0, comm, MPI_STATUS_IGNORE);
    return expected;
}

void all_reduce_ring(float *v, int count, MPI_Comm comm)
{
    int rank, P;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &P);
    float *arrived = alloc((unsigned long)(count / P + 1), sizeof *arrived);
    /* reduce-scatter: add what arrives, pass the sum on in the next step */
    for (int i = 0; i < P - 1; i++) {
        int out = (rank + P - i) % P, in = (rank + P - i - 1) % P;
        float *mine = v + chunk_begin(count, in, P);
        int length = shift_chunk(v, arrived, count, out, in, comm);
        for (int j = 0; j < length; j++)
            mine[j] += arrived[j];
    }
    for (int i = 0; i < P - 1; i++) { /* all-gather: pass the full sums on */
        int out = (rank + 1 + P - i) % P, in = (rank + P - i) % P;
        shift_chunk(v, v + chunk_begin(count, in, P), count, out, in, comm);
    }
    free(arrived);
}
