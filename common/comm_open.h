/* comm_open.h: the implementations that comm_open() chooses from. */
#ifndef COMM_OPEN_H
#define COMM_OPEN_H
#include "comm.h"

Comm *comm_self_open(void);
Comm *comm_mpi_open(void);
#endif
