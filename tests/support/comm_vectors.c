/* comm_vectors.c: see comm_vectors.h. */
#include "comm_vectors.h"
#include "check.h"
#include <math.h>

void over_both_devices(const char *kind, void (*group)(Setup *))
{
    Setup x = {.c = comm_open(kind)};
    for (int hidden = 0; hidden < 2; hidden++) {
        x.be = fake_backend_open(hidden);
        x.s = x.be->op->stream_new(x.be, 1);
        group(&x);
        x.be->op->stream_free(x.s);
        x.be->op->close(x.be);
    }
    comm_close(x.c);
}

enum { MARGIN = 3 }; /* elements before and after a tensor that must stay untouched */

double element(int rank, int i) { return (i * 7 + rank * 13 + i % (rank + 2)) % 101 - 50; }

double reduced(Comm *c, CommOp op, int i)
{
    double result = element(0, i);
    for (int r = 1; r < c->size; r++)
        result = op == COMM_SUM ? result + element(r, i)
               : op == COMM_MAX ? fmax(result, element(r, i))
                                : fmin(result, element(r, i));
    return result;
}

static void store(void *data, DType t, int i, double v)
{
    if (t == F32)
        ((float *)data)[i] = (float)v;
    else if (t == F64)
        ((double *)data)[i] = v;
    else
        ((int32_t *)data)[i] = (int32_t)v;
}

static double load(const void *data, DType t, int i)
{
    return t == F32 ? ((const float *)data)[i]
         : t == F64 ? ((const double *)data)[i]
                    : ((const int32_t *)data)[i];
}

Tensor vector_new(Setup *x, DType t, int n, int rank)
{
    Buffer *buf = x->be->op->buffer_new(x->be, (n + 2 * MARGIN) * dtype_size(t));
    Tensor whole = tensor_vector(buf, 0, t, n + 2 * MARGIN),
           inside = tensor_slice(whole, MARGIN, n);
    void *host = alloc(n + 2 * MARGIN, dtype_size(t));
    for (int i = 0; i < n + 2 * MARGIN; i++)
        store(host, t, i, i < MARGIN || i >= n + MARGIN ? 999 : -element(rank, i - MARGIN) * 3);
    x->be->op->upload(x->s, whole, host);
    x->be->op->stream_sync(x->s);
    free(host);
    x->be->op->scale(x->s, inside, -1);
    return inside;
}

void check_and_free(Setup *x, Tensor t, double (*expected)(Setup *, int), const char *what)
{
    Tensor whole = t;
    whole.at -= MARGIN;
    whole.n += 2 * MARGIN;
    void *host = alloc(whole.n, dtype_size(t.dtype));
    x->be->op->scale(x->s, t, 2);
    x->be->op->download(x->s, host, whole);
    for (int i = 0; i < whole.n; i++) {
        double v = load(host, t.dtype, i);
        double right = i < MARGIN || i >= t.n + MARGIN ? 999 : 6 * expected(x, i - MARGIN);
        if (v != right)
            fail_msg("%s of %d elements, type %d, rank %d: element %d is %g, expected %g", what,
                     t.n, t.dtype, x->c->rank, i - MARGIN, v, right);
    }
    free(host);
    x->be->op->buffer_free(t.buf);
}
