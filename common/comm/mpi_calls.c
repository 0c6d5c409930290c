/* mpi_calls.c: the functions of MPI that these labs and their students use, each with the watch and
 * the link around it. See mpi_call.h.
 *
 * All are alike: describe the call, write it on the board, let the link or MPI do it, note its end.
 */
#include "call_board.h"
#include "link.h"
#include "link_calls.h"
#include "mpi_call.h"

/* What the function it stands in was called with. */
#define CALL(its_kind, its_comm, n, its_type, its_op, to, its_from, its_tag) \
    Call call = {.kind = its_kind, \
                 .name = __func__, \
                 .comm = its_comm, \
                 .count = n, \
                 .type = its_type, \
                 .op = its_op, \
                 .peer = to, \
                 .from = its_from, \
                 .tag = its_tag, \
                 .site = __builtin_return_address(0)}
#define MESSAGE(kind, n, type, to, from, tag, comm) \
    CALL(kind, comm, n, type, MPI_OP_NULL, to, from, tag)
#define TOGETHER(kind, n, type, op, root, comm) CALL(kind, comm, n, type, op, root, -1, 0)
#define UNSIZED(kind, comm) CALL(kind, comm, 0, MPI_BYTE, MPI_OP_NULL, -1, -1, 0)

/* Of the layer's own work nothing counts on the virtual clock. */
static void enter(const Call *call)
{
    link_hold();
    call_begin(call);
}

static void leave(const Call *call)
{
    call_end(call);
    link_release();
}

/* ---- start and end ---- */

static int begin(int error)
{
    if (error == MPI_SUCCESS) {
        call_comms_begin();
        board_open();
        link_begin();
    }
    return error;
}

int MPI_Init(int *argc, char ***argv) { return begin(PMPI_Init(argc, argv)); }

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
    return begin(PMPI_Init_thread(argc, argv, wanted, provided));
}

int MPI_Finalize(void)
{
    link_end();
    board_close();
    call_comms_end();
    return PMPI_Finalize();
}

double MPI_Wtime(void) { return link_now(); }

/* ---- communicators ---- */

static int made(const Call *call, int error, const MPI_Comm *comm)
{
    if (error == MPI_SUCCESS)
        call_comm_made(call->comm, *comm);
    leave(call);
    return error;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    UNSIZED(CALL_CREATE, comm);
    enter(&call);
    return made(&call, PMPI_Comm_dup(comm, copy), copy);
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *part)
{
    UNSIZED(CALL_CREATE, comm);
    enter(&call);
    return made(&call, PMPI_Comm_split(comm, colour, key, part), part);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
    UNSIZED(CALL_CREATE, comm);
    enter(&call);
    return made(&call, PMPI_Comm_split_type(comm, type, key, info, part), part);
}

/* ---- messages ---- */

/* The four ways to send, and to start sending. */
#define SENDS(name) \
    int MPI_##name(const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) \
    { \
        MESSAGE(CALL_SEND, n, type, to, -1, tag, comm); \
        enter(&call); \
        int error = link_send(&call, v, PMPI_##name); \
        leave(&call); \
        return error; \
    }
SENDS(Send)
SENDS(Ssend)
SENDS(Bsend)
SENDS(Rsend)

#define STARTS(name) \
    int MPI_##name(const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                   MPI_Request *request) \
    { \
        MESSAGE(CALL_SEND, n, type, to, -1, tag, comm); \
        call.starts = true; \
        enter(&call); \
        int error = link_isend(&call, v, request, PMPI_##name); \
        leave(&call); \
        return error; \
    }
STARTS(Isend)
STARTS(Issend)
STARTS(Ibsend)
STARTS(Irsend)

int MPI_Recv(void *v, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    MESSAGE(CALL_RECV, n, type, -1, from, tag, comm);
    enter(&call);
    int error = link_recv(&call, v, status);
    leave(&call);
    return error;
}

int MPI_Sendrecv(const void *v, int n, MPI_Datatype type, int to, int tag, void *w, int room,
                 MPI_Datatype other, int from, int other_tag, MPI_Comm comm, MPI_Status *status)
{
    MESSAGE(CALL_SEND_RECV, n, type, to, from, tag, comm);
    enter(&call);
    int error = link_send_recv(&call, v, w, room, other, other_tag, status);
    leave(&call);
    return error;
}

int MPI_Sendrecv_replace(void *v, int n, MPI_Datatype type, int to, int tag, int from,
                         int other_tag, MPI_Comm comm, MPI_Status *status)
{
    MESSAGE(CALL_SEND_RECV, n, type, to, from, tag, comm);
    enter(&call);
    int error = link_send_recv_replace(&call, v, other_tag, status);
    leave(&call);
    return error;
}

int MPI_Irecv(void *v, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    MESSAGE(CALL_RECV, n, type, -1, from, tag, comm);
    call.starts = true;
    enter(&call);
    int error = link_irecv(&call, v, request);
    leave(&call);
    return error;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    MESSAGE(CALL_RECV, 0, MPI_BYTE, -1, from, tag, comm);
    enter(&call);
    int error = link_probe(from, tag, comm, NULL, status);
    leave(&call);
    return error;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *found, MPI_Status *status)
{
    board_alive();
    return link_probe(from, tag, comm, found, status);
}

/* ---- waiting ---- */

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MESSAGE(CALL_WAIT, 1, MPI_BYTE, -1, -1, 0, MPI_COMM_NULL);
    enter(&call);
    int error = link_wait(1, request, status);
    leave(&call);
    return error;
}

int MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses)
{
    MESSAGE(CALL_WAIT, n, MPI_BYTE, -1, -1, 0, MPI_COMM_NULL);
    enter(&call);
    int error = link_wait(n, requests, statuses);
    leave(&call);
    return error;
}

/* A test never waits: it is no call for the watch, only a sign of life. */
int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    board_alive();
    return link_test(1, request, done, status);
}

int MPI_Testall(int n, MPI_Request *requests, int *done, MPI_Status *statuses)
{
    board_alive();
    return link_test(n, requests, done, statuses);
}

int MPI_Waitany(int n, MPI_Request *requests, int *index, MPI_Status *status)
{
    MESSAGE(CALL_WAIT, n, MPI_BYTE, -1, -1, 0, MPI_COMM_NULL);
    enter(&call);
    int error = link_wait_any(n, requests, index, status);
    leave(&call);
    return error;
}

int MPI_Waitsome(int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses)
{
    MESSAGE(CALL_WAIT, n, MPI_BYTE, -1, -1, 0, MPI_COMM_NULL);
    enter(&call);
    int error = link_wait_some(n, requests, found, indices, statuses);
    leave(&call);
    return error;
}

int MPI_Testany(int n, MPI_Request *requests, int *index, int *done, MPI_Status *status)
{
    board_alive();
    return link_test_any(n, requests, index, done, status);
}

int MPI_Testsome(int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses)
{
    board_alive();
    return link_test_some(n, requests, found, indices, statuses);
}

int MPI_Request_free(MPI_Request *request) { return link_request_free(request); }

/* ---- what a link does not know: without one, MPI's ---- */

#define UNKNOWN(name, parameters, ...) \
    int MPI_##name parameters \
    { \
        link_refuse(__func__); \
        return PMPI_##name(__VA_ARGS__); \
    }
#define PERSISTENT(name) \
    UNKNOWN(name, \
            (const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
             MPI_Request *request), \
            v, n, type, to, tag, comm, request)
PERSISTENT(Send_init)
PERSISTENT(Bsend_init)
PERSISTENT(Rsend_init)
PERSISTENT(Ssend_init)
UNKNOWN(Recv_init,
        (void *v, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
        v, n, type, from, tag, comm, request)
UNKNOWN(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status), from,
        tag, comm, message, status)
UNKNOWN(Improbe,
        (int from, int tag, MPI_Comm comm, int *found, MPI_Message *message, MPI_Status *status),
        from, tag, comm, found, message, status)

/* ---- collectives ---- */

static int collective(const Call *call, int error)
{
    link_leave(call);
    leave(call);
    return error;
}

static int started(const Call *call, int error, const MPI_Request *request)
{
    if (error == MPI_SUCCESS)
        link_started(call, *request);
    leave(call);
    return error;
}

#define COLLECTIVE(...) \
    do { \
        enter(&call); \
        link_enter(&call); \
        return collective(&call, __VA_ARGS__); \
    } while (0)
#define STARTED(request, ...) \
    do { \
        call.starts = true; \
        enter(&call); \
        link_enter(&call); \
        return started(&call, __VA_ARGS__, request); \
    } while (0)

int MPI_Barrier(MPI_Comm comm)
{
    UNSIZED(CALL_BARRIER, comm);
    COLLECTIVE(PMPI_Barrier(comm));
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    UNSIZED(CALL_BARRIER, comm);
    STARTED(request, PMPI_Ibarrier(comm, request));
}

int MPI_Bcast(void *v, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    TOGETHER(CALL_BROADCAST, n, type, MPI_OP_NULL, root, comm);
    COLLECTIVE(PMPI_Bcast(v, n, type, root, comm));
}

int MPI_Ibcast(void *v, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    TOGETHER(CALL_BROADCAST, n, type, MPI_OP_NULL, root, comm);
    STARTED(request, PMPI_Ibcast(v, n, type, root, comm, request));
}

int MPI_Reduce(const void *v, void *w, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    TOGETHER(CALL_REDUCE, n, type, op, root, comm);
    COLLECTIVE(PMPI_Reduce(v, w, n, type, op, root, comm));
}

int MPI_Allreduce(const void *v, void *w, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    TOGETHER(CALL_ALL_REDUCE, n, type, op, -1, comm);
    COLLECTIVE(PMPI_Allreduce(v, w, n, type, op, comm));
}

int MPI_Iallreduce(const void *v, void *w, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
    TOGETHER(CALL_ALL_REDUCE, n, type, op, -1, comm);
    STARTED(request, PMPI_Iallreduce(v, w, n, type, op, comm, request));
}

int MPI_Reduce_scatter_block(const void *v, void *w, int n, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm)
{
    TOGETHER(CALL_REDUCE_SCATTER, n, type, op, -1, comm);
    COLLECTIVE(PMPI_Reduce_scatter_block(v, w, n, type, op, comm));
}

int MPI_Ireduce_scatter_block(const void *v, void *w, int n, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request *request)
{
    TOGETHER(CALL_REDUCE_SCATTER, n, type, op, -1, comm);
    STARTED(request, PMPI_Ireduce_scatter_block(v, w, n, type, op, comm, request));
}

int MPI_Allgather(const void *v, int n, MPI_Datatype type, void *w, int m, MPI_Datatype other,
                  MPI_Comm comm)
{
    TOGETHER(CALL_ALL_GATHER, m, other, MPI_OP_NULL, -1, comm);
    COLLECTIVE(PMPI_Allgather(v, n, type, w, m, other, comm));
}

int MPI_Iallgather(const void *v, int n, MPI_Datatype type, void *w, int m, MPI_Datatype other,
                   MPI_Comm comm, MPI_Request *request)
{
    TOGETHER(CALL_ALL_GATHER, m, other, MPI_OP_NULL, -1, comm);
    STARTED(request, PMPI_Iallgather(v, n, type, w, m, other, comm, request));
}

/* Of a gather's or scatter's two counts the root's other one need not be set elsewhere. */
int MPI_Gather(const void *v, int n, MPI_Datatype type, void *w, int m, MPI_Datatype other,
               int root, MPI_Comm comm)
{
    bool here = v == MPI_IN_PLACE; /* on the root, whose own count is then not used */
    TOGETHER(CALL_GATHER, here ? m : n, here ? other : type, MPI_OP_NULL, root, comm);
    COLLECTIVE(PMPI_Gather(v, n, type, w, m, other, root, comm));
}

int MPI_Scatter(const void *v, int n, MPI_Datatype type, void *w, int m, MPI_Datatype other,
                int root, MPI_Comm comm)
{
    bool here = w == MPI_IN_PLACE;
    TOGETHER(CALL_SCATTER, here ? n : m, here ? type : other, MPI_OP_NULL, root, comm);
    COLLECTIVE(PMPI_Scatter(v, n, type, w, m, other, root, comm));
}

int MPI_Alltoall(const void *v, int n, MPI_Datatype type, void *w, int m, MPI_Datatype other,
                 MPI_Comm comm)
{
    TOGETHER(CALL_ALL_TO_ALL, m, other, MPI_OP_NULL, -1, comm);
    COLLECTIVE(PMPI_Alltoall(v, n, type, w, m, other, comm));
}
