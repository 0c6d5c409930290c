/* split_mpi.c: see split_mpi.h: each call between ranks is one of MPI's. */
#include "split_mpi.h"

static MPI_Comm comm_of(Split *s) { return ((MpiSplit *)s)->comm; }

static void all_reduce(Split *s, float *v, int n)
{
    MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_FLOAT, MPI_SUM, comm_of(s));
}
static void reduce_scatter(Split *s, float *part, const float *whole, int n)
{
    MPI_Reduce_scatter_block(whole, part, n, MPI_FLOAT, MPI_SUM, comm_of(s));
}
static void all_gather(Split *s, float *whole, const float *part, int n)
{
    MPI_Allgather(part, n, MPI_FLOAT, whole, n, MPI_FLOAT, comm_of(s));
}
static void pass_on(Split *s, float *v, int n)
{
    if (s->P > 1)
        MPI_Sendrecv_replace(v, n, MPI_FLOAT, (s->rank + 1) % s->P, 0, (s->rank + s->P - 1) % s->P,
                             0, comm_of(s), MPI_STATUS_IGNORE);
}
static const SplitCalls calls = {all_reduce, reduce_scatter, all_gather, pass_on};

MpiSplit split_by(MPI_Comm comm)
{
    MpiSplit m = {.split = {.calls = &calls}, .comm = comm};
    MPI_Comm_rank(comm, &m.split.rank);
    MPI_Comm_size(comm, &m.split.P);
    return m;
}
