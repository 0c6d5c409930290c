/* mpi_calls.c: the functions of MPI that these labs and their students use, each with the watch and
 * the link around it. See mpi_call.h.
 *
 * All are alike: describe the call, write it on the board, let the link or MPI do it, note its end.
 */
#include "link.h"
#include "link_calls.h"
#include "watch/call_board.h"
#include "watch/mpi_call.h"
#include <math.h>
#include <string.h>

/* The arguments of the function that uses it. */
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
#define UNEQUAL(its_model, bytes, root, comm) \
    TOGETHER(CALL_UNEQUAL, 0, MPI_BYTE, MPI_OP_NULL, root, comm); \
    call.model = its_model; \
    call.whole = bytes

static struct {
    LinkObserver *call;
    void *context;
    int active;          /* requests started, but not completed, */
    const char *started; /* and by which function */
} observer;              /* the process's own, as MPI is */

void link_observe(LinkObserver *call, void *context)
{
    observer.call = call;
    observer.context = context;
    observer.active = 0;
    observer.started = NULL;
}

int link_active(const char **function)
{
    *function = observer.started;
    return observer.active;
}

static void note_start(const Call *call, int error)
{
    if (!observer.call || error != MPI_SUCCESS)
        return;
    bool alike = !observer.started || !strcmp(observer.started, call->name);
    observer.started = alike ? call->name : "MPI_Isend, MPI_Irecv or the like";
    observer.active++;
}

static int active_of(int n, const MPI_Request *requests)
{
    int active = 0;
    for (int i = 0; requests && i < n; i++)
        active += requests[i] != MPI_REQUEST_NULL;
    return active;
}

/* So many of these requests were active before the call. */
static void note_completed(int before, int n, const MPI_Request *requests)
{
    if (observer.call)
        observer.active -= before - active_of(n, requests);
}

char *link_call_text(void) { return board_call(); }

/* The virtual clock does not count the layer's work. */
static void enter(const Call *call)
{
    if (observer.call && call->kind <= CALL_WAIT)
        observer.call(observer.context, call->peer, call->data,
                      call_bytes(call->count, call->type));
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
        call_watch_begin();
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
    call_watch_end();
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
    link_leave(call);
    leave(call);
    return error;
}

#define MAKES(name, comm, parameters, ...) \
    int MPI_##name parameters \
    { \
        UNSIZED(CALL_CREATE, comm); \
        enter(&call); \
        link_enter(&call); \
        return made(&call, PMPI_##name(__VA_ARGS__), made_one); \
    }
MAKES(Comm_dup, comm, (MPI_Comm comm, MPI_Comm *made_one), comm, made_one)
MAKES(Comm_dup_with_info, comm, (MPI_Comm comm, MPI_Info info, MPI_Comm *made_one), comm, info,
      made_one)
MAKES(Comm_split, comm, (MPI_Comm comm, int colour, int key, MPI_Comm *made_one), comm, colour, key,
      made_one)
MAKES(Comm_split_type, comm, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made_one),
      comm, type, key, info, made_one)
MAKES(Comm_create, comm, (MPI_Comm comm, MPI_Group group, MPI_Comm *made_one), comm, group,
      made_one)
MAKES(Cart_create, comm,
      (MPI_Comm comm, int n, const int sizes[], const int rings[], int reorder, MPI_Comm *made_one),
      comm, n, sizes, rings, reorder, made_one)
MAKES(Cart_sub, comm, (MPI_Comm comm, const int kept[], MPI_Comm *made_one), comm, kept, made_one)
MAKES(Graph_create, comm,
      (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *made_one),
      comm, n, index, edges, reorder, made_one)
MAKES(Dist_graph_create, comm,
      (MPI_Comm comm, int n, const int nodes[], const int degrees[], const int targets[],
       const int weights[], MPI_Info info, int reorder, MPI_Comm *made_one),
      comm, n, nodes, degrees, targets, weights, info, reorder, made_one)
MAKES(Dist_graph_create_adjacent, comm,
      (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out,
       const int targets[], const int out_weights[], MPI_Info info, int reorder,
       MPI_Comm *made_one),
      comm, in, sources, in_weights, out, targets, out_weights, info, reorder, made_one)

/* Only the group calls it: for the watch it is not a collective of comm. */
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *part)
{
    UNSIZED(CALL_WAIT, comm);
    enter(&call);
    int error = PMPI_Comm_create_group(comm, group, tag, part);
    if (error == MPI_SUCCESS && *part != MPI_COMM_NULL) {
        call_group_made(comm, *part);
        UNSIZED(CALL_CREATE, *part);
        link_enter(&call);
        link_leave(&call);
    }
    leave(&call);
    return error;
}

/* ---- messages ---- */

/* A call described in `call`, and what does it. */
#define DONE(...) \
    do { \
        enter(&call); \
        int error = __VA_ARGS__; \
        leave(&call); \
        return error; \
    } while (0)

/* The four ways to send, and to start sending. */
#define SENDS(name) \
    int MPI_##name(const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) \
    { \
        MESSAGE(CALL_SEND, n, type, to, -1, tag, comm); \
        call.data = v; \
        DONE(link_send(&call, v, PMPI_##name)); \
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
        call.data = v; \
        call.starts = true; \
        enter(&call); \
        int error = link_isend(&call, v, request, PMPI_##name); \
        note_start(&call, error); \
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
    DONE(link_recv(&call, v, status));
}

int MPI_Sendrecv(const void *v, int n, MPI_Datatype type, int to, int tag, void *w, int room,
                 MPI_Datatype other, int from, int other_tag, MPI_Comm comm, MPI_Status *status)
{
    MESSAGE(CALL_SEND_RECV, n, type, to, from, tag, comm);
    call.data = v;
    DONE(link_send_recv(&call, v, w, room, other, other_tag, status));
}

int MPI_Sendrecv_replace(void *v, int n, MPI_Datatype type, int to, int tag, int from,
                         int other_tag, MPI_Comm comm, MPI_Status *status)
{
    MESSAGE(CALL_SEND_RECV, n, type, to, from, tag, comm);
    call.data = v;
    DONE(link_send_recv_replace(&call, v, other_tag, status));
}

int MPI_Irecv(void *v, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    MESSAGE(CALL_RECV, n, type, -1, from, tag, comm);
    call.starts = true;
    enter(&call);
    int error = link_irecv(&call, v, request);
    note_start(&call, error);
    leave(&call);
    return error;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    MESSAGE(CALL_RECV, 0, MPI_BYTE, -1, from, tag, comm);
    DONE(link_probe(from, tag, comm, NULL, status));
}

/* A test never waits. A message that it finds is progress only once received. */
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *found, MPI_Status *status)
{
    MESSAGE(CALL_RECV, 0, MPI_BYTE, -1, from, tag, comm);
    int error = link_probe(from, tag, comm, found, status);
    call_polls(&call, false);
    return error;
}

/* ---- waiting ---- */

/* Of `requests` [n]; a wait, and a test, which completes something if `completes`. */
#define WAITS(name, parameters, n, requests, ...) \
    int MPI_##name parameters \
    { \
        MESSAGE(CALL_WAIT, n, MPI_BYTE, -1, -1, 0, MPI_COMM_NULL); \
        int before = active_of(n, requests); \
        enter(&call); \
        int error = __VA_ARGS__; \
        note_completed(before, n, requests); \
        leave(&call); \
        return error; \
    }
WAITS(Wait, (MPI_Request * request, MPI_Status *status), 1, request, link_wait(1, request, status))
WAITS(Waitall, (int n, MPI_Request *requests, MPI_Status *statuses), n, requests,
      link_wait(n, requests, statuses))
WAITS(Waitany, (int n, MPI_Request *requests, int *index, MPI_Status *status), n, requests,
      link_wait_any(n, requests, index, status))
WAITS(Waitsome, (int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses), n,
      requests, link_wait_some(n, requests, found, indices, statuses))

#define TESTS(name, parameters, n, requests, completes, ...) \
    int MPI_##name parameters \
    { \
        MESSAGE(CALL_WAIT, n, MPI_BYTE, -1, -1, 0, MPI_COMM_NULL); \
        int before = active_of(n, requests), error = __VA_ARGS__; \
        note_completed(before, n, requests); \
        call_polls(&call, completes); \
        return error; \
    }
TESTS(Test, (MPI_Request * request, int *done, MPI_Status *status), 1, request, before > 0 && *done,
      link_test(1, request, done, status))
TESTS(Testall, (int n, MPI_Request *requests, int *done, MPI_Status *statuses), n, requests,
      before > 0 && *done, link_test(n, requests, done, statuses))
TESTS(Testany, (int n, MPI_Request *requests, int *index, int *done, MPI_Status *status), n,
      requests, *done && (*index != MPI_UNDEFINED), link_test_any(n, requests, index, done, status))
TESTS(Testsome, (int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses), n,
      requests, *found != MPI_UNDEFINED && *found > 0,
      link_test_some(n, requests, found, indices, statuses))

int MPI_Request_get_status(MPI_Request request, int *done, MPI_Status *status)
{
    MESSAGE(CALL_WAIT, 1, MPI_BYTE, -1, -1, 0, MPI_COMM_NULL);
    int error = link_request_status(request, done, status);
    call_polls(&call, false);
    return error;
}

int MPI_Request_free(MPI_Request *request)
{
    int before = active_of(1, request), error = link_request_free(request);
    note_completed(before, 1, request);
    return error;
}

/* ---- collectives ---- */

static int collective(const Call *call, int error)
{
    link_leave(call);
    leave(call);
    return error;
}

static int started(const Call *call, int error, const MPI_Request *request)
{
    note_start(call, error);
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

/* A blocking and a nonblocking one. */
#define BOTH(name, start_name, its_call, parameters, ...) \
    int MPI_##name(LIST parameters) \
    { \
        its_call; \
        COLLECTIVE(PMPI_##name(__VA_ARGS__)); \
    } \
    int MPI_##start_name(LIST parameters, MPI_Request *request) \
    { \
        its_call; \
        STARTED(request, PMPI_##start_name(__VA_ARGS__, request)); \
    }
#define LIST(...) __VA_ARGS__

BOTH(Barrier, Ibarrier, UNSIZED(CALL_BARRIER, comm), (MPI_Comm comm), comm)

BOTH(Bcast, Ibcast, TOGETHER(CALL_BROADCAST, n, type, MPI_OP_NULL, root, comm),
     (void *v, int n, MPI_Datatype type, int root, MPI_Comm comm), v, n, type, root, comm)

BOTH(Reduce, Ireduce, TOGETHER(CALL_REDUCE, n, type, op, root, comm),
     (const void *v, void *w, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), v, w,
     n, type, op, root, comm)

#define REDUCES(name, start_name, kind) \
    BOTH(name, start_name, TOGETHER(kind, n, type, op, -1, comm), \
         (const void *v, void *w, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), v, w, n, \
         type, op, comm)
REDUCES(Allreduce, Iallreduce, CALL_ALL_REDUCE)
REDUCES(Reduce_scatter_block, Ireduce_scatter_block, CALL_REDUCE_SCATTER)
REDUCES(Scan, Iscan, CALL_SCAN)
REDUCES(Exscan, Iexscan, CALL_SCAN)

#define EXCHANGES(name, start_name, kind) \
    BOTH(name, start_name, TOGETHER(kind, m, other, MPI_OP_NULL, -1, comm), \
         (const void *v, int n, MPI_Datatype type, void *w, int m, MPI_Datatype other, \
          MPI_Comm comm), \
         v, n, type, w, m, other, comm)
EXCHANGES(Allgather, Iallgather, CALL_ALL_GATHER)
EXCHANGES(Alltoall, Ialltoall, CALL_ALL_TO_ALL)

/* Of the two counts of a gather or scatter, one is valid only on the root, and the other not there
 * if its part is in place. */
#define ROOTED(name, start_name, kind, count, its_type) \
    BOTH(name, start_name, TOGETHER(kind, count, its_type, MPI_OP_NULL, root, comm), \
         (const void *v, int n, MPI_Datatype type, void *w, int m, MPI_Datatype other, int root, \
          MPI_Comm comm), \
         v, n, type, w, m, other, root, comm)
ROOTED(Gather, Igather, CALL_GATHER, v == MPI_IN_PLACE ? m : n, v == MPI_IN_PLACE ? other : type)
ROOTED(Scatter, Iscatter, CALL_SCATTER, w == MPI_IN_PLACE ? n : m, w == MPI_IN_PLACE ? type : other)

/* ---- collectives with different sizes per rank ---- */

static bool is_rank(int root, MPI_Comm comm)
{
    const CallComm *c = call_comm(comm);
    return c && c->rank == root;
}

BOTH(Reduce_scatter, Ireduce_scatter,
     UNEQUAL(LINK_REDUCE_SCATTER, link_whole(comm, n, NULL, type), -1, comm),
     (const void *v, void *w, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm), v, w, n,
     type, op, comm)

BOTH(Allgatherv, Iallgatherv,
     UNEQUAL(LINK_REDUCE_SCATTER, link_whole(comm, m, NULL, other), -1, comm),
     (const void *v, int n, MPI_Datatype type, void *w, const int m[], const int at[],
      MPI_Datatype other, MPI_Comm comm),
     v, n, type, w, m, at, other, comm)

/* Only the root knows all sizes. */
BOTH(Gatherv, Igatherv,
     UNEQUAL(LINK_REDUCE_SCATTER, is_rank(root, comm) ? link_whole(comm, m, NULL, other) : 0, root,
             comm),
     (const void *v, int n, MPI_Datatype type, void *w, const int m[], const int at[],
      MPI_Datatype other, int root, MPI_Comm comm),
     v, n, type, w, m, at, other, root, comm)

BOTH(Scatterv, Iscatterv,
     UNEQUAL(LINK_REDUCE_SCATTER, is_rank(root, comm) ? link_whole(comm, n, NULL, type) : 0, root,
             comm),
     (const void *v, const int n[], const int at[], MPI_Datatype type, void *w, int m,
      MPI_Datatype other, int root, MPI_Comm comm),
     v, n, at, type, w, m, other, root, comm)

/* A rank may send more than it receives: the larger of the two. */
BOTH(Alltoallv, Ialltoallv,
     UNEQUAL(LINK_ALL_TO_ALL,
             fmax(v == MPI_IN_PLACE ? 0 : link_whole(comm, n, NULL, type),
                  link_whole(comm, m, NULL, other)),
             -1, comm),
     (const void *v, const int n[], const int at[], MPI_Datatype type, void *w, const int m[],
      const int to[], MPI_Datatype other, MPI_Comm comm),
     v, n, at, type, w, m, to, other, comm)

BOTH(Alltoallw, Ialltoallw,
     UNEQUAL(LINK_ALL_TO_ALL,
             fmax(v == MPI_IN_PLACE ? 0 : link_whole(comm, n, types, MPI_BYTE),
                  link_whole(comm, m, others, MPI_BYTE)),
             -1, comm),
     (const void *v, const int n[], const int at[], const MPI_Datatype types[], void *w,
      const int m[], const int to[], const MPI_Datatype others[], MPI_Comm comm),
     v, n, at, types, w, m, to, others, comm)
