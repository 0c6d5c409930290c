/* local_study.c: see local_study.h. */
#include "local_study.h"
#include "check.h"
#include "epoch_order.h"
#include "evaluate.h"
#include "schedule.h"
#include <math.h>
#include <stdlib.h>

const int study_period[STUDY_PERIODS] = {4, 16, 64, 200};
const char *const local_names[LOCAL_KINDS] = {"plain", "local SGD", "delayed averaging", "DiLoCo",
                                              "SparseLoCo"};
const char *const shards_names[SHARDS] = {"random shards", "shards split by class"};

void local_open(LocalStudy *s, const Lab *lab, uint64_t seed)
{
    const Dataset *d = lab->data;
    int P = lab->comm->size;
    s->study.lab = lab;
    s->seed = seed;
    s->images = s->images < d->train.count ? s->images : d->train.count;
    s->test = s->test < d->test.count ? s->test : d->test.count;
    REQUIRE(s->images >= P * s->batch, "--images=%d: %d ranks with batches of %d need at least %d",
            s->images, P, s->batch, P * s->batch);
    double *all = s->accuracy[0][0][0];
    for (size_t i = 0; i < sizeof s->accuracy / sizeof *all; i++)
        all[i] = NAN;
}

/* ---- one training ---- */

typedef struct Training {
    LocalStudy *s;
    uint64_t seed;
    Model *m;
    Local *local;
    Loader *train, *test;
    Tensor totals;
    int32_t *shard, *order; /* this rank's images; their order in an epoch */
    int count;              /* whole batches of them, in images */
} Training;

/* The rank's part of all images in a random order; by class: sorted by class after that. */
static void draw_shard(Training *t, Shards shards)
{
    const LocalStudy *s = t->s;
    const uint8_t *label = s->study.lab->data->train.labels;
    int n = s->images / s->study.lab->comm->size, first = n * s->study.lab->comm->rank, at = 0;
    int32_t *all = alloc(s->images, sizeof *all), *sorted = alloc(s->images, sizeof *sorted);
    epoch_order(all, s->images, t->seed, 0);
    for (int c = 0; c < s->study.lab->data->classes; c++)
        for (int i = 0; i < s->images; i++)
            if (label[all[i]] == c)
                sorted[at++] = all[i];
    for (int i = 0; i < n; i++)
        t->shard[i] = (shards == SHARDS_BY_CLASS ? sorted : all)[first + i];
    t->count = n / s->batch * s->batch;
    free(sorted);
    free(all);
}

static void begin_epoch(Training *t, int epoch)
{
    int n = t->s->images / t->s->study.lab->comm->size;
    int32_t *order = alloc(n, sizeof *order);
    epoch_order(order, n, t->seed + 1, epoch);
    for (int i = 0; i < n; i++)
        t->order[i] = t->shard[order[i]];
    free(order);
    loader_start(t->train, t->order, t->count, epoch);
}

static Training training_new(LocalStudy *s, Shards shards, LocalSpec spec, uint64_t seed)
{
    const Dataset *d = s->study.lab->data;
    Backend *be = s->study.lab->be;
    Images train = d->train, test = d->test;
    int most = s->batch > 250 ? s->batch : 250;
    ModelSpec net = model_spec_for(s->model, d);
    AugmentSpec none = {0};
    Training t = {.s = s, .seed = seed};
    train.count = s->images;
    test.count = s->test;
    t.m = model_new(be, &net, most);
    model_init(t.m, seed);
    t.local = local_new(t.m, s->study.lab->comm, spec);
    t.train = loader_new(be, &train, d->mean, d->istd, s->batch, model_halo(t.m), none, seed);
    t.test = loader_new(be, &test, d->mean, d->istd, most, model_halo(t.m), none, seed);
    t.totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    t.shard = alloc(s->images, sizeof *t.shard);
    t.order = alloc(s->images, sizeof *t.order);
    draw_shard(&t, shards);
    return t;
}

static void training_free(Training *t)
{
    free(t->order);
    free(t->shard);
    tensor_free(t->m->be, t->totals);
    loader_free(t->test);
    loader_free(t->train);
    local_free(t->local);
    model_free(t->m);
}

static void make_updates(Training *t)
{
    const LocalStudy *s = t->s;
    Method method = local_method(t->local);
    Schedule rates = {.kind = SCHEDULE_COSINE, .rate = s->rate, .steps = s->updates};
    Batch b;
    for (int i = 0, epoch = 0; i < s->updates; i++) {
        if (i == 0 || !loader_next(t->train, t->m->s, &b)) {
            begin_epoch(t, epoch++);
            loader_next(t->train, t->m->s, &b);
        }
        method_step(&method, t->m, t->totals, &b, schedule_rate(&rates, i), NULL);
    }
}

/* Of the common network; each rank tests a part of the images. */
static double test_accuracy(Training *t)
{
    Comm *c = t->s->study.lab->comm;
    int from = (int)((int64_t)t->s->test * c->rank / c->size),
        to = (int)((int64_t)t->s->test * (c->rank + 1) / c->size);
    for (int i = from; i < to; i++)
        t->order[i - from] = i;
    Metrics own = evaluate(t->m, t->test, t->order, to - from);
    double sums[] = {own.correct, own.count};
    comm_all_reduce_host(c, sums, 2, COMM_SUM);
    return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

/* ---- all trainings: seed by seed, so that the figure is whole early ---- */

typedef struct Setting {
    int seed, shards, kind, period;
} Setting;

enum { PER_SHARDS = 1 + (LOCAL_KINDS - 1) * STUDY_PERIODS, PER_SEED = SHARDS * PER_SHARDS };

int local_trainings(const LocalStudy *s) { return PER_SEED * s->seeds; }

static Setting setting_of(int index)
{
    int i = index % PER_SHARDS;
    return (Setting){.seed = index / PER_SEED,
                     .shards = index % PER_SEED / PER_SHARDS,
                     .kind = i ? 1 + (i - 1) / STUDY_PERIODS : LOCAL_PLAIN,
                     .period = i ? (i - 1) % STUDY_PERIODS : 0};
}

static void train(LocalStudy *s, int index)
{
    Setting at = setting_of(index);
    LocalSpec spec = s->spec;
    spec.kind = at.kind;
    spec.steps = s->updates;
    spec.every = study_period[at.period];
    spec.delay = spec.every;
    if (spec.kind == LOCAL_SPARSE)
        spec.outer_momentum = 0; /* the residual stands for it */
    Training t = training_new(s, at.shards, spec, s->seed + 1000ull * (uint64_t)at.seed);
    make_updates(&t);
    double accuracy = test_accuracy(&t), bytes = local_bytes(t.local) / s->updates;
    training_free(&t);
    study_lock(&s->study, true);
    s->accuracy[at.shards][at.kind][at.period][at.seed] = accuracy;
    s->bytes[at.kind][at.period] = bytes;
    s->done++;
    study_lock(&s->study, false);
}

void local_work(void *study)
{
    LocalStudy *s = study;
    int all = local_trainings(s);
    for (int i = 0; i < all && study_all_go_on(&s->study); i++) {
        train(s, i);
        run_progress(s->study.lab->run, "trained", i + 1, all, "networks", "");
    }
}
