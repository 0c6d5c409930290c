/* comm.h: how ranks talk. The contract between the training loops and the network.
 *
 * A run is `size` processes, the ranks 0 … size-1, all running the same program. A collective
 * (all-reduce, broadcast, …) must be called by every rank, in the same order, with the same shapes:
 * a rank that skips one leaves the others waiting for ever.
 *
 *   this header               MPI (comm_mpi.c)                NCCL (comm_nccl.c)
 *   comm_open                 MPI_Init_thread, Comm_rank …    ncclCommInitRank (its id travels over
 *                             MPI)
 *   comm_all_reduce           MPI_Allreduce / MPI_Iallreduce  ncclAllReduce
 *   comm_broadcast            MPI_Bcast                       ncclBroadcast
 *   comm_reduce_scatter       MPI_Reduce_scatter_block        ncclReduceScatter
 *   comm_all_gather           MPI_Allgather                   ncclAllGather
 *   comm_send, comm_recv      MPI_Send, MPI_Recv              (MPI: NCCL has no tags and no
 *                             COMM_ANY)
 *   comm_barrier, comm_split  MPI_Barrier, MPI_Comm_split     (MPI); a part gets a new id, and so
 *                             an ncclComm, of its own
 *   comm_*_host               the same on host memory, always over MPI
 *
 * NCCL carries tensors on GPUs, where each rank has one of its own. MPI carries those in host
 * memory, MAX and MIN of floats, and where ranks share a GPU all of them (rank 0 says so, once), by
 * way of host memory. A collective by NCCL makes the stream wait, not the host. When it is not done
 * within 600 s (LABS_COMM_SECONDS=N; NCCL's start: 120), or NCCL reports an error, the run ends; a
 * recorded one has no limit. What MPI carries is not watched so, nor is the first tensor's
 * collective until the ranks have agreed, over MPI, that NCCL can serve: there ranks wait for a
 * missing one for ever.
 *
 * Device tensors must have no halo, in and out of one call must not overlap, and one call takes at
 * most 2^31 - 1 numbers. Their work is ordered with `s`: it starts after what was queued on s, and
 * what is queued on s after the call (of a started one: after comm_wait) sees the result. Calls
 * come from one thread at a time, any thread. With one rank (comm_self.c) every collective leaves
 * or copies the numbers as they are. The same calls on the same data give the same bits on every
 * rank; MAX and MIN of a NaN are NaN. Any failure of the network ends all ranks through die().
 */
#ifndef COMM_H
#define COMM_H
#include "backend.h"

typedef enum { COMM_SUM, COMM_MAX, COMM_MIN } CommOp;
enum { COMM_ANY = -1 }; /* comm_recv: from whoever sends first */

typedef struct Comm Comm;
typedef struct CommRequest CommRequest; /* an operation under way */

typedef struct CommOps {
    const char *name; /* "self", "mpi", "nccl": what carries tensors on a device now */
    /* Each starts the operation and, with `request` NULL, also completes it; else *request is to be
     * waited for. */
    void (*all_reduce)(Comm *c, Tensor t, CommOp op, Stream *s, CommRequest **request);
    void (*broadcast)(Comm *c, Tensor t, int root, Stream *s, CommRequest **request);
    void (*reduce_scatter)(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s,
                           CommRequest **request);
    void (*all_gather)(Comm *c, Tensor out, Tensor in, Stream *s, CommRequest **request);
    void (*send)(Comm *c, Tensor t, int to, int tag, Stream *s, CommRequest **request);
    void (*recv)(Comm *c, Tensor t, int from, int tag, Stream *s, CommRequest **request);
    int (*wait)(CommRequest *request);  /* frees it; returns the sender's rank for recv, else -1 */
    bool (*test)(CommRequest *request); /* is it done? does not free; also drives the library's
                                         * progress */
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
    double bytes;               /* payload that this rank gave so far: to collectives (to a
                                 * broadcast only as its root), in sends; not what it received;
                                 * 0 where size is 1 */
};

/* Start the library. kind: "auto" (where started by mpirun mpi, and nccl for tensors on GPUs where
 * this program has it; else self), "self", "mpi", "nccl" (without a GPU the run ends with status
 * 77). After it die() ends all ranks. Once per run: more by comm_split. */
Comm *comm_open(const char *kind);
/* Leave in good order, all started operations waited for; a rank that ends without it ends the run
 * (exit 1). Recordings with collectives in them: free before comm_close. NULL is fine. */
void comm_close(Comm *c);

/* ---- on device tensors; same shape, dtype and kind of memory on every rank ---- */
/* In place: every rank ends with the sum (max, min) over ranks. F32, F64, I32. */
void comm_all_reduce(Comm *c, Tensor t, CommOp op, Stream *s);
/* Every rank ends with root's numbers. Any dtype. */
void comm_broadcast(Comm *c, Tensor t, int root, Stream *s);
/* in: size*n elements on every rank, out: n; rank r gets elements [r*n, (r+1)*n) of the reduced
 * whole. F32, F64, I32. For lab 2. */
void comm_reduce_scatter(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s);
/* in: n elements, out: size*n, rank r's at r*n. Any dtype. For lab 2. */
void comm_all_gather(Comm *c, Tensor out, Tensor in, Stream *s);
/* A message to one other rank, any dtype; returns when t may be written again, perhaps only when it
 * is being received. tag 0 … 32767. */
void comm_send(Comm *c, Tensor t, int to, int tag, Stream *s);
/* Waits for the next message with this tag from rank `from` (COMM_ANY: from any). Its size must be
 * t's, else the run ends. Returns the sender's rank. */
int comm_recv(Comm *c, Tensor t, int from, int tag, Stream *s);

/* ---- the same, not waiting: leave the tensors alone until comm_wait. The first of a communicator
 * may wait until all its ranks make it. For lab 2, but comm_recv_start, which lab 1 uses. ---- */
CommRequest *comm_all_reduce_start(Comm *c, Tensor t, CommOp op, Stream *s);
CommRequest *comm_broadcast_start(Comm *c, Tensor t, int root, Stream *s);
CommRequest *comm_reduce_scatter_start(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s);
CommRequest *comm_all_gather_start(Comm *c, Tensor out, Tensor in, Stream *s);
CommRequest *comm_send_start(Comm *c, Tensor t, int to, int tag, Stream *s);
CommRequest *comm_recv_start(Comm *c, Tensor t, int from, int tag, Stream *s);
/* Completes and frees r; NULL (a start that was done at once) is fine. Returns the sender's rank
 * for a receive, else -1. */
int comm_wait(Comm *c, CommRequest *r);
/* True when comm_wait would not have to wait (NULL: true). comm_wait is still to be called. */
bool comm_test(Comm *c, CommRequest *r);

/* ---- on host memory, for small things: metrics, decisions, files' names ---- */
void comm_barrier(Comm *c); /* returns when every rank has come here */
void comm_all_reduce_host(Comm *c, double *v, int n, CommOp op); /* v[n], in place */
void comm_broadcast_host(Comm *c, void *data, size_t bytes, int root);
/* `bytes` bytes of each rank, rank r's at all + r*bytes; all is used on root only, elsewhere NULL
 * is fine. */
void comm_gather_host(Comm *c, void *all, const void *mine, size_t bytes, int root);

/* The ranks that give the same colour (0 or more) form a new, smaller communicator, ordered by key,
 * then by old rank. Collective. Free with comm_close, before c. On GPUs one communicator's
 * operations must be waited for (comm_wait) before another's begin, on the same stream: two at once
 * may wait for each other for ever. */
Comm *comm_split(Comm *c, int colour, int key);
#endif
