/* link.c: not yet: every message is as fast as MPI. */
#include "link.h"
#include "link_calls.h"
#include "timer.h"

static LinkSent sent;

static void count(const Call *call)
{
    sent.messages++;
    sent.bytes += call_bytes(call->count, call->type);
}

double link_now(void) { return timer_now(); }
LinkSent link_sent(void) { return sent; }
void link_begin(void) {}
void link_enter(const Call *call) {}
void link_leave(const Call *call) {}
void link_started(const Call *call, MPI_Request request) {}

int link_send(const Call *c, const void *v,
              int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm))
{
    count(c);
    return send(v, c->count, c->type, c->peer, c->tag, c->comm);
}

int link_recv(const Call *c, void *v, MPI_Status *status)
{
    return PMPI_Recv(v, c->count, c->type, c->from, c->tag, c->comm, status);
}

int link_send_recv(const Call *c, const void *v, void *w, int room, MPI_Datatype other,
                   int other_tag, MPI_Status *status)
{
    count(c);
    return PMPI_Sendrecv(v, c->count, c->type, c->peer, c->tag, w, room, other, c->from, other_tag,
                         c->comm, status);
}

int link_send_recv_replace(const Call *c, void *v, int other_tag, MPI_Status *status)
{
    count(c);
    return PMPI_Sendrecv_replace(v, c->count, c->type, c->peer, c->tag, c->from, other_tag, c->comm,
                                 status);
}

int link_isend(const Call *c, const void *v, MPI_Request *request)
{
    count(c);
    return PMPI_Isend(v, c->count, c->type, c->peer, c->tag, c->comm, request);
}

int link_irecv(const Call *c, void *v, MPI_Request *request)
{
    return PMPI_Irecv(v, c->count, c->type, c->from, c->tag, c->comm, request);
}

int link_wait(int n, MPI_Request *requests, MPI_Status *statuses)
{
    return n == 1 ? PMPI_Wait(requests, statuses) : PMPI_Waitall(n, requests, statuses);
}

int link_test(int n, MPI_Request *requests, int *done, MPI_Status *statuses)
{
    return n == 1 ? PMPI_Test(requests, done, statuses) : PMPI_Testall(n, requests, done, statuses);
}
