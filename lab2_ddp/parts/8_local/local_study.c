/* local_study.c: see local_study.h. */
#include "local_study.h"
#include "check.h"
#include "epoch_order.h"
#include "schedule.h"
#include "training.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const int study_period[STUDY_PERIODS] = {4, 16, 64, 200};
const char *const local_names[LOCAL_KINDS] = {"plain", "local SGD", "delayed averaging", "DiLoCo",
                                              "SparseLoCo"};
const char *const shards_names[SHARDS] = {"random shards", "shards split by class"};

void local_open(void *study, const Lab *lab, uint64_t seed)
{
    LocalStudy *s = study;
    int P = lab->comm->size;
    REQUIRE(P > 1, "needs at least 2 ranks: make lab2 ONLY=8_local NP=4");
    s->seed = seed;
    s->shards = images_of_text(&lab->data->train) ? 1 : SHARDS;
    ModelSpec spec = model_spec_for(s->model, lab->data);
    REQUIRE(!strcmp(s->model, "linear") || !strcmp(s->model, "mlp") ||
                !strncmp(s->model, "gpt-", 4),
            "--model %s: expected linear or mlp, which have no batch norm; for text gpt-D-L-H",
            s->model);
    model_check(lab->be, &spec, s->batch);
    REQUIRE(s->images >= P * s->batch, "--images=%d: %d ranks with batches of %d need at least %d",
            s->images, P, s->batch, P * s->batch);
    double *all = s->accuracy[0][0][0];
    for (size_t i = 0; i < sizeof s->accuracy / sizeof *all; i++)
        all[i] = NAN;
}

/* ---- one training ---- */

typedef struct LocalTraining {
    const LocalStudy *s;
    LocalSpec spec;
    Schedule rates;
    Local *local;
    int32_t *shard; /* this rank's images */
    int count;      /* of them */
} LocalTraining;

/* The rank's part of all images in a random order; by class: sorted by class after that. */
static void draw_shard(LocalTraining *t, Shards shards, uint64_t seed)
{
    const LocalStudy *s = t->s;
    const Lab *lab = s->study.lab;
    const uint8_t *label = lab->data->train.labels;
    t->count = s->images / lab->comm->size;
    t->shard = alloc(t->count, sizeof *t->shard);
    int first = t->count * lab->comm->rank, at = 0;
    int32_t *all = alloc(s->images, sizeof *all), *sorted = alloc(s->images, sizeof *sorted);
    epoch_order(all, s->images, seed, 0);
    for (int c = 0; shards == SHARDS_BY_CLASS && c < lab->data->classes; c++)
        for (int i = 0; i < s->images; i++)
            if (label[all[i]] == c)
                sorted[at++] = all[i];
    for (int i = 0; i < t->count; i++)
        t->shard[i] = (shards == SHARDS_BY_CLASS ? sorted : all)[first + i];
    free(sorted);
    free(all);
}

static int lay_out(void *training, int32_t *order, uint64_t seed, int epoch)
{
    const LocalTraining *t = training;
    epoch_order(order, t->count, seed + 1, epoch);
    for (int i = 0; i < t->count; i++)
        order[i] = t->shard[order[i]];
    return t->count;
}

static Pace pace(const void *training, double seen, int64_t update)
{
    const LocalTraining *t = training;
    return (Pace){t->s->batch, schedule_rate(&t->rates, update)};
}

static Method make(void *training, Model *m)
{
    LocalTraining *t = training;
    t->local = local_new(m, t->s->study.lab->comm, t->spec);
    return local_method(t->local);
}

static void end(void *training, Model *m, const Method *method)
{
    local_free(((LocalTraining *)training)->local);
}

/* Of the common network; each rank tests a part of the images. */
static double test_accuracy(Training *t, const LocalStudy *s)
{
    Comm *c = s->study.lab->comm;
    int from = (int)((int64_t)s->test * c->rank / c->size),
        to = (int)((int64_t)s->test * (c->rank + 1) / c->size);
    int32_t *image = alloc(s->test, sizeof *image);
    for (int i = from; i < to; i++)
        image[i - from] = i;
    Metrics own = training_test_of(t, image, to - from);
    double sums[] = {own.correct, own.count};
    free(image);
    comm_all_reduce_host(c, sums, 2, COMM_SUM);
    return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

/* Returns the accuracy; *bytes: sent per update. */
static double trained(LocalStudy *s, Shards shards, LocalSpec local, uint64_t seed, double *bytes)
{
    const Lab *lab = s->study.lab;
    LocalTraining own = {.s = s,
                         .spec = local,
                         .rates = {.kind = SCHEDULE_COSINE, .rate = s->rate, .steps = s->updates}};
    TrainingSpec spec = {.be = lab->be,
                         .data = lab->data,
                         .model = model_spec_for(s->model, lab->data),
                         .images = s->images,
                         .test = s->test,
                         .batch = s->batch,
                         .epochs = INFINITY,
                         .method = {make, end, &own},
                         .pace = pace,
                         .context = &own,
                         .lay_out = lay_out,
                         .images_of = &own};
    draw_shard(&own, shards, seed);
    Training *t = training_new(&spec, seed);
    while (t->updates < s->updates)
        training_step(t);
    double accuracy = test_accuracy(t, s);
    *bytes = local_bytes(own.local) / s->updates;
    training_free(t);
    free(own.shard);
    return accuracy;
}

/* ---- all trainings: seed by seed, so that the figure is whole early ---- */

typedef struct Setting {
    int seed, shards, kind, period;
} Setting;

enum { PER_SHARDS = 1 + (LOCAL_KINDS - 1) * STUDY_PERIODS };

int local_trainings(const LocalStudy *s) { return PER_SHARDS * s->shards * s->seeds; }

static Setting setting_of(const LocalStudy *s, int index)
{
    int i = index % PER_SHARDS, per_seed = PER_SHARDS * s->shards;
    return (Setting){.seed = index / per_seed,
                     .shards = index % per_seed / PER_SHARDS,
                     .kind = i ? 1 + (i - 1) / STUDY_PERIODS : LOCAL_PLAIN,
                     .period = i ? (i - 1) % STUDY_PERIODS : 0};
}

static void train(LocalStudy *s, int index)
{
    Setting at = setting_of(s, index);
    LocalSpec spec = s->spec;
    spec.kind = at.kind;
    spec.steps = s->updates;
    spec.every = study_period[at.period];
    spec.delay = spec.every;
    if (spec.kind == LOCAL_SPARSE)
        spec.outer_momentum = 0; /* the residual stands for it */
    double bytes,
        accuracy = trained(s, at.shards, spec, s->seed + 1000ull * (uint64_t)at.seed, &bytes);
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
