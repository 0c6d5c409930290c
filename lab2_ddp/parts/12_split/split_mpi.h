/* split_mpi.h: a Split (split.h) whose ranks are those of an MPI communicator.
 */
#ifndef SPLIT_MPI_H
#define SPLIT_MPI_H
#include "split.h"
#include <mpi.h>

typedef struct MpiSplit {
    Split split; /* first */
    MPI_Comm comm;
} MpiSplit;
MpiSplit split_by(MPI_Comm comm);
#endif
