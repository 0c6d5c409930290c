/* link_calls.h: the link's part of each MPI call (mpi_calls.c). Without a link it calls MPI and
 * counts what is sent. */
#ifndef LINK_CALLS_H
#define LINK_CALLS_H
#include "watch/mpi_call.h"

/* After MPI_Init: reads LABS_LINK and LABS_CLOCK. All ranks call it. */
void link_begin(void);

/* Stop and restart the virtual clock. */
void link_hold(void);
void link_release(void);

/* Before and after a blocking collective. */
void link_enter(const Call *call);
void link_leave(const Call *call);
/* After link_enter: a nonblocking collective. */
void link_started(const Call *call, MPI_Request request);

/* The MPI functions of the same names, on the link. Those that replace several (MPI_Send,
 * MPI_Ssend, …) take the one to call. */
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

/* All of them; MPI_Wait and MPI_Test with n = 1. */
int link_wait(int n, MPI_Request *requests, MPI_Status *statuses);
int link_test(int n, MPI_Request *requests, int *done, MPI_Status *statuses);
/* Of those that MPI has completed, the first that is due. */
int link_wait_any(int n, MPI_Request *requests, int *index, MPI_Status *status);
int link_test_any(int n, MPI_Request *requests, int *index, int *done, MPI_Status *status);
/* The same, one at a time. */
int link_wait_some(int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses);
int link_test_some(int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses);
int link_request_status(MPI_Request request, int *done, MPI_Status *status);
int link_request_free(MPI_Request *request);

/* Bytes of the whole vector if all ranks had the counts of this one: counts[r] elements of type, or
 * of types[r], for or from rank r. 0 without a link. */
double link_whole(MPI_Comm comm, const int *counts, const MPI_Datatype *types, MPI_Datatype type);
/* With a link or a virtual clock the run ends (exit 2): they do not model this MPI function.
 * Without them, a later link_set ends it, as the operation may still be active. */
void link_refuse(const char *function);
#endif
