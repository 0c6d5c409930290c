/* comm_nccl.c: communication between GPUs through NCCL. comm_link_nccl.c starts, watches and ends
 * NCCL.
 *
 * A collective runs on a separate stream, between two events: it starts after the work queued on
 * the caller's stream, and the caller's stream continues after it (for a started one, after
 * comm_wait). The host never waits; the watchdog detects a collective that hangs.
 *
 * MPI, staged through host memory, carries
 *   - tensors that the host can reach, and all tensors where the ranks cannot use NCCL;
 *   - MAX and MIN of floats: NCCL's drop a NaN, ours keep it;
 *   - messages: NCCL has no tags, no COMM_ANY and no sizes, and two ranks that both send first
 *     would deadlock in their streams.
 */
#include "comm_link_nccl.h"
#include "comm_open.h"
#include "watch/call_board.h"
#include <stdlib.h>

struct NcclRequest {
    NcclRequest *next; /* in the pool */
    NcclComm *c;
    CommRequest *mpi; /* the operation, if over MPI; NULL: over NCCL, with */
    cudaEvent_t done; /* reused */
    cudaStream_t s;   /* the caller's */
};

static const CommOps nccl_ops, mpi_ops;

/* ---- requests ---- */

static NcclRequest *request_new(NcclComm *c)
{
    NcclRequest *r = c->spare;
    if (r)
        c->spare = r->next;
    else
        r = alloc(1, sizeof *r);
    r->c = c;
    r->mpi = NULL;
    c->in_flight++;
    return r;
}

/* MPI has started it: wrap its request in ours. NULL: already complete. */
static void request_of_mpi(NcclComm *c, CommRequest **request)
{
    if (!request)
        return;
    NcclRequest *r = request_new(c);
    r->mpi = *request;
    *request = (CommRequest *)r;
}

static int nccl_wait(CommRequest *request)
{
    NcclRequest *r = (NcclRequest *)request;
    NcclComm *c = r->c;
    int from = -1;
    if (r->mpi)
        from = c->mpi->op->wait(r->mpi);
    else
        CUDA_CHECK(cudaStreamWaitEvent(r->s, r->done, 0));
    r->next = c->spare;
    c->spare = r;
    c->in_flight--;
    return from;
}

static bool nccl_test(CommRequest *request)
{
    NcclRequest *r = (NcclRequest *)request;
    if (r->mpi)
        return r->c->mpi->op->test(r->mpi);
    cudaError_t code = cudaEventQuery(r->done);
    if (code == cudaErrorNotReady) {
        cudaGetLastError(); /* else the next kernel's launch would report it */
        return false;
    }
    cuda_check(code, __FILE__, __LINE__, "cudaEventQuery");
    return true;
}

/* ---- a collective's frame: begin; NCCL's call, on c->stream; end ---- */

static bool carried(NcclComm *c, Tensor t, Stream *s)
{
    bool by_nccl = nccl_carries(c, t, s);
    c->base.op = c->carrier == OVER_NCCL ? &nccl_ops : &mpi_ops; /* has the right name */
    return by_nccl;
}

static void *device_address(Tensor t, Stream *s)
{
    char *base = s->be->op->buffer_device(t.buf);
    ASSERT(base || tensor_count(t) == 0);
    return base + t.at * dtype_size(t.dtype);
}

static NcclRequest *begin(NcclComm *c, const char *what, Tensor t, Stream *s)
{
    NcclRequest *r = request_new(c);
    r->s = s->be->op->stream_native(s);
    CUDA_CHECK(cudaSetDevice(c->device)); /* per thread; NCCL needs it */
    if (!r->done)
        CUDA_CHECK(cudaEventCreateWithFlags(&r->done, cudaEventDisableTiming));
    watch_call(c->watch, what, tensor_count(t), "elements", c->seconds);
    CUDA_CHECK(cudaEventRecord(c->ready, r->s));
    CUDA_CHECK(cudaStreamWaitEvent(c->stream, c->ready, 0));
    return r;
}

static void end(NcclRequest *r, CommRequest **request)
{
    NcclComm *c = r->c;
    CUDA_CHECK(cudaEventRecord(r->done, c->stream));
    c->last = r->done;
    watch_queued(c->watch);
    if (request)
        *request = (CommRequest *)r;
    else
        nccl_wait((CommRequest *)r);
}

/* ---- device tensors ---- */

static ncclDataType_t nccl_type(DType t)
{
    return t == F32 ? ncclFloat32 : t == F64 ? ncclFloat64 : ncclInt32;
}
static ncclRedOp_t nccl_op(CommOp op)
{
    return op == COMM_SUM ? ncclSum : op == COMM_MAX ? ncclMax : ncclMin;
}
static bool nccl_reduces(CommOp op, DType t) { return op == COMM_SUM || t == I32; }
/* only moved: the type does not matter */
static size_t bytes_of(Tensor t) { return tensor_count(t) * dtype_size(t.dtype); }

static void nccl_all_reduce(Comm *base, Tensor t, CommOp op, Stream *s, CommRequest **request)
{
    NcclComm *c = (NcclComm *)base;
    if (!carried(c, t, s) || !nccl_reduces(op, t.dtype)) {
        c->mpi->op->all_reduce(c->mpi, t, op, s, request);
        request_of_mpi(c, request);
        return;
    }
    NcclRequest *r = begin(c, "all-reduce", t, s);
    void *data = device_address(t, s);
    NCCL_CHECK(ncclAllReduce(data, data, tensor_count(t), nccl_type(t.dtype), nccl_op(op), c->nccl,
                             c->stream));
    end(r, request);
}

static void nccl_broadcast(Comm *base, Tensor t, int root, Stream *s)
{
    NcclComm *c = (NcclComm *)base;
    if (!carried(c, t, s)) {
        c->mpi->op->broadcast(c->mpi, t, root, s);
        return;
    }
    NcclRequest *r = begin(c, "broadcast", t, s);
    void *data = device_address(t, s);
    NCCL_CHECK(ncclBroadcast(data, data, bytes_of(t), ncclChar, root, c->nccl, c->stream));
    end(r, NULL);
}

static void nccl_reduce_scatter(Comm *base, Tensor out, Tensor in, CommOp op, Stream *s)
{
    NcclComm *c = (NcclComm *)base;
    if (!carried(c, in, s) || !nccl_reduces(op, in.dtype)) {
        c->mpi->op->reduce_scatter(c->mpi, out, in, op, s);
        return;
    }
    NcclRequest *r = begin(c, "reduce-scatter", in, s);
    NCCL_CHECK(ncclReduceScatter(device_address(in, s), device_address(out, s), tensor_count(out),
                                 nccl_type(in.dtype), nccl_op(op), c->nccl, c->stream));
    end(r, NULL);
}

static void nccl_all_gather(Comm *base, Tensor out, Tensor in, Stream *s, CommRequest **request)
{
    NcclComm *c = (NcclComm *)base;
    if (!carried(c, in, s)) {
        c->mpi->op->all_gather(c->mpi, out, in, s, request);
        request_of_mpi(c, request);
        return;
    }
    NcclRequest *r = begin(c, "all-gather", in, s);
    NCCL_CHECK(ncclAllGather(device_address(in, s), device_address(out, s), bytes_of(in), ncclChar,
                             c->nccl, c->stream));
    end(r, request);
}

static void nccl_send(Comm *base, Tensor t, int to, int tag, Stream *s)
{
    NcclComm *c = (NcclComm *)base;
    c->mpi->op->send(c->mpi, t, to, tag, s);
}

static void nccl_recv(Comm *base, Tensor t, int from, int tag, Stream *s, CommRequest **request)
{
    NcclComm *c = (NcclComm *)base;
    c->mpi->op->recv(c->mpi, t, from, tag, s, request);
    request_of_mpi(c, request);
}

/* ---- host memory: over MPI ---- */

static Comm *mpi_of(Comm *base) { return ((NcclComm *)base)->mpi; }
static void nccl_barrier(Comm *base) { mpi_of(base)->op->barrier(mpi_of(base)); }

static void nccl_all_reduce_host(Comm *base, double *v, int n, CommOp op)
{
    mpi_of(base)->op->all_reduce_host(mpi_of(base), v, n, op);
}

static void nccl_broadcast_host(Comm *base, void *data, size_t bytes, int root)
{
    mpi_of(base)->op->broadcast_host(mpi_of(base), data, bytes, root);
}

static void nccl_gather_host(Comm *base, void *all, const void *mine, size_t bytes, int root)
{
    mpi_of(base)->op->gather_host(mpi_of(base), all, mine, bytes, root);
}

/* ---- open, split, close ---- */

/* Takes ownership of `mpi`. */
static NcclComm *nccl_comm_new(Comm *mpi)
{
    NcclComm *c = alloc(1, sizeof *c);
    c->base = (Comm){.op = &mpi_ops,
                     .rank = mpi->rank,
                     .size = mpi->size,
                     .local_rank = mpi->local_rank,
                     .local_size = mpi->local_size};
    c->mpi = mpi;
    c->whole = c;
    return c;
}

Comm *comm_nccl_over(Comm *mpi, bool asked)
{
    double seconds = board_patience();
    /* with 0 any call may return ncclInProgress; set while there is one thread */
    setenv("NCCL_COMM_BLOCKING", "1", true);
    NcclComm *c = nccl_comm_new(mpi);
    c->asked = asked;
    c->seconds = seconds;
    c->start_seconds = getenv("LABS_COMM_SECONDS")
                         ? seconds
                         : 120; /* all ranks have just communicated over MPI */
    return &c->base;
}

Comm *comm_nccl_open(bool asked) { return comm_nccl_over(comm_mpi_open(), asked); }

/* A part decides with its own first tensor: where ranks share GPUs, a part with one rank per GPU
 * may use NCCL though all ranks together cannot. So it gets its own NCCL communicator from a new
 * id, not by ncclCommSplit. */
static Comm *nccl_split(Comm *base, int colour, int key)
{
    NcclComm *c = (NcclComm *)base;
    NcclComm *part = nccl_comm_new(c->mpi->op->split(c->mpi, colour, key));
    part->whole = c->whole;
    part->seconds = c->seconds;
    part->start_seconds = c->start_seconds;
    return &part->base;
}

static void nccl_close(Comm *base)
{
    NcclComm *c = (NcclComm *)base;
    if (c->in_flight)
        die(EXIT_WRONG,
            "comm_close: %d operations were started and never waited for: call comm_wait",
            c->in_flight);
    nccl_leave(c);
    for (NcclRequest *r = c->spare, *next; r; r = next) {
        next = r->next;
        if (r->done)
            CUDA_CHECK(cudaEventDestroy(r->done));
        free(r);
    }
    c->mpi->op->close(c->mpi);
    free(c);
}

#define OPERATIONS \
    COMM_CALLS(nccl), .send = nccl_send, .recv = nccl_recv, .wait = nccl_wait, .test = nccl_test

/* The same operations: the name tells what carries the tensors now. */
static const CommOps nccl_ops = {.name = "nccl", OPERATIONS};
static const CommOps mpi_ops = {.name = "mpi", OPERATIONS};
