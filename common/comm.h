/* comm.h: communication between ranks. The contract between the training loops and the network.
 *
 * A run is `size` processes, the ranks 0 … size-1, all running the same program. A collective
 * (all-reduce, broadcast, …) must be called by every rank, in the same order, with the same shapes:
 * a rank that skips one leaves the others waiting.
 *
 *   this header           MPI (comm_mpi.c)          NCCL (comm_nccl.c)
 *   comm_open             MPI_Init_thread           ncclCommInitRank (its id broadcast over MPI)
 *   comm_all_reduce       MPI_Allreduce             ncclAllReduce
 *   comm_broadcast        MPI_Bcast                 ncclBroadcast
 *   comm_reduce_scatter   MPI_Reduce_scatter_block  ncclReduceScatter
 *   comm_all_gather       MPI_Allgather             ncclAllGather
 *   comm_send, comm_recv  MPI_Send, MPI_Recv        over MPI: NCCL has no tags and no COMM_ANY
 *   comm_barrier          MPI_Barrier               over MPI
 *   comm_split            MPI_Comm_split            over MPI; each part gets its own ncclComm
 *   comm_*_start          MPI_Iallreduce, …         the same calls: they return when queued
 *   comm_wait             MPI_Wait                  cudaStreamWaitEvent
 *   comm_*_host           as above, on host memory  over MPI
 *
 * NCCL carries tensors on GPUs where each rank has its own GPU. MPI carries everything else:
 * tensors in host memory, MAX and MIN of floats and, where ranks share a GPU (rank 0 prints a
 * note), GPU tensors staged through host memory.
 *
 * Mistakes between ranks end the run with an explanation (watch/call_board.h): at once if two
 * ranks' collectives do not match; within seconds if a rank has left or all ranks wait for each
 * other; after LABS_COMM_SECONDS (600; 0: never) if the missing rank makes no call at all.
 * SIGQUIT prints where each rank is.
 *
 * A collective through NCCL makes the stream wait, not the host. If it is not done within
 * LABS_COMM_SECONDS, NCCL does not start within 120 s (or as many), or NCCL reports an error, the
 * run ends. No call may come while work is recorded (record_begin in backend.h).
 *
 * Device tensors must have no halo, and one call takes at most 2^31 - 1 elements. In and out of one
 * call must not overlap, with one exception: the part of a blocking comm_reduce_scatter or
 * comm_all_gather may be exactly this rank's part of the whole (on every rank, or on none). After
 * such a reduce-scatter the rest of the whole is undefined. A call is ordered with `s`: it starts
 * after the work queued on s, and work queued on s after the call (of a started one: after
 * comm_wait) sees the result. Calls come from one thread at a time, any thread. With one rank
 * (comm_self.c) every collective leaves or copies the elements unchanged. A reduction gives the
 * same bits on every rank. From run to run, with the same ranks on the same machines, its bits
 * usually repeat, but neither MPI nor NCCL guarantees that. MAX and MIN of a NaN are NaN. Any
 * failure of the network ends all ranks through die().
 */
#ifndef COMM_H
#define COMM_H
#include "backend.h"

typedef enum { COMM_SUM, COMM_MAX, COMM_MIN } CommOp;
enum { COMM_ANY = -1 }; /* comm_recv: from any rank */

typedef struct Comm Comm;
typedef struct CommRequest CommRequest; /* an operation in flight */

typedef struct CommOps {
    const char *name; /* "self", "mpi", "nccl": what carries device tensors now */
    void (*broadcast)(Comm *c, Tensor t, int root, Stream *s);
    void (*reduce_scatter)(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s);
    void (*send)(Comm *c, Tensor t, int to, int tag, Stream *s);
    /* These start the operation and, with `request` NULL, also complete it; else the caller waits
     * for *request. */
    void (*all_reduce)(Comm *c, Tensor t, CommOp op, Stream *s, CommRequest **request);
    void (*all_gather)(Comm *c, Tensor out, Tensor in, Stream *s, CommRequest **request);
    void (*recv)(Comm *c, Tensor t, int from, int tag, Stream *s, CommRequest **request);
    int (*wait)(CommRequest *request);  /* frees it; returns the sender's rank for recv, else -1 */
    bool (*test)(CommRequest *request); /* done? frees nothing; also drives the progress of MPI */
    void (*barrier)(Comm *c);
    void (*all_reduce_host)(Comm *c, double *v, int n, CommOp op);
    void (*broadcast_host)(Comm *c, void *data, size_t bytes, int root);
    void (*gather_host)(Comm *c, void *all, const void *mine, size_t bytes, int root);
    Comm *(*split)(Comm *c, int colour, int key);
    void (*close)(Comm *c);
} CommOps;

/* What every kind has: self_all_reduce … for COMM_CALLS(self). */
#define COMM_CALLS(p) \
    .broadcast = p##_broadcast, .reduce_scatter = p##_reduce_scatter, \
    .all_reduce = p##_all_reduce, .all_gather = p##_all_gather, .barrier = p##_barrier, \
    .all_reduce_host = p##_all_reduce_host, .broadcast_host = p##_broadcast_host, \
    .gather_host = p##_gather_host, .split = p##_split, .close = p##_close

struct Comm {
    const CommOps *op;
    int rank, size;             /* this process among all */
    int local_rank, local_size; /* this process among those on the same machine */
    double bytes; /* payload handed in by this rank so far: to collectives (to a broadcast only as
                   * its root) and sends; not what it received; 0 where size is 1 */
};

/* Start the library. kind: "auto" (under mpirun "mpi", or "nccl" for tensors on GPUs where this
 * program has it; else "self"), "self", "mpi", "nccl" (without a GPU the run ends with status 77).
 * From then on die() ends all ranks. Once per run: more communicators through comm_split. */
Comm *comm_open(const char *kind);
/* Close it. Collective: it may wait for the other ranks. First call comm_wait for every started
 * operation (else the run ends). A rank that exits without comm_close ends the run (exit 1). NULL
 * is fine. */
void comm_close(Comm *c);

/* ---- on device tensors; same shape, dtype and kind of memory on every rank ---- */
/* In place: every rank ends with the sum (max, min) over ranks. F32, F64, I32. */
void comm_all_reduce(Comm *c, Tensor t, CommOp op, Stream *s);
/* Every rank ends with root's elements. Any dtype. */
void comm_broadcast(Comm *c, Tensor t, int root, Stream *s);
/* in: size*n elements on every rank, out: n; rank r gets elements [r*n, (r+1)*n) of the reduced
 * tensor. F32, F64, I32. (Not needed for the nine steps.) */
void comm_reduce_scatter(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s);
/* in: n elements, out: size*n, rank r's at r*n. Any dtype. (Not needed for the nine steps.) */
void comm_all_gather(Comm *c, Tensor out, Tensor in, Stream *s);
/* A message to one other rank, any dtype; returns when t may be written again, which may be only
 * once it is received. tag 0 … 32767. */
void comm_send(Comm *c, Tensor t, int to, int tag, Stream *s);
/* Waits for the next message with this tag from rank `from` (COMM_ANY: from any; not on
 * link.h's virtual clock). A message of another size than t's ends the run. Returns the sender's
 * rank. */
int comm_recv(Comm *c, Tensor t, int from, int tag, Stream *s);

/* ---- non-blocking: leave the tensors alone until comm_wait. The first on a communicator may wait
 * until all its ranks call it. (Not needed for the nine steps.) ---- */
CommRequest *comm_all_reduce_start(Comm *c, Tensor t, CommOp op, Stream *s);
CommRequest *comm_all_gather_start(Comm *c, Tensor out, Tensor in, Stream *s);
CommRequest *comm_recv_start(Comm *c, Tensor t, int from, int tag, Stream *s);
/* Completes and frees r; NULL (an operation that completed at once) is fine. Over MPI it returns
 * when the operation is done. Over NCCL it returns at once, before the operation may be done: work
 * queued on s from then on starts after it. Returns the sender's rank for a receive, else -1. */
int comm_wait(Comm *c, CommRequest *r);
/* Is the operation done? (NULL: true.) Never waits; comm_wait must still be called. */
bool comm_test(Comm *c, CommRequest *r);

/* ---- on host memory, for small things: metrics, decisions, file names ---- */
void comm_barrier(Comm *c); /* returns when every rank has called it */
void comm_all_reduce_host(Comm *c, double *v, int n, CommOp op); /* v[n], in place */
void comm_broadcast_host(Comm *c, void *data, size_t bytes, int root);
/* `bytes` bytes of each rank, rank r's at all + r*bytes; all is used on root only, elsewhere NULL
 * is fine. */
void comm_gather_host(Comm *c, void *all, const void *mine, size_t bytes, int root);

/* The ranks that give the same colour (0 or more) form a new, smaller communicator, ordered by key,
 * then by old rank. Collective. Free with comm_close, before c. On GPUs wait (comm_wait) for one
 * communicator's operations before starting another's on the same stream: two in flight may
 * deadlock. */
Comm *comm_split(Comm *c, int colour, int key);
#endif
