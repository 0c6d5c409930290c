/* sharded.c: see sharded.h. */
#include "sharded.h"
#include "check.h"
#include "link.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>

/* ---- memory, in the ledger ---- */

static void kind(ShardedModel *s, LedgerKind kind)
{
    if (s->ledger)
        s->ledger->kind = kind;
}

static Tensor shard_new(ShardedModel *s, const ShardUnit *u, LedgerKind of)
{
    kind(s, of);
    Tensor t = tensor_new(s->m->be, F32, u->each, 1, 1, 1, 0);
    kind(s, LEDGER_OTHER);
    return t;
}

static Tensor whole_new(ShardedModel *s, const ShardUnit *u, LedgerKind of)
{
    kind(s, of);
    Tensor t = unit_new(&s->z, u);
    kind(s, LEDGER_OTHER);
    return t;
}

/* ---- units ---- */

/* The unit with this element, which is in one of them. */
static int having(const ShardUnit *unit, int units, size_t at)
{
    int i = 0;
    while (i < units && (at < unit[i].first || at >= unit[i].first + (size_t)unit[i].count))
        i++;
    ASSERT(i < units);
    return i;
}

ShardUnit *sharded_units(const Model *m, ZeroStage stage, int P, int rank, int *count, int *unit_of)
{
    ShardUnit *unit = alloc(m->nlayers + 1, sizeof *unit);
    int n = 0;
    for (int i = 0; i < m->nlayers; i++) {
        const Layer *l = &m->layers[i];
        int w = l->w < 0 ? l->tied : l->w;
        if (l->w >= 0 && (stage >= ZERO_2 || n == 0)) {
            int biases = l->b < 0 ? 0 : m->views[l->b].count;
            unit[n] = (ShardUnit){.first = m->views[w].at, .count = m->views[w].count + biases};
            if (stage < ZERO_2)
                unit[n] = (ShardUnit){.first = 0, .count = m->params.n};
            unit[n].each = shard_of(unit[n].count, P, rank).each;
            n++;
        }
        if (unit_of)
            unit_of[i] = w < 0 ? -1 : having(unit, n, m->views[w].at);
    }
    *count = n;
    return unit;
}

/* The model's views, where they lie now. */
static void place(ShardedModel *s, const ShardUnit *u)
{
    Model *m = s->m;
    for (int v = 0; v < m->nviews; v++) {
        const View *view = &m->views[v];
        if (view->at < u->first || view->at >= u->first + (size_t)u->count)
            continue;
        size_t at = view->at - u->first;
        m->params_at[v] = u->params.buf ? tensor_slice(u->params, at, view->count) : NO_TENSOR;
        m->grads_at[v] = u->grads.buf ? tensor_slice(u->grads, at, view->count) : NO_TENSOR;
    }
}

/* The unit's tensors, from the network's parameters. */
static void fill(ShardedModel *s, ShardUnit *u)
{
    const Sharded *z = &s->z;
    const BackendOps *op = z->be->op;
    Tensor all = s->m->params;
    int rank = z->comm->rank;
    if (z->stage < ZERO_3) {
        u->params = whole_new(s, u, LEDGER_PARAMS);
        op->copy(z->s, tensor_slice(u->params, 0, u->count), tensor_slice(all, u->first, u->count));
        u->my_params = tensor_slice(u->params, (size_t)rank * u->each, u->each);
    } else {
        Shard mine = shard_of(u->count, z->comm->size, rank);
        u->my_params = shard_new(s, u, LEDGER_PARAMS);
        if (mine.own > 0)
            op->copy(z->s, tensor_slice(u->my_params, 0, mine.own),
                     tensor_slice(all, u->first + mine.first, mine.own));
    }
    if (z->stage < ZERO_2) {
        u->grads = whole_new(s, u, LEDGER_GRADS);
        u->my_grads = tensor_slice(u->grads, (size_t)rank * u->each, u->each);
    } else
        u->my_grads = shard_new(s, u, LEDGER_GRADS);
    u->my_velocity = shard_new(s, u, LEDGER_STATE);
    place(s, u);
}

/* ---- the network calls ---- */

/* The gradient of an update's next micro-batch, or of another layer with the same weights, is added
 * to what came before: this rank's part of the sum over the ranks begins with that, of which
 * shard_reduce makes 1 / P. */
static void add_earlier(ShardedModel *s, ShardUnit *u)
{
    const Sharded *z = &s->z;
    Tensor mine = tensor_slice(u->grads, (size_t)z->comm->rank * u->each, u->each);
    bool *reduced = &s->reduced[u - z->unit];
    if (*reduced)
        z->be->op->axpy(z->s, mine, (float)z->comm->size, u->my_grads);
    *reduced = true;
}

/* What the network works on after this layer, up to the end of the pass; NULL: nothing. */
static ShardUnit *next_unit(const ShardedModel *s, int layer, bool backward)
{
    int step = backward ? -1 : 1;
    for (int i = layer + step; i >= 0 && i < s->m->nlayers; i += step)
        if (s->unit_of[i] >= 0)
            return &s->z.unit[s->unit_of[i]];
    return NULL;
}

static void gather_start(ShardedModel *s, ShardUnit *u)
{
    s->coming = u;
    if (!u)
        return;
    u->params = whole_new(s, u, LEDGER_PARAMS);
    s->request = comm_all_gather_start(s->z.comm, u->params, u->my_params, s->z.s);
}

/* Prefetching: u has been on its way since the layer before began; now the next one goes. */
static void gather_ahead(ShardedModel *s, ShardUnit *u, ShardUnit *next)
{
    if (s->coming != u)
        gather_start(s, u);
    comm_wait(s->z.comm, s->request);
    gather_start(s, next);
}

/* A gather of n bytes hides behind work of t seconds for min(t, its own time). */
static void note_hideable(ShardedModel *s, const ShardUnit *next)
{
    int P = s->z.comm->size;
    if (next)
        s->hideable += fmin(timer_now() - s->at,
                            link_seconds(LINK_REDUCE_SCATTER, P, 4.0 * P * next->each,
                                         link_now_used()));
}

static void on_before(void *context, int layer, bool backward, Stream *stream)
{
    ShardedModel *s = context;
    if (s->unit_of[layer] < 0)
        return;
    ShardUnit *u = &s->z.unit[s->unit_of[layer]];
    if (s->ahead)
        gather_ahead(s, u, next_unit(s, layer, backward));
    else if (s->z.stage == ZERO_3) {
        kind(s, LEDGER_PARAMS);
        shard_layer(&s->z, u, true);
        kind(s, LEDGER_OTHER);
    }
    if (backward && s->z.stage >= ZERO_2)
        u->grads = whole_new(s, u, LEDGER_GRADS);
    place(s, u);
    s->at = timer_now();
}

static void on_after(void *context, int layer, bool backward, Stream *stream)
{
    ShardedModel *s = context;
    if (s->unit_of[layer] < 0)
        return;
    ShardUnit *u = &s->z.unit[s->unit_of[layer]];
    note_hideable(s, next_unit(s, layer, backward));
    if (s->z.stage == ZERO_3)
        shard_layer(&s->z, u, false);
    if (backward && s->z.stage >= ZERO_2) {
        add_earlier(s, u);
        shard_reduce(&s->z, u);
    }
    place(s, u);
}

/* ---- an update ---- */

static void gradient(void *context, Model *m, Tensor totals, const Batch *b)
{
    ShardedModel *s = context;
    if (s->z.stage < ZERO_2 && s->done == 0)
        m->be->op->zero(m->s, s->z.unit[0].grads);
    model_forward(m, b->x, MODEL_TRAIN);
    model_loss(m, totals, b->label, NO_TENSOR, true);
    model_backward(m);
}

/* From stage 2 on the backward pass did it. */
static void exchange(void *context, Model *m)
{
    ShardedModel *s = context;
    if (s->z.stage < ZERO_2)
        shard_reduce(&s->z, &s->z.unit[0]);
}

static void update(void *context, Model *m, double rate)
{
    ShardedModel *s = context;
    for (int i = 0; i < s->z.units; i++) {
        ShardUnit *u = &s->z.unit[i];
        if (s->micro > 1)
            m->be->op->scale(m->s, u->my_grads, 1.0f / (float)s->micro);
        shard_update(&s->z, u, rate);
        s->reduced[i] = false;
    }
    s->done = 0;
}

void sharded_add(ShardedModel *s, Tensor totals, const Batch *b)
{
    gradient(s, s->m, totals, b);
    s->done++;
}

Method sharded_method(ShardedModel *s)
{
    return (Method){{gradient, s}, {.run = exchange, .context = s}, {update, s}};
}

/* ---- life ---- */

ShardedModel *sharded_new(Model *m, Comm *c, ZeroStage stage, double momentum, Ledger *ledger)
{
    ASSERT(stage > ZERO_0 && stage < ZERO_STAGES);
    ShardedModel *s = alloc(1, sizeof *s);
    s->m = m;
    s->micro = 1;
    s->ledger = ledger;
    s->unit_of = alloc(m->nlayers, sizeof *s->unit_of);
    s->z = (Sharded){.stage = stage, .comm = c, .be = m->be, .s = m->s, .momentum = momentum};
    s->z.unit = sharded_units(m, stage, c->size, c->rank, &s->z.units, s->unit_of);
    s->reduced = alloc(s->z.units, sizeof *s->reduced);
    s->z.rate = tensor_new(m->be, F32, 1, 1, 1, 1, 0);
    m->params_at = alloc(m->nviews, sizeof(Tensor));
    m->grads_at = alloc(m->nviews, sizeof(Tensor));
    for (int i = 0; i < s->z.units; i++)
        fill(s, &s->z.unit[i]);
    unit_free(&s->z, &m->params);
    unit_free(&s->z, &m->grads);
    m->before_hook = on_before;
    m->layer_hook = on_after;
    m->layer_context = s;
    return s;
}

void sharded_free(ShardedModel *s)
{
    if (!s)
        return;
    const Sharded *z = &s->z;
    for (int i = 0; i < z->units; i++) {
        ShardUnit *u = &z->unit[i];
        Tensor own[] = {u->params, u->grads, u->my_velocity,
                        z->stage < ZERO_3 ? NO_TENSOR : u->my_params,
                        z->stage < ZERO_2 ? NO_TENSOR : u->my_grads};
        for (int k = 0; k < (int)(sizeof own / sizeof *own); k++)
            tensor_free(z->be, own[k]);
    }
    tensor_free(z->be, z->rate);
    free(s->m->params_at);
    free(s->m->grads_at);
    s->m->params_at = s->m->grads_at = NULL;
    s->m->before_hook = s->m->layer_hook = NULL;
    free(z->unit);
    free(s->unit_of);
    free(s->reduced);
    free(s);
}

float *sharded_weights(const ShardedModel *s)
{
    const Sharded *z = &s->z;
    int P = z->comm->size,
        n = s->m->views[s->m->nviews - 1].at + s->m->views[s->m->nviews - 1].count;
    float *w = z->comm->rank == 0 ? alloc(n, sizeof *w) : NULL;
    for (int i = 0; i < z->units; i++) {
        const ShardUnit *u = &z->unit[i];
        float *mine = alloc(u->each, sizeof *mine), *all = alloc((size_t)P * u->each, sizeof *all);
        z->be->op->download(z->s, mine, u->my_params);
        comm_gather_host(z->comm, all, mine, u->each * sizeof *mine, 0);
        for (int k = 0; w && k < u->count; k++)
            w[u->first + (size_t)k] = all[k];
        free(all);
        free(mine);
    }
    return w;
}
