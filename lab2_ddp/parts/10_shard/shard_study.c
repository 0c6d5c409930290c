/* shard_study.c: see shard_study.h. */
#include "shard_study.h"
#include "check.h"
#include "epoch_order.h"
#include "link.h"
#include "quantiles.h"
#include "timer.h"
#include "wire.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const zero_names[ZERO_STAGES] = {"plain", "ZeRO 1", "ZeRO 2", "ZeRO 3"};
const int shard_micro[SHARD_MICROS] = {1, 2, 4};

int shard_steps(const ShardStudy *s)
{
    return ZERO_STAGES * (s->sizes + SHARD_MICROS) + s->sizes + 2 * SAVINGS;
}

void shard_step_done(ShardStudy *s)
{
    s->finished++;
    run_progress(s->study.lab->run, "measured", s->finished, shard_steps(s), "settings", "");
}

/* ---- set-up ---- */

static Loader *images(const Lab *lab, const ModelSpec *spec, int batch, uint64_t seed)
{
    const Dataset *d = lab->data;
    Model *m = model_new(lab->be, spec, batch); /* for its halo */
    AugmentSpec none = {0};
    Loader *l = loader_new(lab->be, &d->train, d->mean, d->istd, batch, model_halo(m), none, seed);
    model_free(m);
    return l;
}

static ModelSpec spec_of(const char *model, const char *hidden, const Dataset *d)
{
    TrainOptions o = {.model = model, .hidden = hidden, .skip = true, .batchnorm = true};
    return train_model_spec(&o, d);
}

void shard_open(void *study, const Lab *lab, uint64_t seed)
{
    ShardStudy *s = study;
    const Dataset *d = lab->data;
    s->seed = seed;
    s->spec = spec_of(s->model, s->hidden, d);
    s->deep_spec = spec_of(s->deep, "256,128", d);
    while (s->sizes < SHARD_SIZES && 1 << s->sizes <= lab->comm->size)
        s->sizes++;
    int most = shard_micro[SHARD_MICROS - 1] * s->updates * s->batch << (s->sizes - 1);
    REQUIRE(most <= d->train.count, "%d updates of %d ranks take %d images: there are %d",
            s->updates, 1 << (s->sizes - 1), most, d->train.count);
    s->loader = images(lab, &s->spec, s->batch, seed);
    if (lab->comm->rank == 0)
        s->deep_loader = images(lab, &s->deep_spec, s->deep_batch, seed);
}

void shard_close(void *study)
{
    ShardStudy *s = study;
    loader_free(s->loader);
    loader_free(s->deep_loader);
}

/* ---- one setting ---- */

typedef struct Trial {
    ShardStudy *s;
    ZeroStage stage;
    int micro;
    bool ahead;
    Wire wire;
    Model *m;
    Sgd *sgd;              /* plain */
    ShardedModel *sharded; /* else */
    Tensor totals;
    int *count, units; /* parameters of each layer */
} Trial;

/* Not yet on shards: trial_begin. */
static Trial trial_new(ShardStudy *s, ZeroStage stage, int micro, bool ahead, const Comm *part)
{
    Backend *be = s->study.lab->be;
    Trial t = {.s = s, .stage = stage, .micro = micro, .ahead = ahead};
    t.totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    ledger_open(&s->ledger, be);
    s->ledger.kind = LEDGER_ACTIVATIONS;
    t.m = model_new(be, &s->spec, s->batch);
    s->ledger.kind = LEDGER_OTHER;
    ledger_claim(&s->ledger, t.m->params, LEDGER_PARAMS);
    ledger_claim(&s->ledger, t.m->grads, LEDGER_GRADS);
    ledger_claim(&s->ledger, t.m->state, LEDGER_OTHER);
    model_init(t.m, s->seed);
    s->parameters = t.m->params.n;
    ShardUnit *unit = sharded_units(t.m, ZERO_2, part->size, part->rank, &t.units, NULL);
    t.count = alloc(t.units, sizeof *t.count);
    for (int i = 0; i < t.units; i++)
        t.count[i] = unit[i].count;
    free(unit);
    return t;
}

/* Once t lies where it stays. */
static void trial_begin(Trial *t, Comm *part)
{
    ShardStudy *s = t->s;
    wire_init(&t->wire, part);
    if (t->stage == ZERO_0) {
        t->sgd = sgd_new(t->m, s->momentum, 0, false);
        ledger_claim(&s->ledger, t->sgd->velocity, LEDGER_STATE);
    } else {
        t->sharded = sharded_new(t->m, &t->wire.comm, t->stage, s->momentum, &s->ledger);
        t->sharded->micro = t->micro;
        t->sharded->ahead = t->ahead;
    }
    ledger_restart(&s->ledger); /* what making the network took for a moment does not count */
}

static void trial_free(Trial *t)
{
    sgd_free(t->m, t->sgd);
    sharded_free(t->sharded);
    model_free(t->m);
    ledger_open(NULL, t->s->study.lab->be);
    tensor_free(t->s->study.lab->be, t->totals);
    free(t->count);
}

/* Rank r of P reads every P-th batch. */
static void deal_batches(Trial *t)
{
    ShardStudy *s = t->s;
    const Comm *c = &t->wire.comm;
    int count = s->study.lab->data->train.count, each = s->updates * t->micro, B = s->batch;
    int32_t *all = alloc(count, sizeof *all), *mine = alloc(each * B, sizeof *mine);
    epoch_order(all, count, s->seed, 0);
    for (int b = 0; b < each; b++)
        memcpy(mine + b * B, all + (b * c->size + c->rank) * B, B * sizeof *mine);
    loader_start(s->loader, mine, each * B, 0);
    free(mine);
    free(all);
}

static void plain_update(Trial *t)
{
    Model *m = t->m;
    Batch b;
    model_zero_grads(m);
    for (int k = 0; k < t->micro && loader_next(t->s->loader, m->s, &b); k++) {
        model_forward(m, b.x, MODEL_TRAIN);
        model_loss(m, t->totals, b.label, NO_TENSOR, true);
        model_backward(m);
    }
    comm_all_reduce(&t->wire.comm, m->grads, COMM_SUM, m->s);
    m->be->op->scale(m->s, m->grads, 1.0f / (float)t->wire.comm.size);
    if (t->micro > 1)
        m->be->op->scale(m->s, m->grads, 1.0f / (float)t->micro);
    sgd_step(m, t->sgd, t->s->rate);
}

static void sharded_update(Trial *t)
{
    Method method = sharded_method(t->sharded);
    Batch b;
    for (int k = 1; k < t->micro && loader_next(t->s->loader, t->m->s, &b); k++)
        sharded_add(t->sharded, t->totals, &b);
    if (loader_next(t->s->loader, t->m->s, &b))
        method_step(&method, t->m, t->totals, &b, t->s->rate, NULL);
}

/* Returns the seconds of an update on the slowest rank: the median. */
static double make_updates(Trial *t)
{
    double seconds[SHARD_UPDATES];
    int n = t->s->updates;
    deal_batches(t);
    for (int u = 0; u < n; u++) {
        comm_barrier(t->wire.inner);
        double began = timer_now();
        (t->sharded ? sharded_update : plain_update)(t);
        t->m->be->op->stream_sync(t->m->s);
        seconds[u] = timer_now() - began;
    }
    comm_all_reduce_host(t->wire.inner, seconds, n, COMM_MAX);
    return spread_of(seconds, n).median;
}

/* Rank 0's weights, a new array; NULL elsewhere. */
static float *weights(const Trial *t)
{
    if (t->sharded)
        return sharded_weights(t->sharded);
    if (t->wire.comm.rank > 0)
        return NULL;
    float *w = alloc(t->m->params.n, sizeof *w);
    t->m->be->op->download(t->m->s, w, t->m->params);
    return w;
}

static StageRow row_of(Trial *t, double seconds, const float *w, const float *plain)
{
    const Ledger *l = &t->s->ledger;
    StageRow row = {.done = true, .seconds = seconds};
    row.predicted = rank_costs(t->stage, t->wire.comm.size, t->count, t->units, 1, t->micro);
    row.found = (RankCosts){l->most[LEDGER_PARAMS], l->most[LEDGER_GRADS], l->most[LEDGER_STATE],
                            t->wire.sent / t->s->updates};
    row.hideable = t->sharded ? t->sharded->hideable / t->s->updates : 0;
    row.activations = l->most[LEDGER_ACTIVATIONS];
    row.activations_predicted = model_batch_bytes(t->m);
    row.all = l->most_all;
    row.all_predicted = row.predicted.params + row.predicted.grads + row.predicted.state +
                        row.activations_predicted;
    if (w)
        row.difference = fmax(row.difference, largest_difference(w, plain, t->s->parameters));
    return row;
}

/* Ranks of `part`; *plain: rank 0's weights by plain data parallelism, of stage 0. */
static void measure(ShardStudy *s, Comm *part, ZeroStage stage, int micro, bool ahead,
                    StageRow *row, float **plain)
{
    Trial t = trial_new(s, stage, micro, ahead, part);
    trial_begin(&t, part);
    double seconds = make_updates(&t);
    float *w = weights(&t);
    if (stage == ZERO_0) {
        free(*plain);
        *plain = w;
    }
    StageRow found = row_of(&t, seconds, w, *plain);
    study_lock(&s->study, true);
    *row = found;
    study_lock(&s->study, false);
    if (stage != ZERO_0)
        free(w);
    trial_free(&t);
}

/* The first P ranks; the others wait. ahead: NULL is fine. */
static void measure_all(ShardStudy *s, int P, int micro, StageRow *row[ZERO_STAGES],
                        StageRow *ahead)
{
    Comm *all = s->study.lab->comm, *part = comm_split(all, all->rank >= P, all->rank);
    float *plain = NULL;
    for (int stage = ZERO_0; stage < ZERO_STAGES && study_all_go_on(&s->study); stage++) {
        if (all->rank < P)
            measure(s, part, stage, micro, false, row[stage], &plain);
        shard_step_done(s);
    }
    if (ahead && study_all_go_on(&s->study)) {
        if (all->rank < P)
            measure(s, part, ZERO_3, micro, true, ahead, &plain);
        shard_step_done(s);
    }
    free(plain);
    comm_close(part);
}

void shard_stages(ShardStudy *s)
{
    link_own(); /* one rank has no message that would do it */
    for (int k = 0; k < s->sizes; k++) {
        StageRow *row[] = {&s->stage[0][k], &s->stage[1][k], &s->stage[2][k], &s->stage[3][k]};
        measure_all(s, 1 << k, 1, row, &s->ahead[k]);
    }
    for (int k = 0; k < SHARD_MICROS; k++) {
        StageRow *row[] = {&s->micro[0][k], &s->micro[1][k], &s->micro[2][k], &s->micro[3][k]};
        measure_all(s, 1 << (s->sizes - 1), shard_micro[k], row, NULL);
    }
}
