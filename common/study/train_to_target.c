/* train_to_target.c: see train_to_target.h. */
#include "train_to_target.h"
#include "check.h"
#include "epoch_order.h"
#include "evaluate.h"
#include "schedule.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Trial {
    const TargetSetup *s;
    Model *m;
    SgdSpec sgd;
    Method method;
    Loader *train, *test;
    Tensor totals;
    int32_t *order;    /* [train] of one epoch */
    int batch, pieces; /* pieces: of a batch, each of batch / pieces images */
} Trial;

static MethodMaker maker(Trial *t)
{
    t->sgd = (SgdSpec){t->s->momentum, t->s->weight_decay, false};
    return t->s->method.make ? t->s->method : sgd_maker(&t->sgd);
}

static Trial trial_new(const TargetSetup *s, int batch, uint64_t seed)
{
    const Dataset *d = s->data;
    int piece = s->micro && s->micro < batch ? s->micro : batch;
    ASSERT(batch % piece == 0);
    Trial t = {.s = s, .batch = batch, .pieces = batch / piece};
    MethodMaker method = maker(&t);
    Images train = d->train, test = d->test; /* only the images used go to the device */
    train.count = s->train;
    test.count = s->test;
    int test_batch = piece > 250 ? piece : 250;
    AugmentSpec none = {0};
    t.m = model_new(s->be, &s->spec, test_batch);
    model_init(t.m, seed);
    t.method = method.make(method.context, t.m);
    t.train = loader_new(s->be, &train, d->mean, d->istd, piece, model_halo(t.m), none, seed);
    t.test = loader_new(s->be, &test, d->mean, d->istd, test_batch, model_halo(t.m), none, seed);
    t.totals = tensor_new(s->be, F64, 2, 1, 1, 1, 0);
    t.order = alloc(s->train, sizeof(int32_t));
    return t;
}

static void trial_free(Trial *t)
{
    MethodMaker method = maker(t);
    loader_free(t->train);
    loader_free(t->test);
    tensor_free(t->s->be, t->totals);
    if (method.end)
        method.end(method.context, t->m, &t->method);
    model_free(t->m);
    free(t->order);
}

/* The pieces' gradients add up; their mean is the batch's. */
static void accumulated(Trial *t, double rate)
{
    Batch b;
    ASSERT(!t->method.gradient.run);
    model_zero_grads(t->m);
    for (int i = 0; i < t->pieces; i++) {
        loader_next(t->train, t->m->s, &b);
        model_forward(t->m, b.x, MODEL_TRAIN);
        model_loss(t->m, t->totals, b.label, NO_TENSOR, true);
        model_backward(t->m);
    }
    t->m->be->op->scale(t->m->s, t->m->grads, 1.0f / (float)t->pieces);
    t->method.update.run(t->method.update.context, t->m, rate);
}

static void update(Trial *t, double rate)
{
    Batch b;
    if (t->pieces > 1) {
        accumulated(t, rate);
        return;
    }
    loader_next(t->train, t->m->s, &b);
    method_step(&t->method, t->m, t->totals, &b, rate, NULL);
}

static double accuracy(Trial *t)
{
    return metrics_accuracy(evaluate(t->m, t->test, NULL, t->s->test));
}

/* Is the loss no longer finite? */
static bool diverged(Trial *t)
{
    double totals[2];
    t->m->be->op->download(t->m->s, totals, t->totals);
    return !isfinite(totals[0]);
}

/* Asked between updates, whenever `images` passes a multiple of 256. */
static bool interrupted(Trial *t, long images)
{
    const TargetSetup *s = t->s;
    return s->interrupted && images / 256 != (images - t->batch) / 256 &&
           s->interrupted(s->context);
}

TargetOutcome train_to_target(const TargetSetup *s, int batch, double rate, uint64_t seed)
{
    ASSERT(batch <= s->train);
    Trial t = trial_new(s, batch, seed);
    TargetOutcome o = {.steps = NAN, .epochs = NAN};
    long images = 0, tested = 0, step = 0;
    int updates = s->train / batch; /* per epoch */
    bool over = false;
    for (int epoch = 0; !over; epoch++) {
        epoch_order(t.order, s->train, seed, epoch);
        loader_start(t.train, t.order, updates * batch, epoch);
        for (int u = 0; u < updates && !over; u++) {
            update(&t, rate);
            step++;
            images += batch;
            over = o.interrupted = interrupted(&t, images);
            bool enough = images >= s->epochs * s->train || (s->updates > 0 && step >= s->updates);
            if (over || (images - tested < s->check_every && !enough))
                continue;
            tested = images;
            double now = accuracy(&t);
            o.accuracy = fmax(o.accuracy, now);
            if (now >= s->target)
                o = (TargetOutcome){step, (double)images / s->train, now, false};
            over = now >= s->target || enough || diverged(&t);
        }
    }
    trial_free(&t);
    return o;
}

double train_on_subset(const TargetSetup *s, const int32_t *subset, int count, int batch,
                       int updates, double rate, uint64_t seed)
{
    int used = batch < count ? batch : count, per_epoch = count / used;
    TargetSetup all = *s; /* the subset may lie anywhere in the training set */
    all.train = s->data->train.count;
    ASSERT(count <= all.train);
    Trial t = trial_new(&all, used, seed);
    Schedule rates = {.kind = SCHEDULE_COSINE, .rate = rate, .steps = updates};
    bool stopped = false;
    for (int u = 0; u < updates && !stopped; u++) {
        if (u % per_epoch == 0) {
            epoch_order(t.order, count, seed, u / per_epoch); /* over the subset */
            for (int i = 0; i < count; i++)
                t.order[i] = subset[t.order[i]];
            loader_start(t.train, t.order, per_epoch * used, u / per_epoch);
        }
        update(&t, schedule_rate(&rates, u));
        stopped = interrupted(&t, (u + 1L) * used);
    }
    if (!stopped && diverged(&t)) /* its accuracy is that of a guess */
        die(EXIT_WRONG,
            "training on %d images: the loss is not finite: diverged; try a lower --rate", count);
    double right = stopped ? NAN : accuracy(&t);
    trial_free(&t);
    return right;
}

/* Seconds for `count` updates, cycling through the images; done: updates so far. */
static double timed_updates(Trial *t, int64_t *done, int64_t count)
{
    int64_t in_a_row = t->s->train / t->batch;
    double began = timer_now();
    for (int64_t end = *done + count; *done < end; ++*done) {
        if (*done % in_a_row == 0)
            loader_start(t->train, t->order, (int)in_a_row * t->batch, 0);
        update(t, 0);
    }
    t->m->be->op->stream_sync(t->m->s);
    return timer_now() - began;
}

UpdateTime target_update_time(const TargetSetup *s, int batch, double seconds)
{
    ASSERT(batch <= s->train);
    Trial t = trial_new(s, batch, 1);
    int64_t done = 0;
    epoch_order(t.order, s->train, 1, 0);
    double guess = timed_updates(&t, &done, 1);
    if (guess < seconds)
        guess = timed_updates(&t, &done, 1);
    int64_t count = (int64_t)fmin(fmax(ceil(seconds / guess), 2), 1e6);
    double processor = timer_processor(), waited = timer_waited();
    double took = timed_updates(&t, &done, count);
    waited = (timer_waited() - waited) / s->be->threads;
    processor = timer_processor() - processor;
    bool gpu = strcmp(s->be->op->name, "cpu") != 0;
    trial_free(&t);
    if (s->be->threads > 1) /* those that sleep until another is done are not disturbed */
        processor = isnan(waited) ? took : fmax(took - waited, 0.01 * took);
    return (UpdateTime){took / count, (gpu ? took : fmin(processor, took)) / count};
}
