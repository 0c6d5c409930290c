/* network.c: see network.h. */
#include "network.h"
#include "check.h"
#include "checkpoint.h"
#include "memory.h"
#include "schedule.h"
#include "training.h"
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

typedef struct RecipePace {
    int batch;
    Schedule rates;
} RecipePace;

static Pace recipe_pace(const void *context, double seen, int64_t update)
{
    const RecipePace *p = context;
    return (Pace){p->batch, schedule_rate(&p->rates, update)};
}

/* Keep the weights after `at` updates, and measure them. Returns the loss. */
static double snapshot(Network *n, const TrainingContext *t, const Recipe *r, int at)
{
    network_keep(n);
    double loss = metrics_loss(eval_set_metrics(n->m, t->subset, t->mode));
    REQUIRE(isfinite(loss), "%s diverged at update %d: lower --rate=%g", n->name, at, r->rate);
    background_lock(t->watch);
    network_add(n, n->w, at, loss);
    n->updates = at;
    background_unlock(t->watch);
    return loss;
}

static bool train(Network *n, const TrainingContext *t, const Recipe *r, TaskFarmRun *farm)
{
    char *what = format_new("%d snapshots of %s", r->snapshots, n->name);
    memory_require((r->snapshots + 2.0) * n->m->params.n * sizeof(float), what,
                   "choose a smaller --model");
    free(what);
    RecipePace pace = {r->batch,
                       {.kind = SCHEDULE_COSINE,
                        .rate = r->rate,
                        .steps = r->updates,
                        .warmup = r->updates / 20 + 1}};
    Training *g = training_new(&(TrainingSpec){.be = t->be,
                                               .data = t->data,
                                               .own = n->m,
                                               .images = r->images,
                                               .batch = r->batch,
                                               .epochs = INFINITY,
                                               .sgd = {r->momentum, r->weight_decay, true, 0},
                                               .pace = recipe_pace,
                                               .context = &pace},
                               (uint64_t)r->seed);
    int every = r->updates / r->snapshots > 0 ? r->updates / r->snapshots : 1;
    double loss = snapshot(n, t, r, 0);
    bool goes_on = true;
    for (int u = 1; goes_on && u <= r->updates && !(r->target > 0 && loss <= r->target); u++) {
        goes_on = !stop_requested() && !task_farm_cancelled(farm) && training_step(g);
        if (goes_on && (u % every == 0 || u == r->updates)) {
            char note[64];
            loss = snapshot(n, t, r, u);
            snprintf(note, sizeof note, "loss %.4f", loss);
            run_progress(t->run, n->name, u, r->updates, "updates", note);
        }
    }
    training_free(g);
    return goes_on;
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
    value[0] = w->t->c->rank;
    return train(w->net[k], w->t, &w->recipe[k], farm);
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
