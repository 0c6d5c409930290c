/* gpu_comm.c: NCCL, through gpu_part.h. */
#ifdef HAVE_NCCL
#include "backend/gpu_part.h"
#include "comm_open.h"
#include <stdio.h>

const bool comm_nccl_built = true;

/* The part's function of this name, which returns why something is missing. */
static const char *missing_in_part(const char *name)
{
    const char *missing = gpu_part_missing();
    return missing ? missing : ((const char *(*)(void))gpu_part_function(name))();
}

const char *comm_nccl_library(void) { return missing_in_part("comm_nccl_library"); }
const char *comm_nccl_missing(void) { return missing_in_part("comm_nccl_missing"); }

Comm *comm_nccl_open(bool asked)
{
    Comm *mpi = comm_mpi_open();
    /* on every rank or on none: the two kinds are incompatible */
    double here = !comm_nccl_library(), somewhere = here;
    mpi->op->all_reduce_host(mpi, &here, 1, COMM_MIN);
    mpi->op->all_reduce_host(mpi, &somewhere, 1, COMM_MAX);
    if (somewhere > here && mpi->rank == 0)
        fprintf(stderr, "note: without NCCL: not every rank can load it: tensors go over MPI, "
                        "staged through host memory\n");
    return here ? ((Comm * (*)(Comm *, bool)) gpu_part_function("comm_nccl_over"))(mpi, asked)
                : mpi;
}
#endif
