/* recorder.c: see recorder.h. A request is a pointer to its line in the table. */
#include "recorder.h"
#include "check.h"
#include <math.h>

static const CommOps recorder_ops;

void recorder_init(Recorder *r, Comm *inner, Tensor vector, double (*clock)(void))
{
    *r = (Recorder){.inner = inner, .vector = vector, .clock = clock};
    r->comm = inner ? *inner : (Comm){.size = 2, .local_size = 2};
    r->comm.op = &recorder_ops;
}

void recorder_reset(Recorder *r) { r->made = 0; }

static void record_all_reduce(Comm *c, Tensor t, CommOp op, Stream *s, CommRequest **request)
{
    Recorder *r = (Recorder *)c;
    if (r->made == RECORDER_MOST)
        die(EXIT_WRONG, "more than %d all-reduces in one update", RECORDER_MOST);
    if (t.buf != r->vector.buf || t.at < r->vector.at ||
        t.at + tensor_count(t) > r->vector.at + tensor_count(r->vector))
        die(EXIT_WRONG, "an all-reduce of %zu elements that are not all of the gradient's %d",
            tensor_count(t), r->vector.n);
    Recorded *line = &r->all_reduce[r->made++];
    *line = (Recorded){.first = t.at - r->vector.at,
                       .count = (int)tensor_count(t),
                       .blocking = !request,
                       .began = r->clock(),
                       .ended = NAN,
                       .owner = r};
    if (r->inner)
        r->inner->op->all_reduce(r->inner, t, op, s, request ? &line->inner : NULL);
    if (request)
        *request = (CommRequest *)line;
    else
        line->ended = r->clock();
}

/* The line of a request; once waited for it is a request no more. */
static Recorded *line_of(CommRequest *request, const char *call)
{
    Recorded *line = (Recorded *)request;
    if (line->waits > 0)
        die(EXIT_WRONG, "%s about elements %zu to %zu, for which comm_wait was called before", call,
            line->first, line->first + line->count - 1);
    return line;
}

static bool record_test(CommRequest *request)
{
    Recorded *line = line_of(request, "comm_test");
    Recorder *r = line->owner;
    line->tests++;
    bool done = r->inner ? comm_test(r->inner, line->inner) : (line - r->all_reduce) % 2;
    if (done && isnan(line->ended))
        line->ended = r->clock();
    return done;
}

static int record_wait(CommRequest *request)
{
    Recorded *line = line_of(request, "comm_wait");
    Recorder *r = line->owner;
    if (r->inner)
        comm_wait(r->inner, line->inner);
    line->waits++;
    if (isnan(line->ended))
        line->ended = r->clock();
    return -1;
}

static void refuse_barrier(Comm *c) { die(EXIT_WRONG, "comm_barrier: here only all-reduces"); }

static void refuse_host(Comm *c, double *v, int n, CommOp op)
{
    die(EXIT_WRONG, "comm_all_reduce_host: the gradient is a tensor: comm_all_reduce_start");
}

static const CommOps recorder_ops = {.name = "recorder",
                                     .all_reduce = record_all_reduce,
                                     .wait = record_wait,
                                     .test = record_test,
                                     .barrier = refuse_barrier,
                                     .all_reduce_host = refuse_host};
