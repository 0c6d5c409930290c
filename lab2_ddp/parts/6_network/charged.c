/* charged.c: see charged.h. */
#include "charged.h"
#include "check.h"
#include "optim.h"
#include <math.h>

Groups groups_new(Comm *world)
{
    Groups g = {0};
    for (int i = 0; i < GROUPS; i++) {
        g.size[i] = 2 << i;
        if (g.size[i] > world->size)
            continue;
        bool in = world->rank < g.size[i];
        Comm *part = comm_split(world, in ? 0 : 1, world->rank);
        g.comm[i] = in ? part : NULL;
        if (!in)
            comm_close(part);
    }
    return g;
}

void groups_free(Groups *g)
{
    for (int i = 0; i < GROUPS; i++)
        comm_close(g->comm[i]);
}

/* Its first and last element 1, the others 0. */
static void mark(Backend *be, Stream *s, Tensor grads)
{
    const float one = 1;
    be->op->zero(s, grads);
    be->op->upload(s, tensor_slice(grads, 0, 1), &one);
    be->op->upload(s, tensor_slice(grads, (size_t)grads.n - 1, 1), &one);
}

static void expect_sum(Backend *be, Stream *s, Tensor grads, int P)
{
    float first, last;
    be->op->download(s, &first, tensor_slice(grads, 0, 1));
    be->op->download(s, &last, tensor_slice(grads, (size_t)grads.n - 1, 1));
    ASSERT(first == (float)P && last == (float)P);
}

/* The update itself, in buckets; returns when it is over. */
static void pass(Comm *comm, Tensor grads, Stream *s, UpdateWork work)
{
    CommRequest *flight[MOST_BUCKETS];
    int K = work.buckets < MOST_BUCKETS ? work.buckets : MOST_BUCKETS, first = 0;
    link_charge(work.forward);
    for (int i = 0; i < K; i++) {
        int end = (int)((int64_t)grads.n * (i + 1) / K);
        link_charge(work.backward / K);
        flight[i] = comm_all_reduce_start(comm, tensor_slice(grads, (size_t)first, end - first),
                                          COMM_SUM, s);
        first = end;
    }
    for (int i = 0; i < K; i++)
        comm_wait(comm, flight[i]);
}

double charged_update(Comm *comm, Link link, Backend *be, Tensor grads, UpdateWork work)
{
    Stream *s = be->op->stream_new(be, 1);
    double seconds = 0;
    if (comm)
        mark(be, s, grads);
    link_charge_only(true);
    link_set(link); /* all begin at the same moment */
    if (comm) {
        double began = link_now();
        pass(comm, grads, s, work);
        seconds = link_now() - began;
    }
    link_charge_only(false);
    link_set((Link){.bandwidth = INFINITY});
    if (comm)
        expect_sum(be, s, grads, comm->size);
    be->op->stream_free(s);
    return seconds;
}

/* ---- how long computing takes here ---- */

typedef struct TimedPasses {
    Model *m;
    Sgd *sgd;
    Tensor x, label, totals;
} TimedPasses;

static void one_pass(TimedPasses *p, double *forward, double *backward)
{
    double began = link_now();
    model_zero_grads(p->m);
    model_forward(p->m, p->x, MODEL_TRAIN);
    model_loss(p->m, p->totals, p->label, NO_TENSOR, true);
    double half = link_now();
    model_backward(p->m);
    double end = link_now();
    sgd_step(p->m, p->sgd, 1e-3);
    *forward = fmin(*forward, half - began + link_now() - end);
    *backward = fmin(*backward, end - half);
}

UpdateWork calibrate(Backend *be, const ModelSpec *spec, int batch, int passes)
{
    TimedPasses p = {.m = model_new(be, spec, batch)};
    UpdateWork work = {INFINITY, INFINITY, 4.0 * p.m->params.n, 1};
    model_init(p.m, 1);
    p.sgd = sgd_new(p.m, 0.9, 0, false);
    p.x = tensor_new(be, F32, batch, spec->h, spec->w, spec->c, model_halo(p.m));
    p.label = tensor_new(be, I32, batch, 1, 1, 1, 0);
    p.totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    for (int i = 0; i <= passes; i++) {
        if (i == 1) /* pass 0 warms up */
            work.forward = work.backward = INFINITY;
        one_pass(&p, &work.forward, &work.backward);
    }
    tensor_free(be, p.totals);
    tensor_free(be, p.label);
    tensor_free(be, p.x);
    sgd_free(p.m, p.sgd);
    model_free(p.m);
    return work;
}
