/* views.c: see views.h. */
#include "views.h"
#include "check.h"
#include "quantiles.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct Views {
    Backend *be;
    int count, batch, classes;
    float mean[4], istd[4];
    Tensor images, labels, x, label; /* all; a batch */
    const uint8_t *truth;            /* [count], the caller's */
    Augment *pick;                   /* [batch] */
    float *logits, *part;            /* [count,classes], the average; of a batch */
    double *sure, *sorted;           /* [count]: the largest probability */
    int *which;                      /* [count] */
};

Views *views_new(const Model *m, const Images *images, int count, const float *mean,
                 const float *istd)
{
    ASSERT(count >= 1 && count <= images->count);
    Views *v = alloc(1, sizeof *v);
    Backend *be = v->be = m->be;
    v->count = count;
    v->batch = m->batch;
    v->classes = m->spec.classes;
    memcpy(v->mean, mean, sizeof *mean * (size_t)images->c);
    memcpy(v->istd, istd, sizeof *istd * (size_t)images->c);
    v->images = tensor_new(be, U8, count, images->h, images->w, images->c, 0);
    v->labels = tensor_new(be, U8, count, 1, 1, 1, 0);
    be->op->upload(m->s, v->images, images->pixels);
    be->op->upload(m->s, v->labels, images->labels);
    be->op->stream_sync(m->s);
    v->x = tensor_new(be, F32, v->batch, images->h, images->w, images->c, model_halo(m));
    v->label = tensor_new(be, I32, v->batch, 1, 1, 1, 0);
    v->truth = images->labels;
    v->pick = alloc((size_t)v->batch, sizeof *v->pick);
    v->logits = alloc((size_t)count * (size_t)v->classes, sizeof *v->logits);
    v->part = alloc((size_t)v->batch * (size_t)v->classes, sizeof *v->part);
    v->sure = alloc((size_t)count, sizeof *v->sure);
    v->sorted = alloc((size_t)count, sizeof *v->sorted);
    v->which = alloc((size_t)count, sizeof *v->which);
    return v;
}

void views_free(Views *v)
{
    if (!v)
        return;
    tensor_free(v->be, v->images), tensor_free(v->be, v->labels);
    tensor_free(v->be, v->x), tensor_free(v->be, v->label);
    free(v->pick), free(v->logits), free(v->part);
    free(v->sure), free(v->sorted), free(v->which);
    free(v);
}

/* Images which[0 … n), looked at in this way: their logits = keep * logits + weight * these. */
static void look(Views *v, Model *m, int n, Augment how, float keep, float weight)
{
    int K = v->classes;
    for (int first = 0; first < n; first += v->batch) {
        int count = n - first < v->batch ? n - first : v->batch;
        for (int i = 0; i < count; i++) {
            v->pick[i] = how;
            v->pick[i].image = v->which[first + i];
        }
        Tensor x = tensor_first(v->x, count);
        v->be->op->gather(m->s, x, tensor_first(v->label, count), v->images, v->labels, v->pick,
                          v->mean, v->istd);
        model_forward(m, x, MODEL_EVAL);
        v->be->op->download(m->s, v->part, m->logits);
        for (int i = 0; i < count; i++) {
            float *z = v->logits + (size_t)v->which[first + i] * (size_t)K;
            for (int k = 0; k < K; k++)
                z[k] = keep * z[k] + weight * v->part[i * K + k];
        }
    }
}

static int largest(const float *z, int K)
{
    int best = 0;
    for (int k = 1; k < K; k++)
        if (z[k] > z[best])
            best = k;
    return best;
}

/* which[] = the `unsure` share with the lowest largest probability; returns how many. */
static int least_certain(Views *v, double unsure)
{
    int K = v->classes, most = (int)lround(unsure * v->count), n = 0;
    for (int i = 0; i < v->count; i++) {
        const float *z = v->logits + (size_t)i * (size_t)K;
        double sum = 0, best = z[largest(z, K)];
        for (int k = 0; k < K; k++)
            sum += exp(z[k] - best);
        v->sure[i] = v->sorted[i] = isfinite(sum) ? 1 / sum : 0;
    }
    sort_ascending(v->sorted, v->count);
    for (int i = 0; i < v->count && n < most; i++)
        if (v->sure[i] <= v->sorted[most - 1])
            v->which[n++] = i;
    return n;
}

double views_accuracy(Views *v, Model *m, int level, double unsure)
{
    for (int i = 0; i < v->count; i++)
        v->which[i] = i;
    look(v, m, v->count, (Augment){0}, 0, 1);
    int n = level > 0 ? least_certain(v, unsure) : 0, right = 0;
    if (n > 0)
        look(v, m, n, (Augment){.flip = 1}, level > 1 ? 0.25f : 0.5f, level > 1 ? 0.25f : 0.5f);
    for (int k = 0; n > 0 && level > 1 && k < 4; k++) {
        int16_t by = k < 2 ? -1 : 1;
        look(v, m, n, (Augment){.dy = by, .dx = k % 2 ? -by : by, .flip = k % 2, .reflect = 1}, 1,
             0.125f);
    }
    for (int i = 0; i < v->count; i++)
        right += largest(v->logits + (size_t)i * (size_t)v->classes, v->classes) == v->truth[i];
    return (double)right / v->count;
}
