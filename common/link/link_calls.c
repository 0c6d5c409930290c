/* link_calls.c: the link over all ranks: start, change, and MPI's collectives. See
 * link_calls.h.
 *
 * A collective's data go through MPI. With them goes a second, tiny all-reduce on the same
 * communicator: the latest start of all ranks. From it each rank knows when all of them end.
 */
#include "check.h"
#include "file.h"
#include "link_inside.h"
#include <math.h>
#include <string.h>

static double entered;      /* the clock when the current collective was called */
static const char *unknown; /* a function, called without a link, that a link does not model */

void link_refuse(const char *function)
{
    REQUIRE(
        !link_on(),
        "%s: a link and the virtual clock support only MPI_Send, MPI_Isend, MPI_Recv, MPI_Bcast "
        "and the like: use those, or no --link and --clock real",
        function);
    unknown = function;
}

/* ---- start and change ---- */

/* On all ranks. */
static bool everywhere(bool here)
{
    int all = here;
    PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static void require_same(Link link, bool counts)
{
    double most[] = {link.bandwidth, link.latency, counts, -link.bandwidth, -link.latency, -counts};
    PMPI_Allreduce(MPI_IN_PLACE, most, 6, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    REQUIRE(most[0] == -most[3] && most[1] == -most[4] && most[2] == -most[5],
            "the ranks do not have the same link and clock: give all of them the same LABS_LINK "
            "and LABS_CLOCK");
}

/* Ranks on one machine share the clock that counts from its start. */
static bool one_clock(void)
{
    char start[64] = "", of_first[64];
    file_head(start, sizeof start, "/proc/sys/kernel/random/boot_id");
    memcpy(of_first, start, sizeof start);
    PMPI_Bcast(of_first, sizeof of_first, MPI_CHAR, 0, MPI_COMM_WORLD);
    return everywhere(!memcmp(start, of_first, sizeof start));
}

static void change(Link link)
{
    bool now_on = isfinite(link.bandwidth) || link_virtual();
    REQUIRE(!now_on || !unknown, "link_set: %s was called before, which a link does not support",
            unknown);
    if (now_on && !link_virtual())
        REQUIRE(one_clock(), "a link on the real clock needs all ranks on one machine, which share "
                             "that clock: use --clock virtual (LABS_CLOCK=virtual)");
    card_reset(link);
    link_align();
}

static bool in_mpi(void)
{
    int begun, ended;
    PMPI_Initialized(&begun);
    PMPI_Finalized(&ended);
    return begun && !ended;
}

void link_begin_alone(void)
{
    bool counts;
    if (in_mpi())
        return;
    card_reset(link_chosen(&counts));
    clock_begin(counts);
}

void link_begin(void)
{
    bool counts;
    Link link = link_chosen(&counts);
    require_same(link, counts);
    clock_begin(counts);
    change(link);
}

void link_set(Link link)
{
    if (!in_mpi()) {
        card_reset(link);
        return;
    }
    long in_flight = messages_in_flight(); /* a plain one would be taken for one with a stamp */
    PMPI_Allreduce(MPI_IN_PLACE, &in_flight, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (in_flight != 0 && (isfinite(link.bandwidth) || link_virtual()) != link_on())
        die(EXIT_WRONG, "link_set: %ld messages are still in flight: receive them first",
            in_flight);
    require_same(link, link_virtual());
    change(link);
}

void link_align(void)
{
    if (!in_mpi())
        return;
    double latest = clock_enter();
    PMPI_Allreduce(MPI_IN_PLACE, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    clock_leave(latest);
}

/* ---- collectives ---- */

static double seconds_of(const Call *call, int P)
{
    Link link = link_now_used();
    double bytes = call_bytes(call->count, call->type), whole = bytes * P;
    switch (call->kind) {
    case CALL_CREATE:
    case CALL_BARRIER: return link_seconds(LINK_BARRIER, P, 0, link);
    case CALL_BROADCAST:
    case CALL_REDUCE: return link_seconds(LINK_BROADCAST, P, bytes, link);
    case CALL_SCAN:
    case CALL_ALL_REDUCE: return link_seconds(LINK_ALL_REDUCE, P, bytes, link);
    case CALL_REDUCE_SCATTER:
    case CALL_ALL_GATHER:
    case CALL_GATHER:
    case CALL_SCATTER: return link_seconds(LINK_REDUCE_SCATTER, P, whole, link);
    case CALL_ALL_TO_ALL: return link_seconds(LINK_ALL_TO_ALL, P, whole, link);
    case CALL_UNEQUAL: return link_seconds(call->model, P, call->whole, link);
    default: return 0;
    }
}

double link_whole(MPI_Comm comm, const int *counts, const MPI_Datatype *types, MPI_Datatype type)
{
    const CallComm *c = link_on() ? call_comm(comm) : NULL;
    double bytes = 0;
    if (!c || c->size == 1)
        return 0;
    for (int r = 0; r < c->size; r++)
        if (r != c->rank)
            bytes += call_bytes(counts[r], types ? types[r] : type);
    return bytes * c->size / (c->size - 1);
}

/* This rank's start, and the collective's seconds by its arguments. */
static void start_of(const Call *call, int P, double start[2])
{
    start[0] = fmax(entered, card_free());
    start[1] = seconds_of(call, P);
}

void link_enter(const Call *call)
{
    if (!link_on())
        return;
    REQUIRE(call->comm == MPI_COMM_NULL || call_comm(call->comm),
            "%s: a link does not support communicators made this way: use MPI_Comm_split and the "
            "like, or no --link and --clock real",
            call->name);
    entered = clock_enter();
}

void link_leave(const Call *call)
{
    if (!link_on())
        return;
    CallComm *c = call_comm(call->comm);
    double start[2], due = 0;
    if (c && c->size > 1) {
        start_of(call, c->size, start);
        PMPI_Allreduce(MPI_IN_PLACE, start, 2, MPI_DOUBLE, MPI_MAX, call->comm);
        pending_settle(c);
        due = collective_due(c, start);
    }
    clock_leave(due);
}

void link_started(const Call *call, MPI_Request request)
{
    if (!link_on())
        return;
    CallComm *c = call_comm(call->comm);
    if (c && c->size > 1) {
        Pending *p = pending_new(PENDING_COLLECTIVE, call->comm);
        p->notes = c;
        c->on_free = pending_forget;
        start_of(call, c->size, p->start);
        PMPI_Iallreduce(MPI_IN_PLACE, p->start, 2, MPI_DOUBLE, MPI_MAX, call->comm, &p->agree);
        pending_started(p, MPI_SUCCESS, &request);
    }
    clock_leave(0);
}
