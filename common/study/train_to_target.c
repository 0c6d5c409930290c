/* target.c: training to a target, data parallel: see target.h. */
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "evaluate.h"
#include "optim.h"
#include "epoch_order.h"
#include "schedule.h"
#include "train_to_target.h"
#include "timer.h"

typedef struct Trial {
    const TargetSetup *s;
    Model *m;
    Sgd *sgd;
    Loader *train, *test;
    Tensor totals;
    int32_t *order, *mine; /* of one epoch: all training pictures; those of this rank */
    int share;             /* pictures per update on this rank */
} Trial;

static Trial trial_new(const TargetSetup *s, int batch, uint64_t seed)
{
    const Dataset *d = s->data;
    Trial t = {.s = s, .share = batch / s->comm->size};
    Images train = d->train, test = d->test; /* only what is used goes to the device */
    train.count = s->train;
    test.count = s->test;
    int test_batch = t.share > 250 ? t.share : 250;
    t.m = model_new(s->be, &s->spec, test_batch);
    model_init(t.m, seed);
    t.sgd = sgd_new(t.m, s->momentum, s->weight_decay, false);
    t.train = loader_new(s->be, &train, d->mean, d->istd, t.share, model_halo(t.m), (AugmentSpec){0}, seed);
    t.test = loader_new(s->be, &test, d->mean, d->istd, test_batch, model_halo(t.m), (AugmentSpec){0}, seed);
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
    model_gradient(m, t->totals, b->x, b->label);
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

/* Is it to stop? Asked between updates, when `images` has passed another 256; the same answer on every rank. */
static bool interrupted(Trial *t, long images, int batch)
{
    const TargetSetup *s = t->s;
    if (!s->interrupted || images / 256 == (images - batch) / 256)
        return false;
    double stop = s->interrupted(s->context);
    comm_all_reduce_host(s->comm, &stop, 1, COMM_MAX);
    return stop;
}

TargetOutcome train_to_target(const TargetSetup *s, int batch, double rate, uint64_t seed)
{
    ASSERT(batch % s->comm->size == 0 && batch <= s->train && s->test <= s->train);
    Trial t = trial_new(s, batch, seed);
    TargetOutcome o = {.steps = NAN, .seconds = NAN, .epochs = NAN};
    double seconds = 0, began, asked;
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
            asked = timer_now();
            over = o.interrupted = interrupted(&t, images, batch);
            began += timer_now() - asked;
            if (over || images - tested < s->check_every)
                continue;
            t.m->be->op->stream_sync(t.m->s);
            seconds += timer_now() - began;
            tested = images;
            double now = accuracy(&t);
            o.accuracy = fmax(o.accuracy, now);
            if (now >= s->target)
                o = (TargetOutcome){step, seconds, (double)images / s->train, 0, now, false};
            over = now >= s->target || images >= s->epochs * s->train || diverged(&t);
            began = timer_now();
        }
        seconds += over ? 0 : timer_now() - began;
    }
    o.images_per_s = images / seconds;
    trial_free(&t);
    return o;
}

double train_on_subset(const TargetSetup *s, const int32_t *subset, int count, int batch, int updates, double rate, uint64_t seed)
{
    int P = s->comm->size, used = batch < count ? batch : count / P * P;
    TargetSetup all = *s; /* the subset may lie anywhere in the training set */
    all.train = s->data->train.count;
    ASSERT(used >= P && batch % P == 0 && count <= all.train && s->test <= all.train);
    Trial t = trial_new(&all, used, seed);
    Schedule rates = {.kind = SCHEDULE_COSINE, .rate = rate, .steps = updates};
    int per_epoch = count / used;
    bool stopped = false;
    for (int u = 0; u < updates && !stopped; u++) {
        Batch b;
        if (u % per_epoch == 0) {
            all.train = count; /* the epoch's order is over the subset */
            share_epoch(&t, seed, u / per_epoch);
            for (int i = 0; i < per_epoch * t.share; i++)
                t.mine[i] = subset[t.mine[i]];
            loader_start(t.train, t.mine, per_epoch * t.share, u / per_epoch);
        }
        loader_next(t.train, t.m->s, &b);
        update(&t, &b, schedule_rate(&rates, u));
        stopped = interrupted(&t, (u + 1L) * used, used);
    }
    double right = stopped ? NAN : accuracy(&t);
    trial_free(&t);
    return right;
}

/* So many updates from the first picture on, over and over. Returns the seconds that they took. */
static double timed_updates(Trial *t, int count)
{
    int in_a_row = t->s->train / (t->share * t->s->comm->size);
    double began = timer_now();
    for (int done = 0; done < count; done++) {
        Batch b;
        if (done % in_a_row == 0)
            loader_start(t->train, t->mine, in_a_row * t->share, 0);
        loader_next(t->train, t->m->s, &b);
        update(t, &b, 0);
    }
    t->m->be->op->stream_sync(t->m->s);
    return timer_now() - began;
}

double target_update_seconds(const TargetSetup *s, int batch, double seconds)
{
    ASSERT(batch % s->comm->size == 0 && batch <= s->train);
    Trial t = trial_new(s, batch, 1);
    share_epoch(&t, 1, 0);
    timed_updates(&t, 1);
    double guess = timed_updates(&t, 1);
    comm_all_reduce_host(s->comm, &guess, 1, COMM_MAX); /* so that all ranks make as many */
    int count = (int)fmin(fmax(seconds / guess, 3), 1e6);
    double took = timed_updates(&t, count);
    trial_free(&t);
    return took / count;
}
