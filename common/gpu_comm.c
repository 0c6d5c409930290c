/* gpu_comm.c: NCCL, by way of gpu_part.h. */
#ifdef HAVE_NCCL
#include "check.h"
#include "comm_open.h"
#include "gpu_part.h"

const bool comm_nccl_built = true;

const char *comm_nccl_missing(void)
{
    const char *missing = gpu_part_missing();
    return missing ? missing : ((const char *(*)(void))gpu_part_function("comm_nccl_missing"))();
}

Comm *comm_nccl_open(bool asked)
{
    const char *missing = gpu_part_missing();
    if (missing && asked)
        die(EXIT_TODO, "--comm nccl: no NCCL here: %s: use --comm mpi", missing);
    return missing ? comm_mpi_open() : ((Comm * (*)(bool)) gpu_part_function("comm_nccl_open"))(asked);
}
#endif
