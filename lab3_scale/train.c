/* train.c: training to a target, data parallel: see lab3.h. */
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "evaluate.h"
#include "lab3.h"
#include "optim.h"
#include "order.h"
#include "timer.h"

typedef struct Trial {
    const Setup *s;
    Model *m;
    Sgd *sgd;
    Loader *train, *test;
    Tensor totals;
    int32_t *order, *mine; /* of one epoch: all training pictures; those of this rank */
    int share;             /* pictures per update on this rank */
} Trial;

static Trial trial_new(const Setup *s, int batch, uint64_t seed)
{
    const Dataset *d = s->data;
    Trial t = {.s = s, .share = batch / s->comm->size};
    int test_batch = t.share > 250 ? t.share : 250;
    t.m = model_new(s->be, &s->spec, test_batch);
    model_init(t.m, seed);
    t.sgd = sgd_new(t.m, s->momentum, s->weight_decay, false);
    t.train = loader_new(s->be, &d->train, d->mean, d->istd, t.share, model_halo(t.m), (AugmentSpec){0}, seed);
    t.test = loader_new(s->be, &d->test, d->mean, d->istd, test_batch, model_halo(t.m), (AugmentSpec){0}, seed);
    t.totals = tensor_new(s->be, F64, 2, 1, 1, 1, 0);
    t.order = alloc(s->train, sizeof(int32_t));
    t.mine = alloc(s->train, sizeof(int32_t));
    return t;
}

static void trial_free(Trial *t)
{
    loader_free(t->train);
    loader_free(t->test);
    tensor_free(t->s->be, t->totals);
    sgd_free(t->m, t->sgd);
    model_free(t->m);
    free(t->order);
    free(t->mine);
}

/* This rank's slices of the epoch's global batches (lab 2, step 4). Returns the number of updates. */
static int share_epoch(Trial *t, uint64_t seed, int epoch)
{
    int P = t->s->comm->size, rank = t->s->comm->rank, updates = t->s->train / (P * t->share);
    epoch_order(t->order, t->s->train, seed, epoch);
    for (int u = 0; u < updates; u++)
        for (int i = 0; i < t->share; i++)
            t->mine[u * t->share + i] = t->order[(u * P + rank) * t->share + i];
    return updates;
}

static void update(Trial *t, const Batch *b, double rate)
{
    Model *m = t->m;
    Comm *c = t->s->comm;
    model_zero_grads(m);
    model_forward(m, b->x, MODEL_TRAIN);
    model_loss(m, t->totals, b->label, NO_TENSOR, true);
    model_backward(m);
    comm_all_reduce(c, m->grads, COMM_SUM, m->s);
    m->be->op->scale(m->s, m->grads, 1.0f / c->size);
    sgd_step(m, t->sgd, rate);
}

/* Accuracy on the test pictures, each rank testing its part; batch norm's running statistics are averaged first. */
static double accuracy(Trial *t)
{
    Comm *c = t->s->comm;
    Model *m = t->m;
    if (m->state.buf) {
        comm_all_reduce(c, m->state, COMM_SUM, m->s);
        m->be->op->scale(m->s, m->state, 1.0f / c->size);
    }
    int first = (int)((long)t->s->test * c->rank / c->size), end = (int)((long)t->s->test * (c->rank + 1) / c->size);
    for (int i = first; i < end; i++)
        t->mine[i - first] = i;
    Metrics own = evaluate(m, t->test, t->mine, end - first);
    double sums[2] = {own.correct, own.count};
    comm_all_reduce_host(c, sums, 2, COMM_SUM);
    return sums[0] / sums[1];
}

/* Has the loss run away? The same answer on every rank, whose weights are the same. */
static bool diverged(Trial *t)
{
    double totals[2];
    t->m->be->op->download(t->m->s, totals, t->totals);
    comm_all_reduce_host(t->s->comm, totals, 1, COMM_SUM);
    return !isfinite(totals[0]);
}

Outcome train_to_target(const Setup *s, int batch, double rate, uint64_t seed)
{
    ASSERT(batch % s->comm->size == 0 && batch <= s->train && s->test <= s->train);
    Trial t = trial_new(s, batch, seed);
    Outcome o = {.steps = NAN, .seconds = NAN, .epochs = NAN};
    double seconds = 0, began;
    long images = 0, tested = 0, step = 0;
    bool over = false;
    for (int epoch = 0; !over; epoch++) {
        int updates = share_epoch(&t, seed, epoch);
        loader_start(t.train, t.mine, updates * t.share, epoch);
        began = timer_now();
        Batch b;
        for (int u = 0; u < updates && !over; u++) {
            loader_next(t.train, t.m->s, &b);
            update(&t, &b, rate);
            step++;
            images += batch;
            if (images - tested < s->check_every)
                continue;
            t.m->be->op->stream_sync(t.m->s);
            seconds += timer_now() - began;
            tested = images;
            double now = accuracy(&t);
            o.accuracy = fmax(o.accuracy, now);
            if (now >= s->target)
                o = (Outcome){step, seconds, (double)images / s->train, 0, now};
            over = now >= s->target || images >= s->epochs * s->train || diverged(&t);
            if (stop_requested())
                die(130, "stopped: the runs that are finished are kept; the same command goes on with the rest");
            began = timer_now();
        }
        seconds += over ? 0 : timer_now() - began;
    }
    o.images_per_s = images / seconds;
    trial_free(&t);
    return o;
}
