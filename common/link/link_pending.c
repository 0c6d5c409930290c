/* link_pending.c: operations in flight on the link, in the order of their start. See
 * link_inside.h. */
#include "check.h"
#include "link_inside.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static Pending **pending;
static int count;

Pending *pending_new(PendingKind kind, MPI_Comm comm)
{
    pending = grown(pending, (unsigned long)count, sizeof(Pending *));
    Pending *p = alloc(1, sizeof *p);
    p->kind = kind;
    p->comm = comm;
    p->request = p->agree = MPI_REQUEST_NULL;
    return pending[count++] = p;
}

void pending_unlink(const Pending *p)
{
    int i = 0;
    while (pending[i] != p)
        i++;
    memmove(pending + i, pending + i + 1, (size_t)(--count - i) * sizeof *pending);
}

void pending_end(Pending *p)
{
    pending_unlink(p);
    free(p);
}

void pending_started(Pending *p, int error, const MPI_Request *request)
{
    if (error == MPI_SUCCESS)
        p->request = *request;
    else
        pending_end(p);
}

void pending_forget(const CallComm *notes)
{
    for (int i = 0; i < count; i++)
        if (pending[i]->notes == notes)
            pending[i]->notes = NULL;
}

/* Open MPI gives all short sends, which complete at once, the same request: take the first. */
Pending *pending_of(MPI_Request request)
{
    for (int i = 0; i < count && request != MPI_REQUEST_NULL; i++)
        if (pending[i]->request == request && !pending[i]->waited_for)
            return pending[i];
    return NULL;
}

/* ---- when it is due ---- */

double collective_due(CallComm *notes, const double start[2])
{
    double from = notes ? fmax(start[0], notes->link_free) : start[0];
    if (notes)
        notes->link_free = from + start[1];
    return from + start[1];
}

/* When a collective is due, once the latest start of all ranks is known. wait: wait for ranks that
 * have not started it. False: not known yet. */
static bool agree(Pending *p, bool wait)
{
    int done = true;
    if (p->known)
        return true;
    if (wait)
        PMPI_Wait(&p->agree, MPI_STATUS_IGNORE);
    else
        PMPI_Test(&p->agree, &done, MPI_STATUS_IGNORE);
    if (done)
        p->due = collective_due(p->notes, p->start);
    return p->known = done;
}

static bool is_on(const Pending *p, const CallComm *notes)
{
    return p->kind == PENDING_COLLECTIVE && notes && p->notes == notes;
}

/* The link performs the collectives of a communicator one after the other, in the order in which
 * all ranks start them: those before p come first. */
bool pending_known(Pending *p, bool wait)
{
    for (int i = 0; pending[i] != p; i++)
        if (is_on(pending[i], p->notes) && !agree(pending[i], wait))
            return false;
    return agree(p, wait);
}

void pending_settle(CallComm *notes)
{
    for (int i = 0; i < count; i++)
        if (is_on(pending[i], notes))
            agree(pending[i], true);
}
