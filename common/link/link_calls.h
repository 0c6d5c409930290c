/* link_calls.h: how the link takes part in each call of MPI (mpi_calls.c). Without a link it calls
 * MPI and counts what is sent. */
#ifndef LINK_CALLS_H
#define LINK_CALLS_H
#include "watch/mpi_call.h"

/* After MPI_Init: reads LABS_LINK and LABS_CLOCK. All ranks call it. */
void link_begin(void);

/* The virtual clock stands from here on; it goes on. */
void link_hold(void);
void link_release(void);

/* A blocking collective: when it is called, and when MPI has done it. */
void link_enter(const Call *call);
void link_leave(const Call *call);
/* After link_enter: a collective that was only started. */
void link_started(const Call *call, MPI_Request request);

/* The functions of the same names, on the link; each takes the function of MPI that it stands for,
 * where there are several (MPI_Send, MPI_Ssend, …). */
typedef int (*SendFunction)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*StartFunction)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int link_send(const Call *call, const void *v, SendFunction send);
int link_recv(const Call *call, void *v, MPI_Status *status);
int link_send_recv(const Call *call, const void *v, void *w, int room, MPI_Datatype other,
                   int other_tag, MPI_Status *status);
int link_send_recv_replace(const Call *call, void *v, int other_tag, MPI_Status *status);
int link_isend(const Call *call, const void *v, MPI_Request *request, StartFunction send);
int link_irecv(const Call *call, void *v, MPI_Request *request);
/* found NULL: MPI_Probe, else MPI_Iprobe. */
int link_probe(int from, int tag, MPI_Comm comm, int *found, MPI_Status *status);

/* All of them; MPI_Wait and MPI_Test are those of one. */
int link_wait(int n, MPI_Request *requests, MPI_Status *statuses);
int link_test(int n, MPI_Request *requests, int *done, MPI_Status *statuses);
/* The first that is due of those that are here. */
int link_wait_any(int n, MPI_Request *requests, int *index, MPI_Status *status);
int link_test_any(int n, MPI_Request *requests, int *index, int *done, MPI_Status *status);
/* The same, of one at a time. */
int link_wait_some(int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses);
int link_test_some(int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses);
int link_request_status(MPI_Request request, int *done, MPI_Status *status);
int link_request_free(MPI_Request *request);

/* Bytes of the whole vector if all ranks had as much as this one has for, or gets from, all others:
 * counts[r] elements of type, or of types[r], for or from rank r. 0 without a link. */
double link_whole(MPI_Comm comm, const int *counts, const MPI_Datatype *types, MPI_Datatype type);
/* With a link, or a virtual clock, the run ends (exit 2): this function of MPI is not known to it.
 * Without one it ends when a link is set later: what began may go on. */
void link_refuse(const char *function);
#endif
