/* comm_open.h: the implementations that comm_open() chooses from. */
#ifndef COMM_OPEN_H
#define COMM_OPEN_H
#include "comm.h"

Comm *comm_self_open(void);
Comm *comm_mpi_open(void);

/* NCCL for tensors on a GPU, MPI for the rest; asked: by --comm nccl, which needs a GPU and says where NCCL cannot
 * serve. Else the program may yet come without a GPU, or with several ranks on one, and then talks over MPI. */
Comm *comm_nccl_open(bool asked);
/* Why --comm nccl cannot work in this process: no NCCL in the program, no GPU; NULL where it can. */
const char *comm_nccl_missing(void);
extern const bool comm_nccl_built;
#endif
