/* link_times.c: on two ranks, what a message and an all-reduce of 1 to 8 MiB take on any
 * carries them: a cable, or the link of LABS_LINK (link.h). Lines "BYTES MESSAGE ALL-REDUCE", the
 * fastest of 5 in milliseconds; a message's time is half of there and back. For
 * tests/bench/hosts_link.sh.
 */
#include "check.h"
#include "quantiles.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MEBI = 1 << 20, MOST = 8, TIMES = 5 };

static void there_and_back(float *v, int count, int rank)
{
    if (rank == 0)
        MPI_Send(v, count, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(v, count, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(v, count, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
}

static void all_reduce(float *v, int count, int rank)
{
    MPI_Allreduce(MPI_IN_PLACE, v, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

/* Milliseconds; the first is not counted: it makes the connection. */
static double measured(void (*work)(float *, int, int), float *v, int count, int rank)
{
    double took[TIMES];
    for (int i = -1; i < TIMES; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double began = MPI_Wtime();
        work(v, count, rank);
        if (i >= 0)
            took[i] = 1e3 * (MPI_Wtime() - began);
    }
    sort_ascending(took, TIMES);
    return took[0];
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    REQUIRE(size == 2, "%d ranks: expected 2", size);
    float *v = alloc(MOST * MEBI, 1);
    for (int bytes = MEBI; bytes <= MOST * MEBI; bytes *= 2) {
        double message = measured(there_and_back, v, bytes / 4, rank) / 2;
        double reduced = measured(all_reduce, v, bytes / 4, rank);
        if (rank == 0)
            printf("%d %.3f %.3f\n", bytes, message, reduced);
    }
    free(v);
    MPI_Finalize();
    return 0;
}
