/* 2e_all_reduce_tree.c: the all-reduce up and down a binomial tree. */
#include "check.h"
#include "lab2.h"
#include <stdlib.h>

void all_reduce_tree(float *v, int count, MPI_Comm comm)
{
    int rank, P, d;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &P);
    float *arrived = alloc((unsigned long)count + 1, sizeof *arrived);
    for (d = 1; d < P && rank % (2 * d) == 0; d *= 2) { /* upwards: receive and add … */
        if (rank + d >= P)
            continue;
        MPI_Recv(arrived, count, MPI_FLOAT, rank + d, 0, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            v[i] += arrived[i];
    }
    if (rank > 0) { /* … until it is this rank's turn to send; then down again */
        MPI_Send(v, count, MPI_FLOAT, rank - d, 0, comm);
        MPI_Recv(v, count, MPI_FLOAT, rank - d, 0, comm, MPI_STATUS_IGNORE);
    }
    for (d /= 2; d >= 1; d /= 2)
        if (rank + d < P)
            MPI_Send(v, count, MPI_FLOAT, rank + d, 0, comm);
    free(arrived);
}
