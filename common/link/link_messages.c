/* link_messages.c: messages on the link. See link_calls.h.
 *
 * With a link each message carries its stamp, the moment at which its first byte leaves the card,
 * in front of its data, as one message of a datatype made for it: {stamp, data}. So MPI matches
 * stamp and data as one, for any communicator, tag and order; calls that block in MPI block here;
 * and a receive from MPI_ANY_SOURCE gets the right stamp. The program sees the status of the data
 * alone.
 */
#include "check.h"
#include "link_inside.h"
#include <math.h>

static LinkSent sent;
static long received;

LinkSent link_sent(void) { return sent; }
long messages_in_flight(void) { return sent.messages - received; }

/* ---- {stamp, data} ---- */

/* Can these be one message with a stamp? Invalid arguments go to MPI unchanged, which complains. */
static bool stampable(int peer, const void *v, int n, MPI_Datatype type)
{
    if (!link_on() || peer == MPI_PROC_NULL || n < 0 || type == MPI_DATATYPE_NULL)
        return false;
    if (v || n == 0)
        return true;
    int integers, addresses, types, made_by; /* MPI_BOTTOM needs a derived type */
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &made_by);
    return made_by != MPI_COMBINER_NAMED;
}

static MPI_Datatype stamped(double *stamp, const void *v, int n, MPI_Datatype type)
{
    MPI_Datatype both;
    MPI_Aint at[2];
    PMPI_Get_address(stamp, &at[0]);
    PMPI_Get_address(v, &at[1]);
    PMPI_Type_create_struct(2, (int[]){1, n}, at, (MPI_Datatype[]){MPI_DOUBLE, type}, &both);
    PMPI_Type_commit(&both);
    return both;
}

double stamp_off(MPI_Status *status)
{
    MPI_Count bytes;
    int cancelled;
    PMPI_Test_cancelled(status, &cancelled);
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    if (cancelled || bytes < (MPI_Count)sizeof(double))
        return 0;
    PMPI_Status_set_elements_x(status, MPI_BYTE, bytes - (MPI_Count)sizeof(double));
    return (double)bytes - sizeof(double);
}

static bool is_self(MPI_Comm comm, int peer)
{
    const CallComm *c = call_comm(comm);
    return c && c->rank == peer;
}

double message_due(double stamp, MPI_Comm comm, MPI_Status *status)
{
    double bytes = stamp_off(status);
    return is_self(comm, status->MPI_SOURCE) ? stamp : card_receive(stamp, bytes);
}

/* On the virtual clock a rank sleeps while it waits, so that ranks that compute get the cores:
 * MPI_Recv only yields. */
static void wait_for(int from, int tag, MPI_Comm comm)
{
    int here = false;
    for (int looks = 0; link_virtual() && !here; looks++) {
        PMPI_Iprobe(from, tag, comm, &here, MPI_STATUS_IGNORE);
        if (!here)
            poll_wait(looks);
    }
}

/* ---- sending and receiving ---- */

/* Returns error. */
static int count_sent(const Call *call, int error)
{
    if (call->peer != MPI_PROC_NULL && error == MPI_SUCCESS) {
        sent.messages++;
        sent.bytes += call_bytes(call->count, call->type);
    }
    return error;
}

/* The first message in MPI need not be the first on the virtual clock. */
static void refuse_any(const char *function, int from)
{
    REQUIRE(from != MPI_ANY_SOURCE || !link_virtual(),
            "%s from MPI_ANY_SOURCE: the virtual clock cannot tell which message arrives first: "
            "name the source, or use --clock real",
            function);
}

static void count_received(const Call *call)
{
    refuse_any(call->name, call->from);
    received += call->from != MPI_PROC_NULL;
}

/* The stamp of a message sent now; *until: when its last byte has left. */
static double send_now(const Call *call, double now, double *until)
{
    *until = now;
    if (is_self(call->comm, call->peer))
        return now;
    double stamp = card_send(now, call_bytes(call->count, call->type));
    *until = card_free();
    return stamp;
}

int link_send(const Call *call, const void *v, SendFunction send)
{
    if (!stampable(call->peer, v, call->count, call->type))
        return count_sent(call,
                          send(v, call->count, call->type, call->peer, call->tag, call->comm));
    double until, stamp = send_now(call, clock_enter(), &until);
    MPI_Datatype both = stamped(&stamp, v, call->count, call->type);
    int error = send(MPI_BOTTOM, 1, both, call->peer, call->tag, call->comm);
    PMPI_Type_free(&both);
    clock_leave(until);
    return count_sent(call, error);
}

int link_recv(const Call *call, void *v, MPI_Status *status)
{
    count_received(call);
    if (!stampable(call->from, v, call->count, call->type))
        return PMPI_Recv(v, call->count, call->type, call->from, call->tag, call->comm, status);
    MPI_Status got;
    double stamp = 0, due = 0;
    clock_enter();
    MPI_Datatype both = stamped(&stamp, v, call->count, call->type);
    wait_for(call->from, call->tag, call->comm);
    int error = PMPI_Recv(MPI_BOTTOM, 1, both, call->from, call->tag, call->comm, &got);
    PMPI_Type_free(&both);
    if (error == MPI_SUCCESS)
        due = message_due(stamp, call->comm, &got);
    if (status != MPI_STATUS_IGNORE)
        *status = got;
    clock_leave(due);
    return error;
}

/* Both ways at once; either peer may be MPI_PROC_NULL. */
int link_send_recv(const Call *call, const void *v, void *w, int room, MPI_Datatype other,
                   int other_tag, MPI_Status *status)
{
    bool to = stampable(call->peer, v, call->count, call->type),
         from = stampable(call->from, w, room, other);
    count_received(call);
    if (!to && !from)
        return count_sent(call,
                          PMPI_Sendrecv(v, call->count, call->type, call->peer, call->tag, w, room,
                                        other, call->from, other_tag, call->comm, status));
    MPI_Status got;
    double until = 0, now = clock_enter(), theirs = 0, due = 0;
    double stamp = to ? send_now(call, now, &until) : 0;
    MPI_Datatype out = to ? stamped(&stamp, v, call->count, call->type) : call->type,
                 in = from ? stamped(&theirs, w, room, other) : other;
    int error = PMPI_Sendrecv(to ? MPI_BOTTOM : v, to ? 1 : call->count, out, call->peer, call->tag,
                              from ? MPI_BOTTOM : w, from ? 1 : room, in, call->from, other_tag,
                              call->comm, &got);
    if (to)
        PMPI_Type_free(&out);
    if (from)
        PMPI_Type_free(&in);
    if (from && error == MPI_SUCCESS)
        due = message_due(theirs, call->comm, &got);
    if (status != MPI_STATUS_IGNORE)
        *status = got;
    clock_leave(fmax(until, due));
    return count_sent(call, error);
}

/* One {stamp, data} for both ways, as the data's memory is. */
int link_send_recv_replace(const Call *call, void *v, int other_tag, MPI_Status *status)
{
    bool to = stampable(call->peer, v, call->count, call->type),
         from = stampable(call->from, v, call->count, call->type);
    count_received(call);
    if (!to && !from)
        return count_sent(call,
                          PMPI_Sendrecv_replace(v, call->count, call->type, call->peer, call->tag,
                                                call->from, other_tag, call->comm, status));
    MPI_Status got;
    double until = 0, now = clock_enter(), due = 0;
    double stamp = to ? send_now(call, now, &until) : 0;
    MPI_Datatype both = stamped(&stamp, v, call->count, call->type);
    int error = PMPI_Sendrecv_replace(MPI_BOTTOM, 1, both, call->peer, call->tag, call->from,
                                      other_tag, call->comm, &got);
    PMPI_Type_free(&both);
    if (from && error == MPI_SUCCESS)
        due = message_due(stamp, call->comm, &got);
    if (status != MPI_STATUS_IGNORE)
        *status = got;
    clock_leave(fmax(until, due));
    return count_sent(call, error);
}

/* ---- nonblocking ---- */

int link_isend(const Call *call, const void *v, MPI_Request *request, StartFunction send)
{
    if (!stampable(call->peer, v, call->count, call->type))
        return count_sent(call, send(v, call->count, call->type, call->peer, call->tag, call->comm,
                                     request));
    Pending *p = pending_new(PENDING_SEND, call->comm);
    p->stamp = send_now(call, clock_enter(), &p->due);
    p->known = true;
    MPI_Datatype both = stamped(&p->stamp, v, call->count, call->type);
    int error = send(MPI_BOTTOM, 1, both, call->peer, call->tag, call->comm, request);
    PMPI_Type_free(&both); /* once MPI has done with it */
    pending_started(p, error, request);
    clock_leave(0);
    return count_sent(call, error);
}

int link_irecv(const Call *call, void *v, MPI_Request *request)
{
    count_received(call);
    if (!stampable(call->from, v, call->count, call->type))
        return PMPI_Irecv(v, call->count, call->type, call->from, call->tag, call->comm, request);
    Pending *p = pending_new(PENDING_RECV, call->comm);
    clock_enter();
    MPI_Datatype both = stamped(&p->stamp, v, call->count, call->type);
    int error = PMPI_Irecv(MPI_BOTTOM, 1, both, call->from, call->tag, call->comm, request);
    PMPI_Type_free(&both);
    pending_started(p, error, request);
    clock_leave(0);
    return error;
}

/* A probe does not receive the message. */
int link_probe(int from, int tag, MPI_Comm comm, int *found, MPI_Status *status)
{
    MPI_Status got;
    if (!link_on() || from == MPI_PROC_NULL)
        return found ? PMPI_Iprobe(from, tag, comm, found, status)
                     : PMPI_Probe(from, tag, comm, status);
    refuse_any(found ? "MPI_Iprobe" : "MPI_Probe", from);
    clock_enter();
    if (!found)
        wait_for(from, tag, comm);
    int error = found ? PMPI_Iprobe(from, tag, comm, found, &got)
                      : PMPI_Probe(from, tag, comm, &got);
    if (error == MPI_SUCCESS && (!found || *found)) {
        stamp_off(&got);
        if (status != MPI_STATUS_IGNORE)
            *status = got;
    }
    clock_leave(0);
    return error;
}
