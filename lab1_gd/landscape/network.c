/* network.c: see network.h. */
#include "network.h"
#include "check.h"
#include "checkpoint.h"
#include "epoch_order.h"
#include "memory.h"
#include "network_files.h"
#include "optim.h"
#include "schedule.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

Network *network_new(Backend *be, const ModelSpec *spec, int batch, const char *name)
{
    Network *n = alloc(1, sizeof *n);
    ModelSpec own = *spec;
    own.name = n->kind = format_new("%s", spec->name);
    n->m = model_new(be, &own, batch);
    n->name = name ? format_new("%s", name)
                   : format_new("%s%s", spec->name, spec->no_skip ? " without skips" : "");
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

/* ---- one training, on this rank ---- */

typedef struct Training {
    const TrainingContext *t;
    const Recipe *r;
    Network *n;
    TaskFarmRun *farm;
    Sgd *sgd;
    Loader *loader;
    Tensor totals;
    int32_t *order; /* [images] of an epoch */
    int per_epoch;  /* updates */
} Training;

static void training_begin(Training *g, Network *n, const TrainingContext *t, const Recipe *r,
                           TaskFarmRun *farm)
{
    const Dataset *d = t->data;
    *g = (Training){.t = t, .r = r, .n = n, .farm = farm, .per_epoch = r->images / r->batch};
    char *what = format_new("%d snapshots of %s", r->snapshots, n->name);
    memory_require((r->snapshots + 2.0) * n->m->params.n * sizeof(float), what,
                   "choose a smaller --model");
    free(what);
    model_init(n->m, (uint64_t)r->seed);
    g->sgd = sgd_new(n->m, r->momentum, r->weight_decay, true);
    AugmentSpec none = {0};
    g->loader = loader_new(t->be, &d->train, d->mean, d->istd, r->batch, model_halo(n->m), none,
                           (uint64_t)r->seed);
    g->totals = tensor_new(t->be, F64, 2, 1, 1, 1, 0);
    g->order = alloc(r->images, sizeof *g->order);
}

static void training_end(Training *g)
{
    loader_free(g->loader);
    tensor_free(g->t->be, g->totals);
    sgd_free(g->n->m, g->sgd);
    free(g->order);
}

static void update(Training *g, double rate)
{
    Model *m = g->n->m;
    Batch b;
    bool there = loader_next(g->loader, m->s, &b);
    ASSERT(there);
    model_gradient(m, g->totals, b.x, b.label);
    sgd_step(m, g->sgd, rate);
}

/* Keep the weights after `at` updates, and measure them. Returns the loss. */
static double snapshot(Training *g, int at)
{
    Network *n = g->n;
    network_keep(n);
    double loss = metrics_loss(eval_set_metrics(n->m, g->t->subset, g->t->mode));
    REQUIRE(isfinite(loss), "%s diverged at update %d: lower --rate=%g", n->name, at, g->r->rate);
    background_lock(g->t->watch);
    network_add(n, n->w, at, loss);
    n->updates = at;
    background_unlock(g->t->watch);
    return loss;
}

static bool train(Training *g)
{
    const Recipe *r = g->r;
    Schedule rates = {.kind = SCHEDULE_COSINE,
                      .rate = r->rate,
                      .steps = r->updates,
                      .warmup = r->updates / 20 + 1};
    int every = r->updates / r->snapshots > 0 ? r->updates / r->snapshots : 1;
    double loss = snapshot(g, 0);
    for (int u = 0; u < r->updates && !(r->target > 0 && loss <= r->target); u++) {
        if (stop_requested() || task_farm_cancelled(g->farm))
            return false;
        if (u % g->per_epoch == 0) {
            epoch_order(g->order, r->images, (uint64_t)r->seed, u / g->per_epoch);
            loader_start(g->loader, g->order, g->per_epoch * r->batch, u / g->per_epoch);
        }
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

/* ---- several networks, dealt to the ranks ---- */

typedef struct Work {
    Network *const *net;
    const TrainingContext *t;
    const Recipe *recipe;
    int *item;    /* [items] the networks to train */
    int *trainer; /* [count] on rank 0: the rank that trained it, or loaded it; -1: none */
} Work;

static bool train_item(void *context, int item, double *value, TaskFarmRun *farm)
{
    const Work *w = context;
    int k = w->item[item];
    Training g;
    training_begin(&g, w->net[k], w->t, &w->recipe[k], farm);
    bool complete = train(&g);
    training_end(&g);
    value[0] = w->t->c->rank;
    return complete;
}

/* One that was trained here is saved at once, because a longer run may follow. */
static void found(void *context, int item, const double *value)
{
    const Work *w = context;
    int k = w->item[item];
    w->trainer[k] = (int)value[0];
    if (w->trainer[k] == 0)
        network_save(w->t->run, w->net[k], &w->recipe[k], w->t);
}

static bool may_continue(void *context)
{
    const Work *w = context;
    return !stop_requested() && background_goes_on(w->t->watch);
}

/* Rank 0 loads what an earlier run kept. Returns how many networks are left to train; w->item lists
 * them on every rank. */
static int read_kept(Work *w, int count)
{
    int n = 0;
    for (int k = 0; k < count; k++) {
        Network *net = w->net[k];
        w->trainer[k] = -1;
        if (w->t->c->rank == 0 && network_kept(w->t->run, net, &w->recipe[k], w->t)) {
            network_load(w->t->run, net);
            run_say(w->t->run, "%s: trained before, %d updates, loss %.4f", net->name, net->updates,
                    net->loss[net->snapshots - 1]);
            w->trainer[k] = 0;
        }
        comm_broadcast_host(w->t->c, &w->trainer[k], sizeof w->trainer[k], 0);
        if (w->trainer[k] < 0)
            w->item[n++] = k;
    }
    return n;
}

/* Send all of a network from rank `from` to all ranks; on the others it must be as network_new made
 * it. */
static void broadcast(Network *n, const TrainingContext *t, int from)
{
    Comm *c = t->c;
    size_t bytes = n->m->params.n * sizeof(float);
    int snapshots = n->snapshots;
    comm_broadcast_host(c, n->w, bytes, from);
    if (n->state)
        comm_broadcast_host(c, n->state, n->m->state.n * sizeof(float), from);
    comm_broadcast_host(c, &snapshots, sizeof snapshots, from);
    float *w = alloc(n->m->params.n, sizeof *w);
    for (int k = 0; k < snapshots; k++) {
        bool here = c->rank == from;
        int at = here ? n->at[k] : 0;
        double loss = here ? n->loss[k] : 0;
        comm_broadcast_host(c, here ? n->path[k] : w, bytes, from);
        comm_broadcast_host(c, &at, sizeof at, from);
        comm_broadcast_host(c, &loss, sizeof loss, from);
        if (here)
            continue;
        background_lock(t->watch);
        network_add(n, w, at, loss);
        n->updates = at;
        background_unlock(t->watch);
    }
    free(w);
    network_restore(n);
}

bool networks_train(Network *const *net, const TrainingContext *t, const Recipe *recipe, int count)
{
    Work w = {net, t, recipe, alloc(count, sizeof(int)), alloc(count, sizeof(int))};
    bool complete = task_farm_run(t->c, t->be,
                                  &(TaskFarm){.items = read_kept(&w, count),
                                              .values = 1,
                                              .context = &w,
                                              .work = train_item,
                                              .found = found,
                                              .goes_on = may_continue});
    comm_broadcast_host(t->c, w.trainer, count * sizeof *w.trainer, 0);
    for (int k = 0; k < count; k++) {
        if (w.trainer[k] >= 0)
            broadcast(net[k], t, w.trainer[k]);
        if (w.trainer[k] > 0 && t->c->rank == 0)
            network_save(t->run, net[k], &recipe[k], t);
    }
    free(w.item);
    free(w.trainer);
    return complete;
}
