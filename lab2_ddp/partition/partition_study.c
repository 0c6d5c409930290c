/* partition_study.c: see partition_study.h. */
#include "partition_study.h"
#include "check.h"
#include "evaluate.h"
#include "method.h"
#include "schedule.h"
#include <math.h>
#include <stdlib.h>

const char *const partition_kind_names[PARTITION_KINDS] = {"plain", "option 1: cut",
                                                           "option 2: own orders",
                                                           "mistake: one order"};

void partition_open(PartitionStudy *s, const Lab *lab, uint64_t seed)
{
    const Dataset *d = lab->data;
    s->study.lab = lab;
    s->seed = seed;
    s->images = s->images < d->train.count ? s->images : d->train.count;
    s->test = s->test < d->test.count ? s->test : d->test.count;
    REQUIRE(s->images >= s->split * s->batch,
            "--images=%d: an update takes %d batches of %d: give at least %d", s->images, s->split,
            s->batch, s->split * s->batch);
    double *all[] = {s->by_size[0], s->by_epoch[0], s->accuracy[0][0]};
    int count[] = {sizeof s->by_size / sizeof(double), sizeof s->by_epoch / sizeof(double),
                   sizeof s->accuracy / sizeof(double)};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < count[k]; i++)
            all[k][i] = NAN;
}

/* partition(), which a student wrote: what it must not do ends the run in words. */
static int part_of(int32_t *mine, PartitionKind kind, int count, int rank, int size, uint64_t seed,
                   int epoch)
{
    int n = partition(mine, kind, count, rank, size, seed, epoch);
    bool good = n == count / size;
    for (int i = 0; good && i < n; i++)
        good = mine[i] >= 0 && mine[i] < count;
    if (!good)
        die(EXIT_WRONG,
            "partition gives rank %d of %d other than %d of the %d images: make check "
            "LAB=lab2 ONLY=5a",
            rank, size, count / size, count);
    return n;
}

/* ---- the shares, counted ---- */

/* Adds what `size` ranks read in an epoch; returns how many images have been seen so far. */
static int count_epoch(bool *seen, int32_t *mine, PartitionKind kind, int count, int size,
                       uint64_t seed, int epoch)
{
    int total = 0;
    for (int r = 0; r < size; r++) {
        int n = part_of(mine, kind, count, r, size, seed, epoch);
        for (int i = 0; i < n; i++)
            seen[mine[i]] = true;
    }
    for (int i = 0; i < count; i++)
        total += seen[i];
    return total;
}

static void count_shares(PartitionStudy *s)
{
    int32_t *mine = alloc(s->images, sizeof *mine);
    for (int kind = 0; kind < PARTITION_KINDS; kind++) {
        for (int k = 0; k < STUDY_SIZES; k++) {
            bool *seen = alloc(s->images, sizeof *seen);
            int total = count_epoch(seen, mine, kind, s->images, 1 << k, s->seed, 0);
            study_lock(&s->study, true);
            s->by_size[kind][k] = (double)total / s->images;
            study_lock(&s->study, false);
            free(seen);
        }
        bool *seen = alloc(s->images, sizeof *seen);
        for (int e = 0; e < s->epochs; e++) {
            int total = count_epoch(seen, mine, kind, s->images, s->split, s->seed, e);
            study_lock(&s->study, true);
            s->by_epoch[kind][e] = (double)total / s->images;
            study_lock(&s->study, false);
        }
        free(seen);
    }
    free(mine);
}

/* ---- the trainings ---- */

typedef struct Training {
    PartitionStudy *s;
    PartitionKind kind;
    uint64_t seed;
    Model *m;
    Sgd *sgd;
    Loader *train, *test;
    Tensor totals;
    int32_t *mine, *order;
} Training;

static Training training_new(PartitionStudy *s, PartitionKind kind, uint64_t seed)
{
    const Dataset *d = s->study.lab->data;
    Backend *be = s->study.lab->be;
    Images train = d->train, test = d->test;
    int batch = s->split * s->batch, most = batch > 250 ? batch : 250;
    ModelSpec spec = model_spec_for(s->model, d);
    AugmentSpec none = {0};
    Training t = {.s = s, .kind = kind, .seed = seed};
    train.count = s->images;
    test.count = s->test;
    t.m = model_new(be, &spec, most);
    model_init(t.m, seed);
    t.sgd = sgd_new(t.m, s->momentum, 0, false);
    t.train = loader_new(be, &train, d->mean, d->istd, batch, model_halo(t.m), none, seed);
    t.test = loader_new(be, &test, d->mean, d->istd, most, model_halo(t.m), none, seed);
    t.totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    t.mine = alloc(s->images, sizeof *t.mine);
    t.order = alloc(s->images, sizeof *t.order);
    return t;
}

static void training_free(Training *t)
{
    free(t->order);
    free(t->mine);
    tensor_free(t->m->be, t->totals);
    loader_free(t->test);
    loader_free(t->train);
    sgd_free(t->m, t->sgd);
    model_free(t->m);
}

/* The epoch's batches: of each update first rank 0's, then rank 1's … Returns how many images. */
static int lay_out_epoch(Training *t, int epoch)
{
    const PartitionStudy *s = t->s;
    int B = s->batch, updates = s->images / s->split / B;
    for (int r = 0; r < s->split; r++) {
        part_of(t->mine, t->kind, s->images, r, s->split, t->seed, epoch);
        for (int i = 0; i < updates * B; i++)
            t->order[(i / B * s->split + r) * B + i % B] = t->mine[i];
    }
    return updates * B * s->split;
}

static void train_epoch(Training *t, const Schedule *rates, int epoch)
{
    Method method = {.update = sgd_update(t->sgd)};
    loader_start(t->train, t->order, lay_out_epoch(t, epoch), epoch);
    for (Batch b; loader_next(t->train, t->m->s, &b);)
        method_step(&method, t->m, t->totals, &b, schedule_rate(rates, t->sgd->steps), NULL);
}

/* A task: all kinds with one seed, then the next. Its values: the accuracy after each epoch. */
static bool train(void *context, int item, double *value, TaskFarmRun *farm)
{
    PartitionStudy *s = context;
    /* far apart: PARTITION_OWN_ORDERS also uses the seeds that follow */
    uint64_t seed = s->seed + 1000ull * (uint64_t)(item / PARTITION_KINDS);
    Training t = training_new(s, item % PARTITION_KINDS, seed);
    int updates = s->images / s->split / s->batch;
    Schedule rates = {.kind = SCHEDULE_COSINE,
                      .rate = s->rate,
                      .steps = (int64_t)updates * s->epochs};
    bool stopped = false;
    for (int e = 0; e < s->epochs && !stopped; e++) {
        train_epoch(&t, &rates, e);
        value[e] = metrics_accuracy(evaluate(t.m, t.test, NULL, s->test));
        stopped = task_farm_cancelled(farm);
    }
    training_free(&t);
    return !stopped;
}

static void found(void *context, int item, const double *value)
{
    PartitionStudy *s = context;
    study_lock(&s->study, true);
    for (int e = 0; e < s->epochs; e++)
        s->accuracy[item % PARTITION_KINDS][item / PARTITION_KINDS][e] = value[e];
    s->done++;
    study_lock(&s->study, false);
    run_progress(s->study.lab->run, "trained", s->done, PARTITION_KINDS * s->seeds, "networks", "");
}

void partition_work(void *study)
{
    PartitionStudy *s = study;
    if (s->study.lab->comm->rank == 0)
        count_shares(s);
    study_farm(&s->study, (TaskFarm){.items = PARTITION_KINDS * s->seeds,
                                     .values = s->epochs,
                                     .work = train,
                                     .found = found});
}
