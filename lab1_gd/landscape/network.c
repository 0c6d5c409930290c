/* network.c: see network.h. Training is lab 2's lesson in short: every rank takes its slice of each batch, gradients are
 * averaged, all make the same update. */
#include "network.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "checkpoint.h"
#include "network_files.h"
#include "epoch_order.h"
#include "schedule.h"

Network *network_new(Backend *be, const ModelSpec *spec, int batch, const char *name)
{
    Network *n = alloc(1, sizeof *n);
    ModelSpec own = *spec;
    own.name = n->kind = format_new("%s", spec->name);
    n->m = model_new(be, &own, batch);
    n->name = name ? format_new("%s", name) : format_new("%s%s", spec->name, spec->no_skip ? " without skips" : "");
    n->w = alloc(n->m->params.n, sizeof(float));
    n->state = n->m->nstate ? alloc(n->m->state.n, sizeof(float)) : NULL;
    return n;
}

void network_free(Network *n)
{
    if (!n)
        return;
    for (int k = 0; k < n->snapshots; k++)
        free(n->path[k]);
    free(n->path);
    free(n->at);
    free(n->loss);
    free(n->w);
    free(n->state);
    free(n->name);
    model_free(n->m);
    free(n->kind);
    free(n);
}

void network_restore(Network *n)
{
    const BackendOps *op = n->m->be->op;
    op->upload(n->m->s, n->m->params, n->w);
    if (n->state)
        op->upload(n->m->s, n->m->state, n->state);
}

/* The model's weights and statistics are the trained ones. */
static void keep(Network *n)
{
    const BackendOps *op = n->m->be->op;
    op->download(n->m->s, n->w, n->m->params);
    if (n->state)
        op->download(n->m->s, n->state, n->m->state);
}

void network_read(Network *n, const char *path)
{
    checkpoint_load(path, n->m, NULL, NULL);
    keep(n);
}

/* ---- training ---- */

typedef struct Training {
    const Trainer *t;
    const Recipe *r;
    Network *n;
    Sgd *sgd;
    Loader *loader;
    Tensor totals;
    int32_t *order, *mine; /* [images] of an epoch: all; this rank's */
    int share, per_epoch;  /* pictures per update on this rank; updates per epoch */
} Training;

static void training_begin(Training *g, Network *n, const Trainer *t, const Recipe *r)
{
    const Dataset *d = t->data;
    *g = (Training){.t = t, .r = r, .n = n, .share = r->batch / t->c->size, .per_epoch = r->images / r->batch};
    model_init(n->m, (uint64_t)r->seed);
    g->sgd = sgd_new(n->m, r->momentum, r->weight_decay, true);
    AugmentSpec none = {0};
    g->loader = loader_new(t->be, &d->train, d->mean, d->istd, g->share, model_halo(n->m), none, (uint64_t)r->seed);
    g->totals = tensor_new(t->be, F64, 2, 1, 1, 1, 0);
    g->order = alloc(r->images, sizeof *g->order);
    g->mine = alloc(r->images, sizeof *g->mine);
}

static void training_end(Training *g)
{
    loader_free(g->loader);
    tensor_free(g->t->be, g->totals);
    sgd_free(g->n->m, g->sgd);
    free(g->order);
    free(g->mine);
}

/* This rank's slices of an epoch's batches. */
static void start_epoch(Training *g, int epoch)
{
    int P = g->t->c->size, rank = g->t->c->rank;
    epoch_order(g->order, g->r->images, (uint64_t)g->r->seed, epoch);
    for (int u = 0; u < g->per_epoch; u++)
        for (int i = 0; i < g->share; i++)
            g->mine[u * g->share + i] = g->order[(u * P + rank) * g->share + i];
    loader_start(g->loader, g->mine, g->per_epoch * g->share, epoch);
}

static void update(Training *g, double rate)
{
    Model *m = g->n->m;
    Comm *c = g->t->c;
    Batch b;
    ASSERT(loader_next(g->loader, m->s, &b));
    model_gradient(m, g->totals, b.x, b.label);
    comm_all_reduce(c, m->grads, COMM_SUM, m->s);
    m->be->op->scale(m->s, m->grads, 1.0f / c->size);
    sgd_step(m, g->sgd, rate);
}

/* Keep the weights as they are after update number `at`, and measure them. Returns the loss, the same on every rank. */
static double snapshot(Training *g, int at)
{
    Network *n = g->n;
    Comm *c = g->t->c;
    Model *m = n->m;
    if (n->state) { /* every rank saw other pictures */
        comm_all_reduce(c, m->state, COMM_SUM, m->s);
        m->be->op->scale(m->s, m->state, 1.0f / c->size);
    }
    keep(n);
    double loss = metrics_loss(subset_metrics(m, g->t->subset, g->t->mode));
    comm_broadcast_host(c, &loss, sizeof loss, 0);
    REQUIRE(isfinite(loss), "%s diverged at update %d: lower --rate=%g", n->name, at, g->r->rate);
    if (g->t->watch)
        background_lock(g->t->watch);
    network_add(n, n->w, at, loss);
    n->updates = at;
    if (g->t->watch)
        background_unlock(g->t->watch);
    return loss;
}

/* Has anybody asked for a stop? The same answer on every rank. */
static bool goes_on(const Trainer *t)
{
    double stop = stop_requested() || (t->watch && !background_goes_on(t->watch));
    comm_all_reduce_host(t->c, &stop, 1, COMM_MAX);
    return !stop;
}

static bool train(Training *g)
{
    const Recipe *r = g->r;
    Schedule rates = {.kind = SCHEDULE_COSINE, .rate = r->rate, .steps = r->updates, .warmup = r->updates / 20 + 1};
    int every = r->updates / r->snapshots > 0 ? r->updates / r->snapshots : 1;
    double loss = snapshot(g, 0);
    for (int u = 0; u < r->updates && !(r->target > 0 && loss <= r->target); u++) {
        if (!goes_on(g->t))
            return false;
        if (u % g->per_epoch == 0)
            start_epoch(g, u / g->per_epoch);
        update(g, schedule_rate(&rates, u));
        if ((u + 1) % every == 0 || u + 1 == r->updates) {
            char note[64];
            loss = snapshot(g, u + 1);
            snprintf(note, sizeof note, "loss %.4f", loss);
            run_progress(g->t->run, g->n->name, u + 1, r->updates, "updates", note);
        }
    }
    return true;
}

bool network_train(Network *n, const Trainer *t, const Recipe *recipe)
{
    double kept = t->c->rank == 0 && network_kept(t->run, n, recipe, t);
    comm_broadcast_host(t->c, &kept, sizeof kept, 0);
    if (kept) {
        network_load(t->run, n);
        run_say(t->run, "%s: trained before, %d updates, loss %.4f", n->name, n->updates, n->loss[n->snapshots - 1]);
        return true;
    }
    Training g;
    training_begin(&g, n, t, recipe);
    bool complete = train(&g);
    if (complete && t->c->rank == 0)
        network_save(t->run, n, recipe, t);
    comm_barrier(t->c);
    training_end(&g);
    return complete;
}
