/* evidence_replay.c: an update's gradients, computed again from its weights and the grader's own
 * images. On a CPU the same bits are expected, and a little allowed for other numbers of threads;
 * on a GPU, rounding to TF32 or F16. BF16, which makes more of a difference, is computed again in
 * BF16. */
#include "check.h"
#include "inspection.h"
#include "loader.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a gradient's length: what a ReLU's kink can do; rounding alone is far below. */
static const double NEAR = 0.05;

struct Gather {
    Backend *be;
    Stream *s;
    const Dataset *given;
    Tensor pixels, labels;
};

Gather *gather_new(Backend *be, Stream *s, const Dataset *given)
{
    const Images *images = &given->train;
    Gather *g = alloc(1, sizeof *g);
    *g = (Gather){.be = be,
                  .s = s,
                  .given = given,
                  .pixels = tensor_new(be, U8, images->count, images->h, images->w, images->c, 0),
                  .labels = tensor_new(be, U8, images->count, 1, 1, 1, 0)};
    be->op->upload(g->s, g->pixels, images->pixels);
    be->op->upload(g->s, g->labels, images->labels);
    return g;
}

void gather_free(Gather *g)
{
    tensor_free(g->be, g->pixels), tensor_free(g->be, g->labels);
    free(g);
}

/* Puts the images of the loader's list into x and labels; false: there are no such images, or the
 * pass has others. */
static bool gather(Gather *g, const Pass *p, Tensor x, Tensor label)
{
    for (int i = 0; i < p->head.n; i++)
        if (p->picks[i].image < 0 || p->picks[i].image >= g->given->train.count ||
            abs(p->picks[i].dy) > 16 || abs(p->picks[i].dx) > 16 || p->picks[i].cut > 32)
            return false;
    g->be->op->gather(g->s, x, label, g->pixels, g->labels, p->picks, g->given->mean,
                      g->given->istd);
    if (!p->x)
        return true;
    float *host = alloc(tensor_count(x), sizeof *host);
    int32_t *labels = alloc((size_t)p->head.n, sizeof *labels);
    g->be->op->download(g->s, host, x);
    g->be->op->download(g->s, labels, label);
    bool same = !memcmp(host, p->x, tensor_count(x) * sizeof *host) &&
                !memcmp(labels, p->labels, (size_t)p->head.n * sizeof *labels);
    free(host), free(labels);
    return same;
}

static bool is_batch(const Dataset *given, const EvidenceHead *h)
{
    const Images *images = &given->train;
    return h->h == images->h && h->w == images->w && h->c == images->c;
}

bool gather_fits(Gather *g, const Pass *p)
{
    const EvidenceHead *h = &p->head;
    if (!is_batch(g->given, h))
        return false;
    Tensor x = tensor_new(g->be, F32, h->n, h->h, h->w, h->c, 0);
    Tensor label = tensor_new(g->be, I32, h->n, 1, 1, 1, 0);
    bool fits = gather(g, p, x, label);
    tensor_free(g->be, x), tensor_free(g->be, label);
    return fits;
}

struct Replay {
    Backend *be;
    Model *m;
    Stream *s;
    const Dataset *given;
    int batch;
    Gather *gather;
    Tensor x, dense, label, weight, totals;
    double off;          /* the sum of all distances */
    int gradients, seen; /* seen: images of this update so far */
};

Replay *replay_new(const char *device, Precision precision, const ModelSpec *spec,
                   const Dataset *given, int batch)
{
    const Images *images = &given->train;
    Replay *r = alloc(1, sizeof *r);
    Backend *be = backend_open(device, 0, 1, 0);
    if (precision == PRECISION_BF16 && be->op->bf16)
        backend_precision(be, "bf16");
    *r = (Replay){.be = be, .given = given, .batch = batch, .m = model_new(be, spec, batch)};
    int h = images->h, w = images->w, c = images->c, halo = model_halo(r->m);
    r->s = r->m->s;
    r->gather = gather_new(be, r->s, given);
    r->x = tensor_new(be, F32, batch, h, w, c, halo);
    r->label = tensor_new(be, I32, batch, 1, 1, 1, 0);
    r->dense = tensor_new(be, F32, batch, h, w, c, 0);
    r->weight = tensor_new(be, F32, batch, 1, 1, 1, 0);
    r->totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    return r;
}

void replay_free(Replay *r)
{
    gather_free(r->gather);
    tensor_free(r->be, r->x), tensor_free(r->be, r->dense), tensor_free(r->be, r->label);
    tensor_free(r->be, r->weight), tensor_free(r->be, r->totals);
    model_free(r->m);
    backend_close(r->be);
    free(r);
}

/* The same from row `first` of the batch on. */
static bool pick(Replay *r, const Pass *p, int first)
{
    Tensor x = tensor_first(r->x, p->head.n), label = tensor_first(r->label, p->head.n);
    x.at += tensor_span(tensor_first(r->x, first));
    label.at += (size_t)first;
    return gather(r->gather, p, x, label);
}

/* Adds the gradient of n rows, the mean loss's. */
static void gradient(Replay *r, int n, const float *weights, float smoothing)
{
    Tensor weight = NO_TENSOR;
    if (weights) {
        weight = tensor_first(r->weight, n);
        r->be->op->upload(r->s, weight, weights);
    }
    r->m->smoothing = smoothing;
    model_forward(r->m, tensor_first(r->x, n), MODEL_FROZEN_STATS);
    model_loss(r->m, r->totals, tensor_first(r->label, n), weight, true);
    model_backward(r->m);
    r->seen += n;
}

/* ||grads - g|| / ||g||; scale: of g. */
static double apart(Replay *r, const float *g, double scale)
{
    size_t n = tensor_count(r->m->grads);
    float *own = alloc(n, sizeof *own);
    double difference = 0, size = 0;
    r->be->op->download(r->s, own, r->m->grads);
    for (size_t i = 0; i < n; i++) {
        double d = own[i] - scale * g[i];
        difference += d * d;
        size += (double)own[i] * own[i];
    }
    free(own);
    double off = size > 0 ? sqrt(difference / size) : difference > 0 ? INFINITY : 0;
    r->off += off;
    r->gradients++;
    return off;
}

/* The same, if the submission smooths labels by code of its own: a gradient is linear in the
 * smoothing, which two of them give. */
static double apart_smoothed(Replay *r, const Pass *p)
{
    const float step = 0.1f;
    size_t n = tensor_count(r->m->grads);
    float *plain = alloc(n, sizeof *plain), *smooth = alloc(n, sizeof *smooth);
    double along = 0, length = 0, difference = 0, size = 0;
    r->be->op->download(r->s, plain, r->m->grads);
    model_zero_grads(r->m);
    gradient(r, p->head.n, p->weights, p->head.smoothing + step);
    r->be->op->download(r->s, smooth, r->m->grads);
    for (size_t i = 0; i < n; i++) {
        smooth[i] -= plain[i];
        along += (double)(p->g[i] - plain[i]) * smooth[i];
        length += (double)smooth[i] * smooth[i];
    }
    double steps = length > 0 ? along / length : 0, smoothing = p->head.smoothing + step * steps;
    for (size_t i = 0; i < n; i++) {
        double own = plain[i] + steps * smooth[i], d = own - p->g[i];
        difference += d * d;
        size += own * own;
    }
    free(plain), free(smooth);
    return size > 0 && smoothing >= 0 && smoothing < 1 ? sqrt(difference / size) : INFINITY;
}

double replay_mean_distance(const Replay *r) { return r->gradients ? r->off / r->gradients : 0; }

/* With batch norm synchronised over the ranks, the mean of their gradients is that of one batch of
 * all their images. */
static char *replay_together(Replay *r, const Update *u, double *off)
{
    int n = 0;
    float *mean = alloc((size_t)u->params, sizeof *mean);
    for (int k = 0; k < u->np; k++) {
        const Pass *p = u->work[k].pass[0];
        if (u->work[k].passes > 1 || !is_batch(r->given, &p->head) || n + p->head.n > r->batch ||
            !p->picks || p->weights || !pick(r, p, n)) {
            free(mean);
            return format_new("synchronised batch norm of an unknown form");
        }
        n += p->head.n;
        for (int64_t i = 0; i < u->params; i++)
            mean[i] += p->g[i] / (float)u->np;
    }
    model_zero_grads(r->m);
    gradient(r, n, NULL, u->work[0].pass[0]->head.smoothing);
    *off = apart(r, mean, 1);
    free(mean);
    return *off <= NEAR ? NULL
                        : format_new("the ranks' gradients are not those of their images "
                                     "(%.2g apart)",
                                     *off);
}

/* A batch that no loader made: as it was sent. What it shows is judged by evidence_images.c. */
static void take(Replay *r, const Pass *p)
{
    Tensor x = tensor_first(r->x, p->head.n), dense = tensor_first(r->dense, p->head.n);
    r->be->op->upload(r->s, dense, p->x);
    r->be->op->copy(r->s, x, dense);
    r->be->op->upload(r->s, tensor_first(r->label, p->head.n), p->labels);
}

static char *replay_pass(Replay *r, Pass *p, double *off)
{
    if (!is_batch(r->given, &p->head) || p->head.n > r->batch)
        return format_new("a batch of %d images of %d x %d x %d", p->head.n, p->head.h, p->head.w,
                          p->head.c);
    for (int i = 0; i < p->head.n; i++)
        if (p->labels[i] < 0 || p->labels[i] >= r->given->classes)
            return format_new("a label out of range");
    if (p->picks && !pick(r, p, 0)) {
        free(p->picks);
        p->picks = NULL;
    }
    if (!p->picks)
        take(r, p);
    model_zero_grads(r->m);
    gradient(r, p->head.n, p->weights, p->head.smoothing);
    *off = apart(r, p->g, 1);
    double smoothed = *off > NEAR ? apart_smoothed(r, p) : INFINITY;
    if (smoothed <= NEAR) {
        r->off += smoothed - *off;
        *off = smoothed;
    }
    return *off <= NEAR
             ? NULL
             : format_new("a gradient is not that of its weights and images (%.2g apart)", *off);
}

double replay_right(const Replay *r)
{
    double sums[2];
    r->be->op->download(r->s, sums, r->totals);
    return r->seen ? sums[1] / r->seen : 0;
}

char *replay_update(Replay *r, const Update *u, double *off)
{
    char *wrong = NULL;
    *off = INFINITY;
    r->be->op->zero(r->s, r->totals);
    r->seen = 0;
    r->be->op->upload(r->s, r->m->params, u->w);
    if (u->np > 1 && u->work[0].pass[0]->head.stats_ranks > 1)
        return replay_together(r, u, off);
    for (int k = 0; k < u->np && !wrong; k++)
        for (int i = 0; i < u->work[k].passes && !wrong; i++)
            wrong = replay_pass(r, u->work[k].pass[i], off);
    return wrong;
}

bool replay_starts(Replay *r, const float *w, uint64_t seed, int np)
{
    size_t n = tensor_count(r->m->params);
    float *drawn = alloc(n, sizeof *drawn);
    bool same = false;
    for (int k = 0; k < np && !same; k++) {
        model_init(r->m, seed + (uint64_t)k);
        r->be->op->download(r->s, drawn, r->m->params);
        same = !memcmp(drawn, w, n * sizeof *drawn);
    }
    free(drawn);
    return same;
}
