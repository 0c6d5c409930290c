/* comm_mpi.c: communication through MPI. comm_mpi_request.c brings the tensors to MPI and back.
 */
#include "comm_mpi_request.h"
#include "comm_open.h"
#include "mpi_check.h"
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct MpiComm {
    Comm base; /* first: a Comm * of this file is an MpiComm * */
    MPI_Comm comm;
    MPI_Op max, min; /* of F32 and F64: ordered() */
    RequestPool pool;
    bool whole; /* made by comm_open, not by comm_split */
} MpiComm;

static const CommOps mpi_ops;

/* ---- counts, types and reductions ---- */

static int mpi_count(size_t count)
{
    if (count > INT_MAX)
        die(EXIT_USAGE,
            "%zu elements in one call: MPI counts to %d: cut the tensor with tensor_slice", count,
            INT_MAX);
    return (int)count;
}

static MPI_Datatype mpi_type(DType t)
{
    return t == F32              ? MPI_FLOAT
         : t == F64              ? MPI_DOUBLE
         : t == I32              ? MPI_INT32_T
         : t == BF16 || t == F16 ? MPI_UINT16_T
                                 : MPI_BYTE;
}

/* Whether MPI_MAX keeps or drops a NaN, and takes +0 or -0, depends on the operands' order, which
 * differs between ranks: one would stop on a NaN loss and the others continue. Here a NaN always
 * wins, and +0 is above -0. */
static double ordered(double a, double b, bool larger)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return (signbit(a) != 0) == larger ? b : a;
    return (a > b) == larger ? a : b;
}

static void reduce_ordered(const void *in, void *inout, int n, MPI_Datatype type, bool larger)
{
    if (type == MPI_FLOAT)
        for (int i = 0; i < n; i++)
            ((float *)inout)[i] = (float)ordered(((float *)inout)[i], ((const float *)in)[i],
                                                 larger);
    else
        for (int i = 0; i < n; i++)
            ((double *)inout)[i] = ordered(((double *)inout)[i], ((const double *)in)[i], larger);
}

static void reduce_max(void *in, void *inout, int *n, MPI_Datatype *type)
{
    reduce_ordered(in, inout, *n, *type, true);
}

static void reduce_min(void *in, void *inout, int *n, MPI_Datatype *type)
{
    reduce_ordered(in, inout, *n, *type, false);
}

static MPI_Op mpi_op(const MpiComm *c, CommOp op, DType t)
{
    if (op == COMM_SUM)
        return MPI_SUM;
    if (t == I32)
        return op == COMM_MAX ? MPI_MAX : MPI_MIN;
    return op == COMM_MAX ? c->max : c->min;
}

/* ---- device tensors ---- */

static void mpi_all_reduce(Comm *base, Tensor t, CommOp op, Stream *s, CommRequest **request)
{
    MpiComm *c = (MpiComm *)base;
    int n = mpi_count(tensor_count(t));
    CommRequest *r = request_begin(&c->pool, s);
    void *data = request_lend(r, t, MPI_READS | MPI_WRITES);
    MPI_Datatype type = mpi_type(t.dtype);
    if (request)
        MPI_CHECK(MPI_Iallreduce, MPI_IN_PLACE, data, n, type, mpi_op(c, op, t.dtype), c->comm,
                  &r->mpi);
    else
        MPI_CHECK(MPI_Allreduce, MPI_IN_PLACE, data, n, type, mpi_op(c, op, t.dtype), c->comm);
    request_end(r, request);
}

static void mpi_broadcast(Comm *base, Tensor t, int root, Stream *s)
{
    MpiComm *c = (MpiComm *)base;
    int n = mpi_count(tensor_count(t));
    CommRequest *r = request_begin(&c->pool, s);
    void *data = request_lend(r, t, base->rank == root ? MPI_READS : MPI_WRITES);
    MPI_CHECK(MPI_Bcast, data, n, mpi_type(t.dtype), root, c->comm);
    request_wait(r);
}

/* In host memory, is `part` this rank's part of `whole`? Nothing is part of nothing. */
static bool in_place(const Comm *c, const void *whole, const void *part, size_t bytes)
{
    return bytes && (const char *)whole + (size_t)c->rank * bytes == part;
}

/* MPI leaves the sum of this rank's part at the start of the whole. */
static void reduce_scatter_in_place(MpiComm *c, char *whole, char *part, int n, Tensor t, CommOp op)
{
    MPI_CHECK(MPI_Reduce_scatter_block, MPI_IN_PLACE, whole, n, mpi_type(t.dtype),
              mpi_op(c, op, t.dtype), c->comm);
    memmove(part, whole, (size_t)n * dtype_size(t.dtype));
}

static void mpi_reduce_scatter(Comm *base, Tensor out, Tensor in, CommOp op, Stream *s)
{
    MpiComm *c = (MpiComm *)base;
    mpi_count(tensor_count(in));
    int n = mpi_count(tensor_count(out));
    CommRequest *r = request_begin(&c->pool, s);
    void *from = request_lend(r, in, MPI_READS);
    void *to = request_lend(r, out, MPI_WRITES);
    MPI_Datatype type = mpi_type(in.dtype);
    if (in_place(base, from, to, (size_t)n * dtype_size(in.dtype)))
        reduce_scatter_in_place(c, from, to, n, in, op);
    else
        MPI_CHECK(MPI_Reduce_scatter_block, from, to, n, type, mpi_op(c, op, in.dtype), c->comm);
    request_wait(r);
}

static void mpi_all_gather(Comm *base, Tensor out, Tensor in, Stream *s, CommRequest **request)
{
    MpiComm *c = (MpiComm *)base;
    mpi_count(tensor_count(out));
    int n = mpi_count(tensor_count(in));
    CommRequest *r = request_begin(&c->pool, s);
    void *from = request_lend(r, in, MPI_READS);
    void *to = request_lend(r, out, MPI_WRITES);
    MPI_Datatype type = mpi_type(in.dtype);
    if (in_place(base, to, from, (size_t)n * dtype_size(in.dtype)))
        from = MPI_IN_PLACE;
    if (request)
        MPI_CHECK(MPI_Iallgather, from, n, type, to, n, type, c->comm, &r->mpi);
    else
        MPI_CHECK(MPI_Allgather, from, n, type, to, n, type, c->comm);
    request_end(r, request);
}

static void mpi_send(Comm *base, Tensor t, int to, int tag, Stream *s)
{
    MpiComm *c = (MpiComm *)base;
    int n = mpi_count(tensor_count(t));
    CommRequest *r = request_begin(&c->pool, s);
    MPI_CHECK(MPI_Isend, request_lend(r, t, MPI_READS), n, mpi_type(t.dtype), to, tag, c->comm,
              &r->mpi);
    request_wait(r);
}

static void mpi_recv(Comm *base, Tensor t, int from, int tag, Stream *s, CommRequest **request)
{
    MpiComm *c = (MpiComm *)base;
    int n = mpi_count(tensor_count(t));
    CommRequest *r = request_begin(&c->pool, s);
    r->receives = true;
    r->expected = tensor_count(t) * dtype_size(t.dtype);
    void *data = request_lend(r, t, MPI_WRITES);
    from = from == COMM_ANY ? MPI_ANY_SOURCE : from;
    MPI_CHECK(MPI_Irecv, data, n, mpi_type(t.dtype), from, tag, c->comm, &r->mpi);
    request_end(r, request);
}

/* ---- host memory ---- */

static void mpi_barrier(Comm *base) { MPI_CHECK(MPI_Barrier, ((MpiComm *)base)->comm); }

static void mpi_all_reduce_host(Comm *base, double *v, int n, CommOp op)
{
    MpiComm *c = (MpiComm *)base;
    MPI_CHECK(MPI_Allreduce, MPI_IN_PLACE, v, n, MPI_DOUBLE, mpi_op(c, op, F64), c->comm);
}

static void mpi_broadcast_host(Comm *base, void *data, size_t bytes, int root)
{
    MPI_CHECK(MPI_Bcast, data, mpi_count(bytes), MPI_BYTE, root, ((MpiComm *)base)->comm);
}

static void mpi_gather_host(Comm *base, void *all, const void *mine, size_t bytes, int root)
{
    int n = mpi_count(bytes);
    MPI_CHECK(MPI_Gather, mine, n, MPI_BYTE, all, n, MPI_BYTE, root, ((MpiComm *)base)->comm);
}

/* ---- open, split, close ---- */

/* Takes ownership of `comm`. */
static Comm *mpi_comm_new(MPI_Comm comm, bool whole)
{
    MpiComm *c = alloc(1, sizeof *c);
    c->base.op = &mpi_ops;
    c->comm = comm;
    c->whole = whole;
    MPI_CHECK(MPI_Comm_set_errhandler, comm, MPI_ERRORS_RETURN); /* MPI_CHECK reports it, once */
    MPI_CHECK(MPI_Comm_rank, comm, &c->base.rank);
    MPI_CHECK(MPI_Comm_size, comm, &c->base.size);
    MPI_Comm node, machine;
    const char *per_machine = getenv("LABS_RANKS_PER_MACHINE"); /* the self-check: as if so few */
    int few = per_machine ? atoi(per_machine) : 0;
    /* PMPI: the watch counts the program's collectives, not these. */
    MPI_CHECK(PMPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_CHECK(PMPI_Comm_split, node, few > 0 ? c->base.rank / few : 0, 0, &machine);
    MPI_CHECK(PMPI_Comm_free, &node);
    MPI_CHECK(MPI_Comm_rank, machine, &c->base.local_rank);
    MPI_CHECK(MPI_Comm_size, machine, &c->base.local_size);
    MPI_CHECK(MPI_Comm_free, &machine);
    MPI_CHECK(MPI_Op_create, reduce_max, true, &c->max);
    MPI_CHECK(MPI_Op_create, reduce_min, true, &c->min);
    return &c->base;
}

/* The process between comm_open and comm_close, else 0; a forked child must not end the other
 * ranks. */
static pid_t open_in;

static void abort_all_ranks(int status)
{
    if (open_in != getpid())
        return;
    open_in = 0;
    MPI_Abort(MPI_COMM_WORLD, status);
}

/* MPI would end the other ranks silently. */
static void exit_without_close(void)
{
    if (open_in == getpid())
        die(EXIT_WRONG, "the program ended without comm_close: every rank must call it");
}

/* While a rank is in comm_open, a file in the run's folder says so: it would wait forever for one
 * that has ended, and setup/guard.sh ends both. */
static void mark_opening(bool opening)
{
    const char *run = getenv("LABS_RUN"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!run || !rank)
        return;
    char *mark = format_new("%s/opening.%s", run, rank);
    int file = opening ? open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (file >= 0)
        close(file);
    if (!opening)
        unlink(mark);
    free(mark);
}

/* What Open MPI says in this rank (that it cannot read from one that was killed, say) goes to a
 * file of the run's folder: setup/launch.sh prints it if nothing else explains the end. */
static void quieten_open_mpi(void)
{
    const char *run = getenv("LABS_RUN");
    if (!run)
        return;
    char *path = format_new("%s/notes", run);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file >= 0) {
        char *number = format_new("%d", file);
        setenv("OPAL_OUTPUT_STDERR_FD", number, true); /* stays open until the end */
        free(number);
    }
    free(path);
}

Comm *comm_mpi_open(void)
{
    int was_open, level;
    MPI_Comm all;
    MPI_CHECK(MPI_Initialized, &was_open);
    if (was_open)
        die(EXIT_WRONG,
            "comm_open: MPI was already started: call it once, and use comm_split for more");
    mark_opening(true);
    quieten_open_mpi();
    /* Its library hwloc asks the X displays :0 to :9 for GPUs: one that hangs makes the rank wait,
     * one that ends kills it. */
    setenv("HWLOC_COMPONENTS", "-gl", false);
    /* One thread at a time, any thread. */
    MPI_CHECK(MPI_Init_thread, NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    REQUIRE(level >= MPI_THREAD_SERIALIZED,
            "this MPI supports only the main thread: install one built with threads");
    MPI_CHECK(MPI_Comm_set_errhandler, MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_CHECK(MPI_Comm_dup, MPI_COMM_WORLD, &all); /* separate from the program's own messages */
    Comm *c = mpi_comm_new(all, true);
    die_register(c->rank, c->size, c->size > 1 ? abort_all_ranks : NULL);
    if (c->size > 1) {
        open_in = getpid();
        atexit(exit_without_close);
    }
    mark_opening(false);
    return c;
}

static Comm *mpi_split(Comm *base, int colour, int key)
{
    MPI_Comm part;
    MPI_CHECK(MPI_Comm_split, ((MpiComm *)base)->comm, colour, key, &part);
    return mpi_comm_new(part, false);
}

static void mpi_close(Comm *base)
{
    MpiComm *c = (MpiComm *)base;
    request_pool_free(&c->pool);
    /* Open MPI 4.1 often hangs when one rank calls MPI_Abort while another is in MPI_Finalize: so
     * none enters it before all have come this far. */
    if (c->whole)
        MPI_CHECK(MPI_Barrier, c->comm);
    MPI_CHECK(MPI_Op_free, &c->max);
    MPI_CHECK(MPI_Op_free, &c->min);
    MPI_CHECK(MPI_Comm_free, &c->comm);
    if (c->whole) {
        MPI_CHECK(MPI_Finalize);
        die_register(base->rank, base->size, NULL);
        open_in = 0;
    }
    free(c);
}

static const CommOps mpi_ops = {.name = "mpi",
                                COMM_CALLS(mpi),
                                .send = mpi_send,
                                .recv = mpi_recv,
                                .wait = request_wait,
                                .test = request_test};
