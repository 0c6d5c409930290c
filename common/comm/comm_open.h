/* comm_open.h: the implementations that comm_open() chooses from. */
#ifndef COMM_OPEN_H
#define COMM_OPEN_H
#include "comm.h"

Comm *comm_self_open(void);
Comm *comm_mpi_open(void);

/* NCCL for tensors on a GPU, MPI for the rest; asked: by --comm nccl, which says where NCCL cannot
 * serve. Else the program may yet come without a GPU, or with several ranks on one, and then talks
 * over MPI. Plain MPI on all ranks where one of them cannot load NCCL. */
Comm *comm_nccl_open(bool asked);
Comm *comm_nccl_over(Comm *mpi, bool asked); /* the same over an open one, which it takes over;
                                              * NCCL is loaded */
/* Why --comm nccl cannot work in this process: no NCCL in the program, no GPU; NULL where it
 * can. */
const char *comm_nccl_missing(void);
extern const bool comm_nccl_built;
#endif
