/* link_ranks.c: see link_ranks.h. */
#include "link_ranks.h"
#include "link.h"
#include <mpi.h>

void link_ranks_begin(const char *link, const char *clock, int *rank, int *P)
{
    link_choose(link, clock);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, P);
}
