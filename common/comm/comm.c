/* comm.c: the common part of all implementations: which one to open, the checks of a call's
 * arguments, the count of bytes, and the report to observers. The checks are here so that one rank
 * shows a mistake as well as many.
 */
#include "comm.h"
#include "check.h"
#include "comm_open.h"
#include "link.h"
#include "observer.h"
#include "watch/call_board.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool started_by_mpirun(void)
{
    /* Open MPI, Slurm's srun, MPICH */
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") || getenv("PMI_SIZE");
}

#ifndef HAVE_NCCL
const bool comm_nccl_built = false;

const char *comm_nccl_missing(void) { return "this program was built without it (make doctor)"; }

Comm *comm_nccl_open(bool asked) { return comm_mpi_open(); }
#endif

static Comm *open_with_nccl(bool asked)
{
    const char *missing = asked ? comm_nccl_missing() : NULL;
    if (missing)
        die(EXIT_TODO, "--comm nccl: no NCCL here: %s: use --comm mpi", missing);
    return comm_nccl_open(asked);
}

Comm *comm_open(const char *kind)
{
    Comm *c = NULL;
    bool choose = !strcmp(kind, "auto");
    if (!strcmp(kind, "self") || (choose && !started_by_mpirun())) {
        link_begin_alone();
        c = comm_self_open();
    } else if (!strcmp(kind, "nccl") || choose)
        c = open_with_nccl(!choose);
    else if (!strcmp(kind, "mpi"))
        c = comm_mpi_open();
    else
        die(EXIT_USAGE, "--comm %s: expected auto, self, mpi or nccl", kind);
    OBSERVE(ranks, c->rank, c->size);
    return c;
}

/* ---- who called, for the watch: first in each function that students call ---- */

static void called_end(const int *unused) { call_for(NULL, NULL); }

#define CALLED \
    __attribute__((cleanup(called_end), \
                   unused)) int called = (call_for(__func__, __builtin_return_address(0)), 0)

void comm_close(Comm *c)
{
    CALLED;
    if (c)
        c->op->close(c);
}

Comm *comm_split(Comm *c, int colour, int key)
{
    CALLED;
    if (colour < 0)
        die(EXIT_WRONG, "comm_split: colour %d: give every rank a colour of 0 or more", colour);
    return c->op->split(c, colour, key);
}

/* ---- the arguments of a call ---- */

static const char *dtype_name(DType t)
{
    static const char *names[] = {
        [F32] = "f32", [F64] = "f64", [BF16] = "bf16", [F16] = "f16", [I32] = "i32", [U8] = "u8"};
    return names[t];
}

static void check_tensor(const char *call, Tensor t)
{
    REQUIRE(tensor_count(t) <= INT_MAX,
            "%s: %zu elements in one call: at most %d: cut the tensor with tensor_slice", call,
            tensor_count(t), INT_MAX);
    if (t.halo)
        die(EXIT_WRONG, "%s: the tensor has a halo of %d: only dense tensors can be sent", call,
            t.halo);
}

static void check_reducible(const char *call, Tensor t)
{
    check_tensor(call, t);
    if (t.dtype != F32 && t.dtype != F64 && t.dtype != I32)
        die(EXIT_WRONG, "%s: cannot add elements of type %s: use f32, f64 or i32", call,
            dtype_name(t.dtype));
}

static void check_rank(const Comm *c, const char *call, int rank)
{
    if (rank < 0 || rank >= c->size)
        die(EXIT_WRONG, "%s: rank %d: expected ranks 0 to %d", call, rank, c->size - 1);
}

/* Is `part` exactly this rank's part of `whole`? */
static bool in_place(const Comm *c, Tensor whole, Tensor part)
{
    return whole.buf == part.buf && part.at == whole.at + (size_t)c->rank * tensor_count(part);
}

/* `whole` holds one part per rank. */
static void check_parts(const Comm *c, const char *call, Tensor whole, Tensor part)
{
    check_tensor(call, part);
    check_tensor(call, whole);
    if (whole.dtype != part.dtype || tensor_count(whole) != tensor_count(part) * c->size)
        die(EXIT_WRONG, "%s: %zu elements (%s) are not %d ranks' parts of %zu (%s)", call,
            tensor_count(whole), dtype_name(whole.dtype), c->size, tensor_count(part),
            dtype_name(part.dtype));
    size_t overlap_from = whole.at > part.at ? whole.at : part.at;
    size_t whole_end = whole.at + tensor_count(whole), part_end = part.at + tensor_count(part);
    if (whole.buf == part.buf && overlap_from < (whole_end < part_end ? whole_end : part_end) &&
        !in_place(c, whole, part))
        die(EXIT_WRONG,
            "%s: in and out overlap, and the part is not exactly this rank's of the whole: give "
            "them separate memory",
            call);
}

static void check_peer(const Comm *c, const char *call, int peer, int tag)
{
    check_rank(c, call, peer);
    if (peer == c->rank)
        die(EXIT_WRONG, "%s: rank %d with itself: a message needs two ranks", call, peer);
    if (tag < 0 || tag > 32767)
        die(EXIT_WRONG, "%s: tag %d: expected 0 to 32767", call, tag);
}

/* ---- byte counts and reports ---- */

/* A single rank sends nothing. */
static void count_bytes(Comm *c, double bytes) { c->bytes += c->size > 1 ? bytes : 0; }

static double tensor_bytes(Tensor t) { return (double)tensor_count(t) * dtype_size(t.dtype); }

static void report(const char *call, Tensor t)
{
    OBSERVE(communication, call, (int64_t)tensor_count(t), dtype_name(t.dtype));
}

/* ---- each operation: check, count, report, do it ---- */

/* With `request` NULL it is completed, too. */

static void all_reduce(Comm *c, Tensor t, CommOp op, Stream *s, CommRequest **request)
{
    check_reducible("comm_all_reduce", t);
    count_bytes(c, tensor_bytes(t));
    report("all_reduce", t);
    c->op->all_reduce(c, t, op, s, request);
}

static void all_gather(Comm *c, Tensor out, Tensor in, Stream *s, CommRequest **request)
{
    check_parts(c, "comm_all_gather", out, in);
    count_bytes(c, tensor_bytes(in));
    report("all_gather", in);
    c->op->all_gather(c, out, in, s, request);
}

static void recv(Comm *c, Tensor t, int from, int tag, Stream *s, CommRequest **request)
{
    check_tensor("comm_recv", t);
    check_peer(c, "comm_recv", from == COMM_ANY ? (c->rank + 1) % c->size : from, tag);
    report("recv", t);
    c->op->recv(c, t, from, tag, s, request);
}

/* ---- blocking ---- */

void comm_all_reduce(Comm *c, Tensor t, CommOp op, Stream *s)
{
    CALLED;
    all_reduce(c, t, op, s, NULL);
}

void comm_broadcast(Comm *c, Tensor t, int root, Stream *s)
{
    CALLED;
    check_tensor("comm_broadcast", t);
    check_rank(c, "comm_broadcast", root);
    count_bytes(c, c->rank == root ? tensor_bytes(t) : 0);
    report("broadcast", t);
    c->op->broadcast(c, t, root, s);
}

void comm_all_gather(Comm *c, Tensor out, Tensor in, Stream *s)
{
    CALLED;
    all_gather(c, out, in, s, NULL);
}

void comm_send(Comm *c, Tensor t, int to, int tag, Stream *s)
{
    CALLED;
    check_tensor("comm_send", t);
    check_peer(c, "comm_send", to, tag);
    count_bytes(c, tensor_bytes(t));
    report("send", t);
    c->op->send(c, t, to, tag, s);
}

void comm_reduce_scatter(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s)
{
    CALLED;
    check_reducible("comm_reduce_scatter", in);
    check_parts(c, "comm_reduce_scatter", in, out);
    count_bytes(c, tensor_bytes(in));
    report("reduce_scatter", in);
    c->op->reduce_scatter(c, out, in, op, s);
}

int comm_recv(Comm *c, Tensor t, int from, int tag, Stream *s)
{
    CALLED;
    CommRequest *r;
    recv(c, t, from, tag, s, &r);
    return r ? c->op->wait(r) : -1;
}

/* ---- non-blocking ---- */

CommRequest *comm_all_reduce_start(Comm *c, Tensor t, CommOp op, Stream *s)
{
    CALLED;
    CommRequest *r;
    all_reduce(c, t, op, s, &r);
    return r;
}

CommRequest *comm_all_gather_start(Comm *c, Tensor out, Tensor in, Stream *s)
{
    CALLED;
    CommRequest *r;
    all_gather(c, out, in, s, &r);
    return r;
}

CommRequest *comm_recv_start(Comm *c, Tensor t, int from, int tag, Stream *s)
{
    CALLED;
    CommRequest *r;
    recv(c, t, from, tag, s, &r);
    return r;
}

/* An implementation may finish at once and return no request. */
int comm_wait(Comm *c, CommRequest *r)
{
    CALLED;
    return r ? c->op->wait(r) : -1;
}

bool comm_test(Comm *c, CommRequest *r) { return r ? c->op->test(r) : true; }

/* ---- on host memory ---- */

void comm_barrier(Comm *c)
{
    CALLED;
    OBSERVE(communication, "barrier", -1, NULL);
    c->op->barrier(c);
}

void comm_all_reduce_host(Comm *c, double *v, int n, CommOp op)
{
    CALLED;
    count_bytes(c, n * sizeof *v);
    OBSERVE(communication, "all_reduce_host", n, dtype_name(F64));
    c->op->all_reduce_host(c, v, n, op);
}

void comm_broadcast_host(Comm *c, void *data, size_t bytes, int root)
{
    CALLED;
    check_rank(c, "comm_broadcast_host", root);
    count_bytes(c, c->rank == root ? bytes : 0);
    OBSERVE(communication, "broadcast_host", (int64_t)bytes, NULL);
    c->op->broadcast_host(c, data, bytes, root);
}

void comm_gather_host(Comm *c, void *all, const void *mine, size_t bytes, int root)
{
    CALLED;
    check_rank(c, "comm_gather_host", root);
    count_bytes(c, bytes);
    OBSERVE(communication, "gather_host", (int64_t)bytes, NULL);
    c->op->gather_host(c, all, mine, bytes, root);
}
