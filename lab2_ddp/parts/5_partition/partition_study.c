/* partition_study.c: see partition_study.h. */
#include "partition_study.h"
#include "check.h"
#include "schedule.h"
#include "training.h"
#include <math.h>
#include <stdlib.h>

const char *const partition_kind_names[PARTITION_KINDS] = {"plain", "option 1: cut",
                                                           "option 2: own orders",
                                                           "mistake: one order"};

void partition_open(void *study, const Lab *lab, uint64_t seed)
{
    PartitionStudy *s = study;
    s->seed = seed;
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

/* partition(), which a student wrote: what it must not do ends the run with a message. */
static int part_of(int32_t *mine, PartitionKind kind, int count, int rank, int size, uint64_t seed,
                   int epoch)
{
    int n = partition(mine, kind, count, rank, size, seed, epoch);
    bool good = n == count / size;
    for (int i = 0; good && i < n; i++)
        good = mine[i] >= 0 && mine[i] < count;
    if (!good)
        die(EXIT_WRONG,
            "partition does not give rank %d of %d its %d of the %d images: make check "
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

typedef struct Partitioned {
    const PartitionStudy *s;
    PartitionKind kind;
    Schedule rates;
    int32_t *mine; /* [images] */
} Partitioned;

/* The epoch's batches: of each update first rank 0's, then rank 1's … */
static int lay_out(void *partitioned, int32_t *order, uint64_t seed, int epoch)
{
    Partitioned *p = partitioned;
    const PartitionStudy *s = p->s;
    int B = s->batch, updates = s->images / s->split / B;
    for (int r = 0; r < s->split; r++) {
        part_of(p->mine, p->kind, s->images, r, s->split, seed, epoch);
        for (int i = 0; i < updates * B; i++)
            order[(i / B * s->split + r) * B + i % B] = p->mine[i];
    }
    return updates * B * s->split;
}

static Pace pace(const void *partitioned, double seen, int64_t update)
{
    const Partitioned *p = partitioned;
    return (Pace){p->s->split * p->s->batch, schedule_rate(&p->rates, update)};
}

/* A task: all kinds with one seed, then the next. Its values: the accuracy after each epoch. */
static bool train(void *context, int item, double *value, TaskFarmRun *farm)
{
    PartitionStudy *s = context;
    int updates = s->images / s->split / s->batch;
    Partitioned p = {.s = s,
                     .kind = item % PARTITION_KINDS,
                     .rates = {.kind = SCHEDULE_COSINE,
                               .rate = s->rate,
                               .steps = (int64_t)updates * s->epochs},
                     .mine = alloc(s->images, sizeof *p.mine)};
    const Lab *lab = s->study.lab;
    TrainingSpec spec = {.be = lab->be,
                         .data = lab->data,
                         .model = model_spec_for(s->model, lab->data),
                         .images = s->images,
                         .test = s->test,
                         .batch = s->split * s->batch,
                         .epochs = s->epochs,
                         .sgd = {s->momentum, 0, false, 0},
                         .pace = pace,
                         .context = &p,
                         .lay_out = lay_out,
                         .images_of = &p};
    /* far apart: PARTITION_OWN_ORDERS also uses the seeds that follow */
    Training *t = training_new(&spec, s->seed + 1000ull * (uint64_t)(item / PARTITION_KINDS));
    bool stopped = false;
    for (int e = 0; e < s->epochs && !stopped; e++) {
        for (int u = 0; u < updates; u++)
            training_step(t);
        value[e] = metrics_accuracy(training_test(t));
        stopped = task_farm_cancelled(farm);
    }
    training_free(t);
    free(p.mine);
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
