/* compression_study.c: see compression_study.h. */
#include "compression_study.h"
#include "check.h"
#include "digest.h"
#include "epoch_order.h"
#include "training.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double study_bandwidth[STUDY_LINKS] = {1.25e7, 1.25e8, 1.25e9, 1.25e10};
static const Link no_link = {.bandwidth = INFINITY};

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
    REQUIRE(s->images >= P * s->batch, "--images=%d: give at least the %d of an update", s->images,
            P * s->batch);
    bool mlp = !strcmp(s->model, "mlp");
    REQUIRE(mlp || !strncmp(s->model, "gpt-", 4), "--model=%s: expected mlp, or for text gpt-D-L-H",
            s->model);
    for (int k = 0; k < remedy_count; k++)
        if (k == 0 || (strstr(remedy_specs[k].name, s->only) && (mlp || !remedy_specs[k].mlp)))
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

typedef struct Remedied {
    CompressionStudy *s;
    const RemedySpec *remedy;
    uint64_t seed; /* the same on all ranks */
    Compressor *c;
    Sgd *sgd;
    TrainingSpec spec;
    Training *t;
    UpdateCost *cost; /* [updates] */
} Remedied;

static Method make(void *remedied, Model *m)
{
    Remedied *r = remedied;
    const CompressionStudy *s = r->s;
    r->c = compressor_new(r->remedy, m, s->study.lab->comm, r->seed, s->updates / 5, s->momentum);
    r->sgd = sgd_new(m, r->remedy->corrected ? 0 : s->momentum, 0, false);
    return (Method){.update = sgd_update(r->sgd)};
}

static void end(void *remedied, Model *m, const Method *method)
{
    Remedied *r = remedied;
    sgd_free(m, r->sgd);
    compressor_free(r->c);
}

/* This rank's slice of the epoch's order (part 3, step 4). */
static int lay_out(void *remedied, int32_t *order, uint64_t seed, int epoch)
{
    const CompressionStudy *s = ((Remedied *)remedied)->s;
    const Comm *c = s->study.lab->comm;
    int count = s->images / c->size / s->batch * s->batch;
    int32_t *all = alloc(s->images, sizeof *all);
    epoch_order(all, s->images, seed, epoch);
    for (int i = 0; i < count; i++)
        order[i] = all[i * c->size + c->rank];
    free(all);
    return count;
}

static Pace pace(const void *study, double seen, int64_t update)
{
    const CompressionStudy *s = study;
    return (Pace){s->batch, s->rate};
}

static Remedied *remedied_new(CompressionStudy *s, int row, uint64_t seed)
{
    const Lab *lab = s->study.lab;
    Remedied *r = alloc(1, sizeof *r);
    *r = (Remedied){.s = s, .remedy = study_spec(s, row), .seed = seed};
    r->spec = (TrainingSpec){.be = lab->be,
                             .data = lab->data,
                             .model = model_spec_for(s->model, lab->data),
                             .images = s->images,
                             .test = s->test,
                             .batch = s->batch,
                             .epochs = INFINITY,
                             .method = {make, end, r},
                             .pace = pace,
                             .context = s,
                             .lay_out = lay_out,
                             .images_of = r};
    if (r->remedy->hidden)
        r->spec.model.hidden[0] = r->remedy->hidden;
    else
        memcpy(r->spec.model.hidden, s->hidden, sizeof s->hidden);
    r->t = training_new(&r->spec, seed);
    r->cost = alloc(s->updates, sizeof *r->cost);
    return r;
}

static void remedied_free(Remedied *r)
{
    training_free(r->t);
    free(r->cost);
    free(r);
}

/* One update, by the three parts of a Method (method.h), with a look at the clock between them. */
static void make_update(Remedied *r, int update)
{
    Batch b;
    Model *m = r->t->m;
    UpdateCost *cost = &r->cost[update];
    training_next(r->t, &b);
    r->c->hook_seconds = 0;
    link_align();
    double began = link_now();
    model_gradient(m, r->t->totals, b.x, b.label);
    double computed = link_now();
    compressor_exchange(r->c, m);
    double exchanged = link_now();
    sgd_step(m, r->sgd, r->t->last.rate);
    double ended = link_now();
    cost->compute = computed - began - r->c->hook_seconds + ended - exchanged;
    cost->compress = r->c->seconds;
    cost->clock = ended - began;
    cost->sent = r->c->wire.sent;
    cost->calls = r->c->wire.calls;
    memcpy(cost->call, r->c->wire.call, sizeof cost->call);
}

/* Over all ranks, each of which tests its part. */
static double test_accuracy(Remedied *r)
{
    const CompressionStudy *s = r->s;
    int32_t *mine = alloc(s->test, sizeof *mine);
    int count = 0;
    for (int i = s->study.lab->comm->rank; i < s->test; i += s->study.lab->comm->size)
        mine[count++] = i;
    Metrics found = training_test_of(r->t, mine, count);
    double sums[] = {found.correct, found.count};
    free(mine);
    comm_all_reduce_host(s->study.lab->comm, sums, 2, COMM_SUM);
    return sums[0] / sums[1];
}

/* The slowest rank decides how long an update takes. */
static void take_slowest(Remedied *r, int updates)
{
    double *v = alloc(3 * (size_t)updates, sizeof *v);
    for (int u = 0; u < updates; u++)
        memcpy(v + 3 * u, (double[]){r->cost[u].compute, r->cost[u].compress, r->cost[u].clock},
               3 * sizeof *v);
    comm_all_reduce_host(r->s->study.lab->comm, v, 3 * updates, COMM_MAX);
    for (int u = 0; u < updates; u++) {
        r->cost[u].compute = v[3 * u];
        r->cost[u].compress = v[3 * u + 1];
        r->cost[u].clock = v[3 * u + 2];
    }
    free(v);
}

/* Do all ranks still have the same weights, bit for bit? */
static bool same_weights(const Remedied *r)
{
    const float *w = host_floats(r->t->m, r->t->m->params);
    double sums[2] = {0};
    for (int i = 0; i < r->t->m->params.n; i++) {
        uint32_t bits;
        memcpy(&bits, w + i, 4);
        sums[0] += bits % 65521 * (1.0 + i % 97);
    }
    sums[1] = -sums[0];
    comm_all_reduce_host(r->s->study.lab->comm, sums, 2, COMM_MAX);
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

static void keep_result(Remedied *r, int row, int seed, const Trained *found, bool same)
{
    CompressionStudy *s = r->s;
    RemedyResult *of = &s->result[row];
    double sent = 0;
    for (int u = 0; u < s->updates; u++)
        sent += r->cost[u].sent / s->updates;
    study_lock(&s->study, true);
    of->compute = average(of->compute, seed, median_of(r->cost, s->updates, 0));
    of->compress = average(of->compress, seed, median_of(r->cost, s->updates, 1));
    of->sent = sent;
    of->elements = r->t->m->params.n;
    of->trained[seed] = *found;
    if (!of->cost) {
        of->cost = r->cost;
        r->cost = NULL;
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
    Remedied *r = remedied_new(s, row, s->seed + (uint64_t)seed);
    Trained found = {.done = true};
    bool goes_on = true;
    int update = 0;
    for (int k = 0; k < s->points && goes_on; k++) {
        link_set(s->link);
        while (update < s->point[k])
            make_update(r, update++);
        link_set(no_link);
        found.accuracy[k] = test_accuracy(r);
        goes_on = study_all_go_on(&s->study);
    }
    if (goes_on) {
        take_slowest(r, s->updates);
        keep_result(r, row, seed, &found, same_weights(r));
    }
    remedied_free(r);
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
    Remedied *r = remedied_new(s, row, s->seed);
    link_set(on);
    for (int u = 0; u < updates; u++)
        make_update(r, u);
    link_set(no_link);
    take_slowest(r, updates);
    double clock = median_of(r->cost, updates, 2);
    for (int u = 0; u < updates; u++)
        r->cost[u].clock = r->cost[u].compute + r->cost[u].compress +
                           wire_seconds(r->cost[u].call, r->cost[u].calls, s->study.lab->comm->size,
                                        on);
    Proof found = {row, link, clock, median_of(r->cost, updates, 2),
                   study_seconds(s, row, updates, on) / updates};
    study_lock(&s->study, true);
    s->proof[s->proofs++] = found;
    study_lock(&s->study, false);
    remedied_free(r);
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
