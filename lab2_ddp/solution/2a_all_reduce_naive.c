/* 2a_all_reduce_naive.c: an all-reduce as one would write it first: everything goes to rank 0, and
 * comes back. */
#include "check.h"
#include "lab2.h"
#include <stdlib.h>

void all_reduce_naive(float *v, int count, MPI_Comm comm)
{
    int rank, P;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &P);
    if (rank > 0) {
        MPI_Send(v, count, MPI_FLOAT, 0, 0, comm);
        MPI_Recv(v, count, MPI_FLOAT, 0, 0, comm, MPI_STATUS_IGNORE);
        return;
    }
    float *arrived = alloc((unsigned long)count + 1, sizeof *arrived);
    for (int r = 1; r < P; r++) {
        MPI_Recv(arrived, count, MPI_FLOAT, r, 0, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            v[i] += arrived[i];
    }
    for (int r = 1; r < P; r++)
        MPI_Send(v, count, MPI_FLOAT, r, 0, comm);
    free(arrived);
}
