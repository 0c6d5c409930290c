/* mpi_refused.c: MPI functions that move data between ranks but that the link does not model: on a
 * link they end the run, with the function's name. See link_refuse in link_calls.h. Of those that
 * follow each other (a window, then MPI_Put; a file, then MPI_File_read) the first is enough.
 */
#include "link_calls.h"
#include "watch/call_board.h"
#include "watch/mpi_call.h"

#define REFUSED(name, parameters, ...) \
    int MPI_##name parameters \
    { \
        link_refuse(__func__); \
        return PMPI_##name(__VA_ARGS__); \
    }

/* ---- messages ---- */

/* Persistent requests, of collectives and of parts of messages, too. */
#define PERSISTENT(name) \
    REFUSED(name, \
            (const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
             MPI_Request *request), \
            v, n, type, to, tag, comm, request)
PERSISTENT(Send_init)
PERSISTENT(Bsend_init)
PERSISTENT(Rsend_init)
PERSISTENT(Ssend_init)
REFUSED(Recv_init,
        (void *v, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
        v, n, type, from, tag, comm, request)
REFUSED(Start, (MPI_Request * request), request)
REFUSED(Startall, (int n, MPI_Request requests[]), n, requests)

REFUSED(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status), from,
        tag, comm, message, status)

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *found, MPI_Message *message,
                MPI_Status *status)
{
    Call call = {.kind = CALL_RECV,
                 .name = __func__,
                 .comm = comm,
                 .type = MPI_BYTE,
                 .op = MPI_OP_NULL,
                 .peer = -1,
                 .from = from,
                 .tag = tag,
                 .site = __builtin_return_address(0)};
    link_refuse(__func__);
    int error = PMPI_Improbe(from, tag, comm, found, message, status);
    call_polls(&call, error == MPI_SUCCESS && *found);
    return error;
}

#if OMPI_MAJOR_VERSION >= 5 || MPI_VERSION >= 4
REFUSED(Isendrecv,
        (const void *v, int n, MPI_Datatype type, int to, int tag, void *w, int m,
         MPI_Datatype other, int from, int other_tag, MPI_Comm comm, MPI_Request *request),
        v, n, type, to, tag, w, m, other, from, other_tag, comm, request)
REFUSED(Isendrecv_replace,
        (void *v, int n, MPI_Datatype type, int to, int tag, int from, int other_tag, MPI_Comm comm,
         MPI_Request *request),
        v, n, type, to, tag, from, other_tag, comm, request)
#endif

/* ---- neighbors ---- */

#define NEIGHBORS(name, start_name, parameters, ...) \
    REFUSED(name, (LIST parameters), __VA_ARGS__) \
    REFUSED(start_name, (LIST parameters, MPI_Request * request), __VA_ARGS__, request)
#define LIST(...) __VA_ARGS__
NEIGHBORS(Neighbor_allgather, Ineighbor_allgather,
          (const void *v, int n, MPI_Datatype type, void *w, int m, MPI_Datatype other,
           MPI_Comm comm),
          v, n, type, w, m, other, comm)
NEIGHBORS(Neighbor_allgatherv, Ineighbor_allgatherv,
          (const void *v, int n, MPI_Datatype type, void *w, const int m[], const int at[],
           MPI_Datatype other, MPI_Comm comm),
          v, n, type, w, m, at, other, comm)
NEIGHBORS(Neighbor_alltoall, Ineighbor_alltoall,
          (const void *v, int n, MPI_Datatype type, void *w, int m, MPI_Datatype other,
           MPI_Comm comm),
          v, n, type, w, m, other, comm)
NEIGHBORS(Neighbor_alltoallv, Ineighbor_alltoallv,
          (const void *v, const int n[], const int at[], MPI_Datatype type, void *w, const int m[],
           const int to[], MPI_Datatype other, MPI_Comm comm),
          v, n, at, type, w, m, to, other, comm)
NEIGHBORS(Neighbor_alltoallw, Ineighbor_alltoallw,
          (const void *v, const int n[], const MPI_Aint at[], const MPI_Datatype types[], void *w,
           const int m[], const MPI_Aint to[], const MPI_Datatype others[], MPI_Comm comm),
          v, n, at, types, w, m, to, others, comm)

/* ---- memory and files of others ---- */

REFUSED(Win_create,
        (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window), base,
        size, unit, info, comm, window)
REFUSED(Win_allocate,
        (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window), size,
        unit, info, comm, base, window)
REFUSED(Win_allocate_shared,
        (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window), size,
        unit, info, comm, base, window)
REFUSED(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *window), info, comm, window)
REFUSED(File_open, (MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file), comm,
        path, mode, info, file)

/* ---- communicators ---- */

REFUSED(Comm_idup, (MPI_Comm comm, MPI_Comm *copy, MPI_Request *request), comm, copy, request)
#if OMPI_MAJOR_VERSION >= 5 || MPI_VERSION >= 4
REFUSED(Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *copy, MPI_Request *request),
        comm, info, copy, request)
REFUSED(Comm_create_from_group,
        (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler errors, MPI_Comm *made),
        group, tag, info, errors, made)
#endif
REFUSED(Intercomm_create,
        (MPI_Comm comm, int leader, MPI_Comm bridge, int other, int tag, MPI_Comm *made), comm,
        leader, bridge, other, tag, made)
REFUSED(Intercomm_merge, (MPI_Comm between, int high, MPI_Comm *made), between, high, made)
REFUSED(Comm_spawn,
        (const char *command, char *arguments[], int most, MPI_Info info, int root, MPI_Comm comm,
         MPI_Comm *made, int errors[]),
        command, arguments, most, info, root, comm, made, errors)
REFUSED(Comm_spawn_multiple,
        (int n, char *commands[], char **arguments[], const int most[], const MPI_Info infos[],
         int root, MPI_Comm comm, MPI_Comm *made, int errors[]),
        n, commands, arguments, most, infos, root, comm, made, errors)
REFUSED(Comm_accept, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
        port, info, root, comm, made)
REFUSED(Comm_connect, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
        port, info, root, comm, made)
REFUSED(Comm_join, (int socket, MPI_Comm *made), socket, made)
