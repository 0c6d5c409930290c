/* wire.c: see wire.h. */
#include "wire.h"
#include "check.h"

static void count(Wire *w, Tensor whole, double times)
{
    double bytes = (double)tensor_count(whole) * (double)dtype_size(whole.dtype);
    w->sent += times * bytes * (w->comm.size - 1) / w->comm.size;
    w->calls++;
}

static void all_reduce(Comm *c, Tensor t, CommOp op, Stream *s, CommRequest **request)
{
    Wire *w = (Wire *)c;
    ASSERT(!request);
    count(w, t, 2);
    comm_all_reduce(w->inner, t, op, s);
}

static void reduce_scatter(Comm *c, Tensor out, Tensor in, CommOp op, Stream *s)
{
    Wire *w = (Wire *)c;
    count(w, in, 1);
    comm_reduce_scatter(w->inner, out, in, op, s);
}

static void all_gather(Comm *c, Tensor out, Tensor in, Stream *s, CommRequest **request)
{
    Wire *w = (Wire *)c;
    count(w, out, 1);
    if (request)
        *request = comm_all_gather_start(w->inner, out, in, s);
    else
        comm_all_gather(w->inner, out, in, s);
}

/* Not counted: host memory, for results. */
static void gather_host(Comm *c, void *all, const void *mine, size_t bytes, int root)
{
    comm_gather_host(((Wire *)c)->inner, all, mine, bytes, root);
}

void wire_init(Wire *w, Comm *inner)
{
    *w = (Wire){.comm = *inner,
                .op = {.name = "wire",
                       .all_reduce = all_reduce,
                       .reduce_scatter = reduce_scatter,
                       .all_gather = all_gather,
                       .wait = inner->op->wait,
                       .gather_host = gather_host},
                .inner = inner};
    w->comm.op = &w->op;
}
