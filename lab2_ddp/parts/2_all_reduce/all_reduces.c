/* all_reduces.c: see all_reduces.h. */
#include "all_reduces.h"
#include "exercise.h"

static void mpi_s_own(float *v, int count, MPI_Comm comm)
{
    MPI_Allreduce(MPI_IN_PLACE, v, count, MPI_FLOAT, MPI_SUM, comm);
}

const AllReduceKind all_reduces[COMPARED] = {
    [ALL_REDUCE_NAIVE] = {"naive", "2a_all_reduce_naive", all_reduce_naive},
    [ALL_REDUCE_RING] = {"ring", "2b_all_reduce_ring", all_reduce_ring},
    [ALL_REDUCE_DOUBLING] = {"doubling", "2c_all_reduce_doubling", all_reduce_doubling},
    [ALL_REDUCE_HALVING] = {"halving", "2d_all_reduce_halving", all_reduce_halving},
    [ALL_REDUCE_TREE] = {"tree", "2e_all_reduce_tree", all_reduce_tree},
    [MPI_S_OWN] = {"MPI_Allreduce", "", mpi_s_own}};

int all_reduces_missing(const char *lines[ALL_REDUCES + 1])
{
    int n = 0;
    for (int i = 0; i <= ALL_REDUCES; i++) {
        lines[n] = exercise_missing(i < ALL_REDUCES ? all_reduces[i].exercise : SECONDS_EXERCISE);
        n += lines[n] != NULL;
    }
    return n;
}
