/* comm_open.h: the implementations that comm_open() chooses from. */
#ifndef COMM_OPEN_H
#define COMM_OPEN_H
#include "comm.h"

Comm *comm_self_open(void);
Comm *comm_mpi_open(void);

/* NCCL for tensors on a GPU, MPI for the rest. asked: with --comm nccl, which prints a note where
 * NCCL cannot be used. Without a GPU per rank it stays on MPI. Plain MPI on all ranks where one of
 * them cannot load NCCL. */
Comm *comm_nccl_open(bool asked);
Comm *comm_nccl_over(Comm *mpi, bool asked); /* the same over an open one, which it owns then;
                                              * NCCL is loaded */
/* Why NCCL's library cannot be loaded; NULL: it is. */
const char *comm_nccl_library(void);
/* Why --comm nccl cannot work in this process: no NCCL in the program, no GPU; NULL: it can. */
const char *comm_nccl_missing(void);
extern const bool comm_nccl_built;
#endif
