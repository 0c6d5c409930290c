/* savings.c: one gradient of a deep network in less memory: its activations computed twice, or its
 * batch in pieces. Rank 0 alone. */
#include "check.h"
#include "epoch_order.h"
#include "shard_study.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>

enum { REPEATS = 5 };
static const int cuts_wanted[SAVINGS] = {1, 2, 3, 4, 6, 8, 12};
static const int pieces_wanted[SAVINGS] = {1, 2, 4, 8, 16, 32, 64};

typedef struct Deep {
    ShardStudy *s;
    Model *m;
    Tensor totals;
    Batch b;
    double *bytes, all; /* of each activation; of all */
} Deep;

/* ---- the passes that 10g calls ---- */

static void take(void *context, int a) { model_activation_take(((Deep *)context)->m, a); }
static void drop(void *context, int a) { model_activation_drop(((Deep *)context)->m, a); }

static void forward(void *context, int first, int end, bool again)
{
    Deep *d = context;
    model_forward_part(d->m, d->b.x, first, end, again ? MODEL_FROZEN_STATS : MODEL_TRAIN);
}

static void loss(void *context)
{
    Deep *d = context;
    model_loss(d->m, d->totals, d->b.label, NO_TENSOR, true);
}

static void backward(void *context, int first, int end)
{
    model_backward_part(((Deep *)context)->m, first, end);
}

/* ---- where to cut ---- */

/* Up to `parts` parts of about equal bytes; returns how many. cut has room for parts + 1. */
static int choose_cuts(int *cut, const Deep *d, int parts)
{
    int made = 0;
    double before = 0;
    cut[0] = 0;
    for (int i = 1; i < d->m->nlayers && made < parts - 1; i++) {
        before += d->bytes[i];
        if (before >= d->all * (made + 1) / parts && model_may_cut(d->m, i))
            cut[++made] = i;
    }
    cut[++made] = d->m->nlayers;
    return made;
}

/* ---- measuring ---- */

static Deep deep_new(ShardStudy *s, const ModelSpec *spec, int batch)
{
    Backend *be = s->study.lab->be;
    Deep d = {.s = s};
    d.totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    ledger_open(&s->ledger, be);
    s->ledger.kind = LEDGER_ACTIVATIONS;
    d.m = model_new(be, spec, batch);
    s->ledger.kind = LEDGER_OTHER;
    Tensor others[] = {d.m->params, d.m->grads, d.m->state};
    for (int i = 0; i < 3; i++)
        ledger_claim(&s->ledger, others[i], LEDGER_OTHER);
    model_init(d.m, s->seed);
    d.bytes = alloc(d.m->nlayers + 1, sizeof *d.bytes);
    for (int a = 1; a <= d.m->nlayers; a++)
        d.all += d.bytes[a] = model_activation_bytes(d.m, a);
    s->ledger.kind = LEDGER_ACTIVATIONS;
    return d;
}

static void deep_free(Deep *d)
{
    model_free(d->m);
    ledger_open(NULL, d->s->study.lab->be);
    tensor_free(d->s->study.lab->be, d->totals);
    free(d->bytes);
}

static float *grads_of(const Deep *d)
{
    float *g = alloc(d->m->grads.n, sizeof *g);
    d->m->be->op->download(d->m->s, g, d->m->grads);
    return g;
}

static double relative(const float *g, const float *expected, int n)
{
    return largest_difference(g, expected, n) / largest_difference(expected, NULL, n);
}

static void start_images(Loader *l, const ShardStudy *s, int count)
{
    int32_t *order = alloc(s->study.lab->data->train.count, sizeof *order);
    epoch_order(order, s->study.lab->data->train.count, s->seed, 0);
    loader_start(l, order, count, 0);
    free(order);
}

/* The least: other programs on the machine only add to it. */
static double least(const double *seconds)
{
    double found = seconds[0];
    for (int i = 1; i < REPEATS; i++)
        found = fmin(found, seconds[i]);
    return found;
}

/* The gradient in parts; *whole: that of one part. */
static SavingRow in_parts(ShardStudy *s, int parts, float **whole)
{
    Deep d = deep_new(s, &s->deep_spec, s->deep_batch);
    const Passes passes = {&d, take, drop, forward, loss, backward};
    int *cut = alloc(parts + 1, sizeof *cut);
    double seconds[REPEATS];
    SavingRow row = {.done = true, .cuts = choose_cuts(cut, &d, parts)};
    row.predicted = activation_bytes(d.bytes, cut, row.cuts) + model_batch_bytes(d.m) - d.all;
    for (int a = 1; a <= d.m->nlayers; a++)
        drop(&d, a);
    ledger_restart(&s->ledger);
    start_images(s->deep_loader, s, s->deep_batch);
    loader_next(s->deep_loader, d.m->s, &d.b);
    for (int i = 0; i < REPEATS; i++) {
        double began = timer_now();
        model_zero_grads(d.m);
        recompute(&passes, cut, row.cuts);
        d.m->be->op->stream_sync(d.m->s);
        seconds[i] = timer_now() - began;
    }
    row.found = s->ledger.most[LEDGER_ACTIVATIONS];
    row.seconds = least(seconds);
    float *g = grads_of(&d);
    *whole = *whole ? *whole : grads_of(&d);
    row.difference = relative(g, *whole, d.m->grads.n);
    free(g);
    free(cut);
    deep_free(&d);
    return row;
}

/* The gradient of `images` images, `pieces` of images / pieces each. */
static float *accumulated(Deep *d, Loader *l, int images, int pieces)
{
    const BackendOps *op = d->m->be->op;
    int each = images / pieces;
    Batch b;
    start_images(l, d->s, images);
    model_zero_grads(d->m);
    for (int k = 0, left = 0; k < pieces; k++, left -= each) {
        if (left == 0 && loader_next(l, d->m->s, &b))
            left = b.n;
        Tensor x = b.x, label = b.label;
        x.n = label.n = each;
        x.at += (size_t)(b.n - left) * (tensor_span(x) / each);
        label.at += (size_t)(b.n - left) * (tensor_span(label) / each);
        model_forward(d->m, x, MODEL_TRAIN);
        model_loss(d->m, d->totals, label, NO_TENSOR, true);
        model_backward(d->m);
    }
    op->scale(d->m->s, d->m->grads, 1.0f / (float)pieces);
    return grads_of(d);
}

static SavingRow in_pieces(ShardStudy *s, int pieces, float **whole)
{
    SavingRow row = {.done = true, .cuts = pieces};
    double seconds[REPEATS];
    Deep d = deep_new(s, &s->deep_spec, s->deep_batch / pieces);
    row.predicted = model_batch_bytes(d.m);
    ledger_restart(&s->ledger);
    for (int i = 0; i < REPEATS; i++) {
        double began = timer_now();
        free(accumulated(&d, s->deep_loader, s->deep_batch, pieces));
        seconds[i] = timer_now() - began;
    }
    row.found = s->ledger.most[LEDGER_ACTIVATIONS];
    row.seconds = least(seconds);
    deep_free(&d);
    d = deep_new(s, &s->spec, s->batch / pieces ? s->batch / pieces : 1);
    if (s->batch % pieces == 0) {
        float *g = accumulated(&d, s->loader, s->batch, pieces);
        if (!*whole)
            *whole = accumulated(&d, s->loader, s->batch, pieces);
        row.difference = relative(g, *whole, d.m->grads.n);
        free(g);
    } else
        row.difference = NAN;
    deep_free(&d);
    return row;
}

void shard_savings(ShardStudy *s)
{
    float *parts = NULL, *pieces = NULL;
    for (int k = 0; k < 2 * SAVINGS && study_goes_on(&s->study); k++) {
        bool cut = k < SAVINGS;
        int i = k % SAVINGS;
        if (!cut && s->deep_batch % pieces_wanted[i]) {
            shard_step_done(s); /* the batch has no such pieces */
            continue;
        }
        SavingRow row = cut ? in_parts(s, cuts_wanted[i], &parts)
                            : in_pieces(s, pieces_wanted[i], &pieces);
        study_lock(&s->study, true);
        (cut ? s->parts : s->pieces)[i] = row;
        study_lock(&s->study, false);
        shard_step_done(s);
    }
    free(parts);
    free(pieces);
}
