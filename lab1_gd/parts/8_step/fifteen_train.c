/* fifteen_train.c: a data-parallel training step of a residual net, with a timer on each of its
 * fifteen parts. */
#include "check.h"
#include "epoch_order.h"
#include "fifteen.h"
#include "lab1.h"
#include "quantiles.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const part_names[PARTS] = {"1 read",
                                       "2 transport",
                                       "3 pre-process",
                                       "4 queue",
                                       "5 transport",
                                       "6 forward: layer1",
                                       "7 forward: layer2",
                                       "8 forward: layer3",
                                       "9 loss",
                                       "10 backward: layer3",
                                       "11 backward: layer2",
                                       "12 backward: layer1",
                                       "13 optimiser: average",
                                       "14 update",
                                       "15 return"};

enum { TRACK_TRAINING, TRACK_LOADER, TRACK_QUEUE, QUEUES = 4 };

/* ---- timers ---- */

static StepRecord *now_of(TimedTraining *t) { return &t->ring[t->steps % REMEMBERED]; }

/* Ends a part that began at `began`. Returns the time, when the next one begins. */
static double end_part(TimedTraining *t, Part part, double began)
{
    t->be->op->stream_sync(t->m->s);
    now_of(t)->part[part] = (Span){began, timer_now()};
    trace_end(t->trace, part_names[part], TRACK_TRAINING, began);
    return timer_now();
}

static void on_stage(void *context, LoaderStage stage, int batch, double began, double ended)
{
    TimedTraining *t = context;
    int64_t step = t->epoch_first + batch;
    pthread_mutex_lock(&t->lock);
    t->ring[step % REMEMBERED].part[READ + stage] = (Span){began, ended};
    pthread_mutex_unlock(&t->lock);
    trace_end(t->trace, part_names[READ + stage],
              stage == LOADER_QUEUE ? TRACK_QUEUE + (int)(step % QUEUES) : TRACK_LOADER, began);
}

/* Which third of the network: 0 stem and layer1, 1 layer2, 2 layer3 and classifier. A layer of
 * another name (pooling) belongs to the one before it. */
static int third(const Model *m, int layer)
{
    for (; layer >= 0; layer--) {
        const char *name = m->layers[layer].name;
        if (!strncmp(name, "layer", 5))
            return name[5] == '3' ? 2 : name[5] == '2' ? 1 : 0;
    }
    return 0;
}

static const char *name_of(const Layer *l)
{
    static const char *const kinds[] = {"conv",         "batch norm", "ReLU", "max pool",
                                        "average pool", "flatten",    "dense"};
    return l->name[0] ? l->name : kinds[l->kind];
}

/* Ends a layer; and with it a part, if the next layer belongs to another third. */
static void on_layer(void *context, int layer, bool backward, Stream *s)
{
    TimedTraining *t = context;
    const Model *m = t->m;
    t->be->op->stream_sync(s);
    now_of(t)->layer[backward][layer] = (Span){t->began, timer_now()};
    trace_end(t->trace, name_of(&m->layers[layer]), TRACK_TRAINING, t->began);
    t->began = timer_now();
    int next = backward ? layer - 1 : layer + 1, mine = third(m, layer);
    if (next < 0 || next == m->nlayers || third(m, next) != mine)
        t->began = t->part_began = end_part(t, backward ? BACKWARD_1 - mine : FORWARD_1 + mine,
                                            t->part_began);
}

/* ---- the training ---- */

static void name_tracks(Trace *trace)
{
    static const char *const queues[QUEUES] = {"queue, slot 1", "queue, slot 2", "queue, slot 3",
                                               "queue, slot 4"};
    trace_track(trace, TRACK_TRAINING, "training thread");
    trace_track(trace, TRACK_LOADER, "loader's thread");
    for (int i = 0; i < QUEUES; i++)
        trace_track(trace, TRACK_QUEUE + i, queues[i]);
}

/* The gradient is a mean over the images of all ranks. So each image's loss gets 1/P of its weight
 * in this rank's mean, and the all-reduce needs nothing but the sum. */
static Tensor equal_weights(const TimedTraining *t)
{
    int P = t->comm->size;
    if (P == 1)
        return NO_TENSOR;
    Tensor weight = tensor_new(t->be, F32, t->batch, 1, 1, 1, 0);
    float *each = alloc((size_t)t->batch, sizeof *each);
    for (int i = 0; i < t->batch; i++)
        each[i] = 1.0f / P;
    t->be->op->upload(t->m->s, weight, each);
    free(each);
    return weight;
}

TimedTraining *timed_training_new(Comm *c, Backend *be, const Dataset *data, const char *model,
                                  int batch, int count, double rate, uint64_t seed)
{
    const Images *all = &data->train;
    TimedTraining *t = alloc(1, sizeof *t);
    *t = (TimedTraining){.comm = c,
                         .be = be,
                         .data = data,
                         .images = *all,
                         .batch = batch,
                         .rate = rate,
                         .seed = seed};
    t->images.count = count;
    t->updates = count / (batch * c->size);
    REQUIRE(t->updates >= 1, "%d images are less than one batch of %d on each of %d ranks", count,
            batch, c->size);
    pthread_mutex_init(&t->lock, NULL);
    t->trace = trace_new(60000);
    name_tracks(t->trace);
    ModelSpec spec = model_spec_for(model, data);
    t->m = model_new(be, &spec, batch);
    REQUIRE(t->m->nlayers <= MOST_LAYERS, "%s has %d layers; at most %d can be timed", model,
            t->m->nlayers, MOST_LAYERS);
    model_init(t->m, seed);
    t->m->layer_hook = on_layer;
    t->m->layer_context = t;
    t->sgd = sgd_new(t->m, 0.9, 0, false);
    t->loader = loader_new(be, &t->images, data->mean, data->istd, batch, model_halo(t->m),
                           (AugmentSpec){.flip = true, .shift = 2}, seed);
    loader_by_stages(t->loader, &t->images, on_stage, t);
    t->x = tensor_new(be, F32, batch, all->h, all->w, all->c, model_halo(t->m));
    t->label = tensor_new(be, I32, batch, 1, 1, 1, 0);
    t->totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    t->weight = equal_weights(t);
    t->order = alloc((size_t)count, sizeof *t->order);
    t->mine = alloc((size_t)t->updates * batch, sizeof *t->mine);
    return t;
}

void timed_training_free(TimedTraining *t)
{
    if (!t)
        return;
    loader_free(t->loader);
    sgd_free(t->m, t->sgd);
    model_free(t->m);
    tensor_free(t->be, t->x);
    tensor_free(t->be, t->label);
    tensor_free(t->be, t->totals);
    tensor_free(t->be, t->weight);
    trace_free(t->trace);
    pthread_mutex_destroy(&t->lock);
    free(t->order);
    free(t->mine);
    free(t);
}

/* Each rank takes every P-th image of the epoch's order. */
static void start_epoch(TimedTraining *t)
{
    int epoch = (int)(t->steps / t->updates), P = t->comm->size;
    epoch_order(t->order, t->images.count, t->seed, epoch);
    for (int i = 0; i < t->updates * t->batch; i++)
        t->mine[i] = t->order[i * P + t->comm->rank];
    t->epoch_first = t->steps;
    loader_start(t->loader, t->mine, t->updates * t->batch, epoch);
}

static void remember(TimedTraining *t)
{
    const StepRecord *r = now_of(t);
    int slot = (int)(t->steps % HISTORY);
    pthread_mutex_lock(&t->lock);
    for (int p = 0; p < PARTS; p++)
        t->history[p][slot] = r->part[p].ended - r->part[p].began;
    t->history[PARTS][slot] = r->whole.ended - r->whole.began;
    pthread_mutex_unlock(&t->lock);
}

void timed_training_step(TimedTraining *t)
{
    const BackendOps *op = t->be->op;
    Model *m = t->m;
    Batch b;
    double totals[2];
    if (t->steps % t->updates == 0)
        start_epoch(t);
    double began = timer_now(), now;
    loader_next(t->loader, m->s, &b);
    now_of(t)->waits = (Span){began, timer_now()};
    trace_end(t->trace, "wait for the batch", TRACK_TRAINING, began);
    now = timer_now();
    op->copy(m->s, t->x, b.x);
    op->copy(m->s, t->label, b.label);
    t->began = t->part_began = end_part(t, TO_NETWORK, now);
    model_forward(m, t->x, MODEL_TRAIN); /* parts 6 to 8: on_layer */
    now = timer_now();
    model_loss(m, t->totals, t->label, t->weight, true);
    t->began = t->part_began = end_part(t, LOSS, now);
    model_backward(m); /* parts 10 to 12 */
    now = timer_now();
    comm_all_reduce(t->comm, m->grads, COMM_SUM, m->s);
    now = end_part(t, OPTIMISER, now);
    sgd_step(m, t->sgd, t->rate);
    now = end_part(t, UPDATE, now);
    op->download(m->s, totals, t->totals);
    op->zero(m->s, t->totals);
    model_zero_grads(m);
    end_part(t, RETURN, now);
    now_of(t)->whole = (Span){began, timer_now()};
    t->loss = totals[0] * t->comm->size / b.n; /* each image had the weight 1/P */
    remember(t);
    t->steps++;
}

/* ---- what the steps were like ---- */

static double length(const TimedTraining *t, int64_t step)
{
    const Span *whole = &t->ring[step % REMEMBERED].whole;
    return whole->ended - whole->began;
}

int64_t timed_training_median_step(const TimedTraining *t)
{
    int64_t end = t->steps - LATER, first = end - 31 > WARM_UP ? end - 31 : WARM_UP;
    double lengths[31];
    int n = 0;
    for (int64_t step = first; step < end; step++)
        lengths[n++] = length(t, step);
    if (n < 5)
        return -1;
    sort_ascending(lengths, n);
    while (length(t, first) != lengths[n / 2])
        first++;
    return first;
}

/* A part's time over the last steps; part PARTS: the whole step. */
static PartSpread spread(const TimedTraining *t, int part)
{
    double values[HISTORY];
    int n = 0;
    for (int64_t step = t->steps - 1; step >= WARM_UP && n < HISTORY; step--)
        values[n++] = t->history[part][step % HISTORY];
    if (n == 0)
        return (PartSpread){0};
    sort_ascending(values, n);
    return (PartSpread){values[n / 2], values[n / 10], values[n - 1 - n / 10]};
}

/* The exercise at work: the fractions of the step in which the training thread computes and the
 * loader's thread is busy. */
static void busy_fractions(StepReport *r)
{
    double start[PARTS + QUEUE * (LATER + 1)], end[PARTS + QUEUE * (LATER + 1)],
        from = r->record.whole.began, to = r->record.whole.ended;
    int n = 0;
    for (int p = TO_NETWORK; p < PARTS; p++)
        if (p != OPTIMISER) {
            start[n] = r->record.part[p].began;
            end[n++] = r->record.part[p].ended;
        }
    r->computing = busy(start, end, n, from, to) / (to - from);
    n = 0;
    for (int i = -1; i < LATER; i++)
        for (int p = READ; p < QUEUE; p++) {
            const Span *s = i < 0 ? &r->record.part[p] : &r->record.later[i][p];
            start[n] = s->began;
            end[n++] = s->ended;
        }
    r->loading = busy(start, end, n, from, to) / (to - from);
}

StepReport timed_training_report(TimedTraining *t, int64_t step, bool busy_is_written)
{
    StepReport r = {.step = step,
                    .steps = t->steps,
                    .layers = t->m->nlayers,
                    .loss = t->loss,
                    .computing = NAN,
                    .loading = NAN};
    pthread_mutex_lock(&t->lock);
    r.record = t->ring[step % REMEMBERED];
    for (int i = 0; i < LATER; i++)
        memcpy(r.record.later[i], t->ring[(step + 1 + i) % REMEMBERED].part,
               sizeof r.record.later[i]);
    pthread_mutex_unlock(&t->lock);
    for (int p = 0; p <= PARTS; p++)
        r.spread[p] = spread(t, p);
    for (int i = 0; i < t->m->nlayers; i++)
        r.part_of[i] = third(t->m, i);
    if (busy_is_written)
        busy_fractions(&r);
    return r;
}
