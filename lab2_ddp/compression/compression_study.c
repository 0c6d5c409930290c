/* compression_study.c: see compression_study.h. */
#include "compression_study.h"
#include "check.h"
#include "digest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double study_bandwidth[STUDY_LINKS] = {1.25e7, 1.25e8, 1.25e9, 1.25e10};
static const Link no_link = {.bandwidth = INFINITY};

const RemedySpec *study_spec(const CompressionStudy *s, int row)
{
    return &remedy_specs[s->remedy[row]];
}

/* Close together where the accuracy rises fast: slow links make few updates. */
static void choose_points(CompressionStudy *s)
{
    for (double at = 4; at < s->updates && s->points < STUDY_POINTS - 1;
         at = fmax(at + 4, at * 1.25))
        s->point[s->points++] = (int)at;
    s->point[s->points++] = s->updates;
}

void compression_open(CompressionStudy *s, const Lab *lab, uint64_t seed)
{
    const Dataset *d = lab->data;
    int P = lab->comm->size;
    s->study.lab = lab;
    s->seed = seed;
    s->images = s->images < d->train.count ? s->images : d->train.count;
    s->test = s->test < d->test.count ? s->test : d->test.count;
    REQUIRE(s->images >= P * s->batch, "--images=%d: an update takes %d: give at least as many",
            s->images, P * s->batch);
    for (int k = 0; k < remedy_count; k++)
        if (k == 0 || strstr(remedy_specs[k].name, s->only))
            s->remedy[s->remedies++] = k;
    REQUIRE(!*s->only || s->remedies > 1, "--only=%s: no remedy's name has this: try 2 bits",
            s->only);
    choose_points(s);
    for (int row = 0; row < s->remedies; row++)
        s->result[row] = (RemedyResult){.compute = NAN, .compress = NAN, .sent = NAN};
}

void compression_free(CompressionStudy *s)
{
    for (int row = 0; row < s->remedies; row++)
        free(s->result[row].cost);
}

/* ---- a training ---- */

typedef struct Training {
    CompressionStudy *s;
    Compressor *c;
    Model *m;
    Sgd *sgd;
    Loader *train, *test;
    Tensor totals;
    int32_t *order;
    int epoch;
    UpdateCost *cost; /* [updates] */
} Training;

static Model *new_model(const CompressionStudy *s, const RemedySpec *remedy, int most)
{
    ModelSpec spec = model_spec_for("mlp", s->study.lab->data);
    memcpy(spec.hidden, s->hidden, sizeof s->hidden);
    if (remedy->hidden) {
        spec.hidden[0] = remedy->hidden;
        spec.hidden[1] = 0;
    }
    return model_new(s->study.lab->be, &spec, most);
}

static Training training_new(CompressionStudy *s, int row, uint64_t seed)
{
    const Dataset *d = s->study.lab->data;
    const RemedySpec *spec = study_spec(s, row);
    Images train = d->train, test = d->test;
    int most = s->batch > 250 ? s->batch : 250;
    AugmentSpec none = {0};
    Training t = {.s = s, .m = new_model(s, spec, most)};
    train.count = s->images;
    test.count = s->test;
    model_init(t.m, seed); /* the same on all ranks */
    t.c = compressor_new(spec, t.m, s->study.lab->comm, seed, s->updates / 5, s->momentum);
    t.sgd = sgd_new(t.m, spec->corrected ? 0 : s->momentum, 0, false);
    t.train = loader_new(s->study.lab->be, &train, d->mean, d->istd, s->batch, model_halo(t.m),
                         none, seed);
    t.test = loader_new(s->study.lab->be, &test, d->mean, d->istd, most, model_halo(t.m), none,
                        seed);
    t.totals = tensor_new(s->study.lab->be, F64, 2, 1, 1, 1, 0);
    t.order = alloc(s->images, sizeof *t.order);
    t.cost = alloc(s->updates, sizeof *t.cost);
    return t;
}

static void training_free(Training *t)
{
    free(t->cost);
    free(t->order);
    tensor_free(t->m->be, t->totals);
    loader_free(t->test);
    loader_free(t->train);
    sgd_free(t->m, t->sgd);
    compressor_free(t->c);
    model_free(t->m);
}

/* This rank's next batch: its slice of the epoch's order (part 3, step 4). */
static void next_batch(Training *t, Batch *b)
{
    const CompressionStudy *s = t->s;
    int P = s->study.lab->comm->size, each = s->images / P / s->batch * s->batch;
    while (t->epoch == 0 || !loader_next(t->train, t->m->s, b)) {
        int32_t *all = alloc(s->images, sizeof *all);
        epoch_order(all, s->images, t->c->seed, t->epoch);
        for (int i = 0; i < each; i++)
            t->order[i] = all[i * P + s->study.lab->comm->rank];
        free(all);
        loader_start(t->train, t->order, each, t->epoch++);
    }
}

/* One update, by the three parts of a Method (method.h), with a look at the clock between them. */
static void make_update(Training *t, int update)
{
    Batch b;
    UpdateCost *cost = &t->cost[update];
    next_batch(t, &b);
    t->c->hook_seconds = 0;
    link_align();
    double began = link_now();
    model_gradient(t->m, t->totals, b.x, b.label);
    double computed = link_now();
    compressor_exchange(t->c, t->m);
    double exchanged = link_now();
    sgd_step(t->m, t->sgd, t->s->rate);
    double ended = link_now();
    cost->compute = computed - began - t->c->hook_seconds + ended - exchanged;
    cost->compress = t->c->seconds;
    cost->clock = ended - began;
    cost->sent = t->c->wire.sent;
    cost->calls = t->c->wire.calls;
    memcpy(cost->call, t->c->wire.call, sizeof cost->call);
}

/* Over all ranks, each of which tests its part. */
static double test_accuracy(Training *t)
{
    const CompressionStudy *s = t->s;
    int32_t *mine = alloc(s->test, sizeof *mine);
    int count = 0;
    for (int i = s->study.lab->comm->rank; i < s->test; i += s->study.lab->comm->size)
        mine[count++] = i;
    Metrics found = evaluate(t->m, t->test, mine, count);
    double correct = found.correct;
    free(mine);
    comm_all_reduce_host(s->study.lab->comm, &correct, 1, COMM_SUM);
    return correct / s->test;
}

/* The slowest rank decides how long an update takes. */
static void take_slowest(Training *t, int updates)
{
    double *v = alloc(3 * (size_t)updates, sizeof *v);
    for (int u = 0; u < updates; u++)
        memcpy(v + 3 * u, (double[]){t->cost[u].compute, t->cost[u].compress, t->cost[u].clock},
               3 * sizeof *v);
    comm_all_reduce_host(t->s->study.lab->comm, v, 3 * updates, COMM_MAX);
    for (int u = 0; u < updates; u++) {
        t->cost[u].compute = v[3 * u];
        t->cost[u].compress = v[3 * u + 1];
        t->cost[u].clock = v[3 * u + 2];
    }
    free(v);
}

/* Do all ranks still have the same weights, bit for bit? */
static bool same_weights(const Training *t)
{
    const float *w = host_floats(t->m, t->m->params);
    double sums[2] = {0};
    for (int i = 0; i < t->m->params.n; i++) {
        uint32_t bits;
        memcpy(&bits, w + i, 4);
        sums[0] += bits % 65521 * (1.0 + i % 97);
    }
    sums[1] = -sums[0];
    comm_all_reduce_host(t->s->study.lab->comm, sums, 2, COMM_MAX);
    return sums[0] == -sums[1];
}

/* ---- all trainings ---- */

/* which: 0 computing, 1 compressing, 2 the clock */
static double median_of(const UpdateCost *cost, int n, int which)
{
    double *v = alloc(n, sizeof *v), at[3];
    for (int i = 0; i < n; i++)
        v[i] = which == 0 ? cost[i].compute : which == 1 ? cost[i].compress : cost[i].clock;
    study_spread(at, v, n);
    free(v);
    return at[1];
}

/* A new median counts as much as those before it. */
static double average(double before, int times, double next)
{
    return times == 0 ? next : (before * times + next) / (times + 1);
}

static void keep_result(Training *t, int row, int seed, const Trained *found, bool same)
{
    CompressionStudy *s = t->s;
    RemedyResult *r = &s->result[row];
    double sent = 0;
    for (int u = 0; u < s->updates; u++)
        sent += t->cost[u].sent / s->updates;
    study_lock(&s->study, true);
    r->compute = average(r->compute, seed, median_of(t->cost, s->updates, 0));
    r->compress = average(r->compress, seed, median_of(t->cost, s->updates, 1));
    r->sent = sent;
    r->elements = t->m->params.n;
    r->trained[seed] = *found;
    if (!r->cost) {
        r->cost = t->cost;
        t->cost = NULL;
    }
    s->done++;
    if (!same)
        s->parted = study_spec(s, row)->name;
    study_lock(&s->study, false);
    run_progress(s->study.lab->run, "trained", s->done, s->remedies * s->seeds, "networks", "");
}

/* False: stopped. */
static bool train(CompressionStudy *s, int row, int seed)
{
    Training t = training_new(s, row, s->seed + (uint64_t)seed);
    Trained found = {.done = true};
    bool goes_on = true;
    int update = 0;
    for (int k = 0; k < s->points && goes_on; k++) {
        link_set(s->link);
        while (update < s->point[k])
            make_update(&t, update++);
        link_set(no_link);
        found.accuracy[k] = test_accuracy(&t);
        goes_on = study_all_go_on(&s->study);
    }
    if (goes_on) {
        take_slowest(&t, s->updates);
        keep_result(&t, row, seed, &found, same_weights(&t));
    }
    training_free(&t);
    return goes_on;
}

/* ---- proofs: the same updates on the links of the table ---- */

static int find_row(const CompressionStudy *s, const char *name)
{
    for (int row = 0; row < s->remedies; row++)
        if (!strcmp(study_spec(s, row)->name, name))
            return row;
    return -1;
}

static bool prove(CompressionStudy *s, int row, int link)
{
    int updates = s->updates < 20 ? s->updates : 20;
    Link on = {study_bandwidth[link], s->latency};
    Training t = training_new(s, row, s->seed);
    link_set(on);
    for (int u = 0; u < updates; u++)
        make_update(&t, u);
    link_set(no_link);
    take_slowest(&t, updates);
    double clock = median_of(t.cost, updates, 2);
    for (int u = 0; u < updates; u++)
        t.cost[u].clock = t.cost[u].compute + t.cost[u].compress +
                          wire_seconds(t.cost[u].call, t.cost[u].calls, s->study.lab->comm->size,
                                       on);
    Proof found = {row, link, clock, median_of(t.cost, updates, 2),
                   study_seconds(s, row, updates, on) / updates};
    study_lock(&s->study, true);
    s->proof[s->proofs++] = found;
    study_lock(&s->study, false);
    training_free(&t);
    return study_all_go_on(&s->study);
}

void compression_work(void *study)
{
    static const char *const proved[PROOF_REMEDIES] = {"none", "4 bits", "rank 4 + feedback"};
    CompressionStudy *s = study;
    bool goes_on = true;
    for (int seed = 0; seed < s->seeds && goes_on; seed++)
        for (int row = 0; row < s->remedies && goes_on; row++)
            goes_on = train(s, row, seed);
    for (int k = 0; k < PROOF_REMEDIES * STUDY_LINKS && goes_on; k++) {
        int row = find_row(s, proved[k / STUDY_LINKS]);
        goes_on = row < 0 || prove(s, row, k % STUDY_LINKS);
    }
}
