/* link_calls.h: how the link takes part in each call of MPI (mpi_calls.c). Without a link it calls
 * MPI and counts what is sent. */
#ifndef LINK_CALLS_H
#define LINK_CALLS_H
#include "mpi_call.h"

/* After MPI_Init: reads LABS_LINK and LABS_CLOCK. */
void link_begin(void);

/* A blocking collective: the clock when it is called, and what the link makes of it afterwards. */
void link_enter(const Call *call);
void link_leave(const Call *call);
/* A collective or message that only starts: remember what its request will need. */
void link_started(const Call *call, MPI_Request request);

/* The functions of the same names, on the link. */
int link_send(const Call *call, const void *v,
              int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm));
int link_recv(const Call *call, void *v, MPI_Status *status);
int link_send_recv(const Call *call, const void *v, void *w, int room, MPI_Datatype other,
                   int other_tag, MPI_Status *status);
int link_send_recv_replace(const Call *call, void *v, int other_tag, MPI_Status *status);
int link_isend(const Call *call, const void *v, MPI_Request *request);
int link_irecv(const Call *call, void *v, MPI_Request *request);
int link_wait(int count, MPI_Request *requests, MPI_Status *statuses); /* all of them */
int link_test(int count, MPI_Request *requests, int *done, MPI_Status *statuses);
#endif
