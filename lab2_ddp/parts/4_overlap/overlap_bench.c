/* overlap_bench.c: see overlap_bench.h. */
#include "overlap_bench.h"
#include "check.h"
#include "exercise.h"
#include "quantiles.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const exchange_names[EXCHANGE_KINDS] = {"none", "naive: layer by layer", "flat: one",
                                                    "overlapped: buckets"};
static double now(const Bench *b) { return b->recorder.clock() - b->began; }
static UpdateTimes *times(const Bench *b) { return &b->times[b->update]; }

/* ---- the parts of an update, with the moments at which they end ---- */

static void on_layer(void *context, size_t first, int count, Stream *s)
{
    Bench *b = context;
    if (b->layers == BENCH_LAYERS)
        die(EXIT_USAGE, "more than %d layers: take a smaller --model", BENCH_LAYERS);
    b->first[b->layers] = first;
    b->count[b->layers] = count;
    times(b)->layer[b->layers++] = now(b);
    if (b->setting->kind == EXCHANGE_BUCKETS)
        bucket_add(&b->buckets, first, count);
}

static void gradient(void *context, Model *m, Tensor totals, const Batch *batch)
{
    Bench *b = context;
    b->layers = 0;
    model_zero_grads(m);
    model_forward(m, batch->x, MODEL_TRAIN);
    model_loss(m, totals, batch->label, NO_TENSOR, true);
    times(b)->forward = now(b);
    model_backward(m);
    times(b)->backward = now(b);
}

static void exchange(void *context, Model *m)
{
    Bench *b = context;
    Comm *c = &b->recorder.comm;
    if (b->setting->kind == EXCHANGE_BUCKETS)
        bucket_finish(&b->buckets);
    else if (b->setting->kind == EXCHANGE_WHOLE)
        comm_all_reduce(c, m->grads, COMM_SUM, m->s);
    for (int i = 0; i < b->layers && b->setting->kind == EXCHANGE_PER_LAYER; i++)
        comm_all_reduce(c, tensor_slice(m->grads, b->first[i], b->count[i]), COMM_SUM, m->s);
    times(b)->exchanged = now(b);
    if (b->setting->kind != EXCHANGE_NONE)
        m->be->op->scale(m->s, m->grads, 1.0f / (float)c->size);
}

static void update(void *context, Model *m, double rate)
{
    Bench *b = context;
    sgd_step(m, b->sgd, rate);
    times(b)->updated = now(b);
}

/* ---- set-up ---- */

static void open_loader(Bench *b, uint64_t seed)
{
    const Lab *lab = b->lab;
    const Dataset *d = lab->data;
    Images train = d->train;
    AugmentSpec none = {0};
    int P = lab->comm->size, each = (b->updates + 1) * b->batch;
    REQUIRE((int64_t)each * P <= train.count,
            "%d updates of %d ranks with batches of %d take %lld images: there are %d", b->updates,
            P, b->batch, (long long)each * P, train.count);
    int32_t *all = alloc(train.count, sizeof *all);
    epoch_order(all, train.count, seed, 0);
    b->order = alloc(each, sizeof *b->order);
    for (int i = 0; i < each; i++)
        b->order[i] = all[i * P + lab->comm->rank];
    free(all);
    b->loader = loader_new(lab->be, &train, d->mean, d->istd, b->batch, model_halo(b->m), none,
                           seed);
}

Bench *bench_new(const Lab *lab, const char *model, int batch, int updates, uint64_t seed)
{
    const Dataset *d = lab->data;
    Bench *b = alloc(1, sizeof *b);
    *b = (Bench){.lab = lab, .batch = batch, .updates = updates, .rate = 0.01};
    ModelSpec spec = model_spec_for(model, d);
    b->m = model_new(lab->be, &spec, batch);
    model_init(b->m, seed);
    b->sgd = sgd_new(b->m, 0.9, 0, false);
    b->totals = tensor_new(lab->be, F64, 2, 1, 1, 1, 0);
    size_t n = tensor_count(b->m->params);
    b->initial = alloc(n, sizeof *b->initial);
    lab->be->op->download(b->m->s, b->initial, b->m->params);
    b->times = alloc(updates + 1, sizeof *b->times);
    b->m->grad_hook = on_layer;
    b->m->grad_context = b;
    open_loader(b, seed);
    return b;
}

void bench_free(Bench *b)
{
    if (!b)
        return;
    loader_free(b->loader);
    free(b->order);
    free(b->times);
    free(b->expected);
    free(b->initial);
    tensor_free(b->lab->be, b->totals);
    sgd_free(b->m, b->sgd);
    model_free(b->m);
    free(b);
}

/* ---- the updates ---- */

static void begin(Bench *b, const Setting *setting)
{
    const BackendOps *op = b->lab->be->op;
    op->upload(b->m->s, b->m->params, b->initial);
    op->zero(b->m->s, b->sgd->velocity);
    b->setting = setting;
    recorder_init(&b->recorder, b->lab->comm, b->m->grads, setting->steady ? timer_real : link_now);
    b->buckets = (Buckets){.comm = &b->recorder.comm,
                           .s = b->m->s,
                           .grads = b->m->grads,
                           .least = setting->least,
                           .first = (size_t)b->m->grads.n,
                           .end = (size_t)b->m->grads.n};
    loader_start(b->loader, b->order, (b->updates + 1) * b->batch, 0);
}

static void keep_calls(Bench *b)
{
    UpdateTimes *t = times(b);
    t->calls = b->recorder.made < BENCH_LAYERS ? b->recorder.made : BENCH_LAYERS;
    for (int i = 0; i < t->calls; i++) {
        t->call[i] = b->recorder.all_reduce[i];
        t->call[i].began -= b->began;
        t->call[i].ended -= b->began;
    }
}

/* One update; all ranks begin it at the same moment. */
static void one_update(Bench *b)
{
    Method method = {{gradient, b}, {.run = exchange, .context = b}, {update, b}};
    Batch batch;
    loader_next(b->loader, b->m->s, &batch);
    recorder_reset(&b->recorder);
    if (b->setting->steady)
        comm_barrier(b->lab->comm);
    else
        link_align();
    b->began = b->recorder.clock();
    method_step(&method, b->m, b->totals, &batch, b->rate, NULL);
    keep_calls(b);
}

/* The moments of the slowest rank, on every rank, a new array [updates][3 + layers]: backward,
 * exchanged, updated, then the layers. */
static double *slowest_moments(const Bench *b)
{
    int width = 3 + b->layers;
    double *v = alloc((size_t)b->updates * width, sizeof *v);
    for (int u = 0; u < b->updates; u++) {
        const UpdateTimes *t = &b->times[u + 1];
        double *row = v + (size_t)u * width;
        row[0] = t->backward;
        row[1] = t->exchanged;
        row[2] = t->updated;
        memcpy(row + 3, t->layer, (size_t)b->layers * sizeof *row);
    }
    comm_all_reduce_host(b->lab->comm, v, b->updates * width, COMM_MAX);
    return v;
}

/* Column `to` minus column `from` (-1: the start) of the moments: the median over the updates. */
static double median_between(const Bench *b, const double *moments, int from, int to)
{
    double v[BENCH_UPDATES];
    int width = 3 + b->layers;
    for (int u = 0; u < b->updates; u++)
        v[u] = moments[u * width + to] - (from < 0 ? 0 : moments[u * width + from]);
    return spread_of(v, b->updates).median;
}

/* ---- predictions ---- */

/* seconds [layers]: the first from any moment on, which does not matter. */
static double predicted(const Bench *b, const double *seconds, const Setting *setting)
{
    double bytes[BENCH_LAYERS], sum = 0, least = setting->least;
    int P = b->lab->comm->size;
    if (setting->kind == EXCHANGE_NONE || setting->steady)
        return 0;
    for (int i = 0; i < b->layers; i++) {
        bytes[i] = 4.0 * b->count[i];
        sum += link_seconds(LINK_ALL_REDUCE, P, bytes[i], setting->link);
    }
    if (setting->kind == EXCHANGE_PER_LAYER)
        return sum; /* one after the other, and nothing hides them */
    if (setting->kind == EXCHANGE_WHOLE)
        least = INFINITY;
    if (exercise_missing("4c_exposed_seconds"))
        return NAN;
    return exposed_seconds(seconds, bytes, b->layers, least, P, setting->link);
}

double bench_predicted(const Bench *b, const Setting *setting)
{
    return predicted(b, b->seconds, setting);
}

/* From the layers' times in the updates that were just made: the median. */
static double predicted_here(const Bench *b, const double *moments, const Setting *setting)
{
    double v[BENCH_UPDATES], seconds[BENCH_LAYERS];
    for (int u = 0; u < b->updates; u++) {
        const double *layer = moments + (size_t)u * (3 + b->layers) + 3;
        for (int i = 0; i < b->layers; i++)
            seconds[i] = layer[i] - (i ? layer[i - 1] : 0);
        v[u] = predicted(b, seconds, setting);
    }
    return spread_of(v, b->updates).median;
}

/* ---- a setting ---- */

static void make_updates(Bench *b, const Setting *setting)
{
    static const Link no_link = {.bandwidth = INFINITY};
    link_set(setting->steady ? no_link : setting->link);
    begin(b, setting);
    for (b->update = 0; b->update <= b->updates; b->update++) /* update 0 warms up */
        one_update(b);
    link_set(no_link);
}

static float *weights(const Bench *b)
{
    float *w = alloc(tensor_count(b->m->params), sizeof *w);
    b->lab->be->op->download(b->m->s, w, b->m->params);
    return w;
}

/* The largest difference of this rank's weights from the expected ones. */
static double weights_off(const Bench *b)
{
    float *w = weights(b);
    double most = largest_difference(w, b->expected, b->m->params.n);
    free(w);
    return most;
}

void bench_measure(Measured *out, Bench *b, Setting setting)
{
    if (!b->expected) {
        make_updates(b, &(Setting){.kind = EXCHANGE_WHOLE, .steady = true});
        b->expected = weights(b);
    }
    make_updates(b, &setting);
    double *moments = slowest_moments(b), best = INFINITY;
    for (int i = 0; i < b->layers && setting.kind == EXCHANGE_NONE && !setting.steady; i++)
        b->seconds[i] = median_between(b, moments, i ? 3 + i - 1 : -1, 3 + i);
    *out = (Measured){.done = true,
                      .setting = setting,
                      .step = median_between(b, moments, -1, 2),
                      .exposed = median_between(b, moments, 0, 1),
                      .predicted = predicted_here(b, moments, &setting),
                      .difference = setting.kind == EXCHANGE_NONE ? NAN : weights_off(b)};
    comm_all_reduce_host(b->lab->comm, &out->difference, 1, COMM_MAX);
    for (int u = 1; u <= b->updates; u++) {
        double off = fabs(b->times[u].updated - out->step);
        if (off < best) {
            best = off;
            out->times = b->times[u];
        }
    }
    free(moments);
}
