/* 2c_all_reduce_doubling.c: the all-reduce by recursive doubling. */
#include "check.h"
#include "lab2.h"
#include <stdlib.h>

void all_reduce_doubling(float *v, int count, MPI_Comm comm)
{
    int rank, P, Q = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &P);
    while (2 * Q <= P)
        Q *= 2;
    if (rank >= Q) { /* an extra rank */
        MPI_Send(v, count, MPI_FLOAT, rank - Q, 0, comm);
        MPI_Recv(v, count, MPI_FLOAT, rank - Q, 0, comm, MPI_STATUS_IGNORE);
        return;
    }
    float *arrived = alloc((unsigned long)count + 1, sizeof *arrived);
    if (rank + Q < P) {
        MPI_Recv(arrived, count, MPI_FLOAT, rank + Q, 0, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            v[i] += arrived[i];
    }
    for (int d = 1; d < Q; d *= 2) {
        MPI_Sendrecv(v, count, MPI_FLOAT, rank ^ d, 0, arrived, count, MPI_FLOAT, rank ^ d, 0, comm,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            v[i] += arrived[i];
    }
    if (rank + Q < P)
        MPI_Send(v, count, MPI_FLOAT, rank + Q, 0, comm);
    free(arrived);
}
