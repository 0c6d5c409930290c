/* comm.h: how ranks talk. The contract between the training loops and the network.
 *
 * A run is `size` processes, the ranks 0 … size-1, all running the same program. A collective (all-reduce, broadcast, …) must be called by
 * every rank, in the same order, with the same shapes: a rank that skips one leaves the others waiting for ever.
 *
 *   this header               MPI (comm_mpi.c)                NCCL (comm_nccl.c)
 *   comm_open                 MPI_Init_thread, Comm_rank …    ncclCommInitRank (its id travels over MPI)
 *   comm_all_reduce           MPI_Allreduce / MPI_Iallreduce  ncclAllReduce
 *   comm_broadcast            MPI_Bcast                       ncclBroadcast
 *   comm_reduce_scatter       MPI_Reduce_scatter_block        ncclReduceScatter
 *   comm_all_gather           MPI_Allgather                   ncclAllGather
 *   comm_send, comm_recv      MPI_Send, MPI_Recv              ncclSend, ncclRecv (no COMM_ANY)
 *   comm_barrier, comm_split  MPI_Barrier, MPI_Comm_split     (MPI), ncclCommSplit
 *   comm_*_host               the same on host memory, always over MPI
 *
 * Device tensors must have no halo, in and out of one call must not overlap, and one call takes at most 2^31 - 1 numbers. Their work is
 * ordered with `s`: it starts after what was queued on s, and what is queued on s later sees the result. With one rank (comm_self.c) every
 * collective is the identity. The same calls on the same data give the same bits on every rank; MAX and MIN of a NaN are NaN. Any failure of
 * the network ends all ranks through die().
 */
#ifndef COMM_H
#define COMM_H
#include "backend.h"

typedef enum { COMM_SUM, COMM_MAX, COMM_MIN } CommOp;
enum { COMM_ANY = -1 }; /* comm_recv: from whoever sends first */

typedef struct Comm Comm;
typedef struct CommRequest CommRequest; /* an operation under way */

typedef struct CommOps {
    const char *name; /* "self", "mpi", "nccl" */
    /* Each starts the operation and, with `request` NULL, also completes it; else *request is to be waited for. */
    void (*all_reduce)(Comm *c, Tensor t, CommOp op, Stream *s, CommRequest **request);
    void (*broadcast)(Comm *c, Tensor t, int root, Stream *s, CommRequest **request);
    void (*reduce_scatter)(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s, CommRequest **request);
    void (*all_gather)(Comm *c, Tensor out, Tensor in, Stream *s, CommRequest **request);
    void (*send)(Comm *c, Tensor t, int to, int tag, Stream *s, CommRequest **request);
    void (*recv)(Comm *c, Tensor t, int from, int tag, Stream *s, CommRequest **request);
    int (*wait)(CommRequest *request);  /* frees it; returns the sender's rank for recv, else -1 */
    bool (*test)(CommRequest *request); /* is it done? does not free; also drives the library's progress */
    void (*barrier)(Comm *c);
    void (*all_reduce_host)(Comm *c, double *v, int n, CommOp op);
    void (*broadcast_host)(Comm *c, void *data, size_t bytes, int root);
    void (*gather_host)(Comm *c, void *all, const void *mine, size_t bytes, int root);
    Comm *(*split)(Comm *c, int colour, int key);
    void (*close)(Comm *c);
} CommOps;

struct Comm {
    const CommOps *op;
    int rank, size;             /* this process among all */
    int local_rank, local_size; /* this process among those on the same machine */
    double bytes;               /* payload that this rank gave to collectives (a broadcast's root) and sends so far; 0 where size is 1 */
};

/* Start the library. kind: "auto" (mpi where started by mpirun, else self), "self", "mpi", "nccl". After it die() ends all ranks. */
Comm *comm_open(const char *kind);
/* Leave in good order; every rank must come here. NULL is fine. */
void comm_close(Comm *c);

/* ---- on device tensors; same shape and dtype on every rank ---- */
void comm_all_reduce(Comm *c, Tensor t, CommOp op, Stream *s); /* in place: every rank ends with the sum (max, min) over ranks. F32, F64, I32 */
void comm_broadcast(Comm *c, Tensor t, int root, Stream *s);   /* every rank ends with root's numbers. Any dtype */
void comm_reduce_scatter(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s);
/* in: size*n numbers, out: n: rank r gets part r of the reduced whole */
void comm_all_gather(Comm *c, Tensor out, Tensor in, Stream *s); /* in: n numbers, out: size*n, rank r's at r*n */
void comm_send(Comm *c, Tensor t, int to, int tag, Stream *s);   /* returns when t may be written again; tag 0 … 32767; not to itself */
int comm_recv(Comm *c, Tensor t, int from, int tag, Stream *s);  /* from: a rank or COMM_ANY; returns the sender's rank */

/* ---- the same, not waiting: leave the tensors alone until comm_wait ---- */
CommRequest *comm_all_reduce_start(Comm *c, Tensor t, CommOp op, Stream *s);
CommRequest *comm_broadcast_start(Comm *c, Tensor t, int root, Stream *s);
CommRequest *comm_reduce_scatter_start(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s);
CommRequest *comm_all_gather_start(Comm *c, Tensor out, Tensor in, Stream *s);
CommRequest *comm_send_start(Comm *c, Tensor t, int to, int tag, Stream *s);
CommRequest *comm_recv_start(Comm *c, Tensor t, int from, int tag, Stream *s);
int comm_wait(Comm *c, CommRequest *r);  /* completes and frees r; NULL is fine. Returns the sender's rank for a receive, else -1 */
bool comm_test(Comm *c, CommRequest *r); /* true when comm_wait would not have to wait; r stays valid */

/* ---- on host memory, for small things: metrics, decisions, files' names ---- */
void comm_barrier(Comm *c); /* returns when every rank has come here */
void comm_all_reduce_host(Comm *c, double *v, int n, CommOp op);
void comm_broadcast_host(Comm *c, void *data, size_t bytes, int root);
void comm_gather_host(Comm *c, void *all, const void *mine, size_t bytes, int root); /* all: size*bytes, on root only, else NULL */

/* The ranks that give the same colour (0 or more) form a new, smaller communicator, ordered by key, then by old rank. Collective. Free with
 * comm_close, before c. */
Comm *comm_split(Comm *c, int colour, int key);
#endif
