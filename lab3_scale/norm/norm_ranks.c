/* norm_ranks.c: are P ranks with B images each one rank with P·B? With batch norm only if its
 * statistics are synchronised (exercise 4b). */
#include "check.h"
#include "epoch_order.h"
#include "lab3.h"
#include "norm_study.h"
#include <math.h>
#include <stdlib.h>

enum { EACH = 16, UPDATES = 5 }; /* images per rank and update */

typedef struct Net {
    Model *m;
    Sgd *sgd;
    Loader *loader;
    Tensor totals;
} Net;

/* Trains on images [first, first + batch) of every `global`. */
static Net net_new(const NormStudy *s, int first, int batch, int global)
{
    const Dataset *d = s->study.lab->data;
    Backend *be = s->study.lab->be;
    PlainPace pace = {.batch = batch};
    TrainingSpec spec = norm_spec(s, &pace, true, 0);
    Net n = {.m = model_new(be, &spec.model, batch)};
    int32_t *order = alloc(s->images, sizeof *order), *mine = alloc(s->images, sizeof *mine);
    int count = 0;
    model_init(n.m, s->seed);
    n.sgd = sgd_new(n.m, s->momentum, 0, false);
    n.totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    n.loader = loader_new(be, &d->train, d->mean, d->istd, batch, model_halo(n.m), (AugmentSpec){0},
                          s->seed);
    epoch_order(order, s->images, s->seed, 0);
    for (int u = 0; u < UPDATES && (u + 1) * global <= s->images; u++)
        for (int i = 0; i < batch; i++)
            mine[count++] = order[u * global + first + i];
    loader_start(n.loader, mine, count, 0);
    free(order);
    free(mine);
    return n;
}

static void net_free(Net *n)
{
    loader_free(n->loader);
    tensor_free(n->m->be, n->totals);
    sgd_free(n->m, n->sgd);
    model_free(n->m);
}

static bool gradient(Net *n)
{
    Batch b;
    if (!loader_next(n->loader, n->m->s, &b))
        return false;
    model_gradient(n->m, n->totals, b.x, b.label);
    return true;
}

/* |a - b| / |b| of their weights, the largest of all ranks. */
static double weights_apart(Comm *c, const Net *a, const Net *b)
{
    size_t n = tensor_count(a->m->params);
    float *v = alloc(n, sizeof *v), *w = alloc(n, sizeof *w);
    double difference = 0, length = 0;
    a->m->be->op->download(a->m->s, v, a->m->params);
    b->m->be->op->download(b->m->s, w, b->m->params);
    for (size_t i = 0; i < n; i++) {
        difference += pow((double)v[i] - w[i], 2);
        length += pow(w[i], 2);
    }
    free(v);
    free(w);
    double apart = sqrt(difference / length);
    comm_all_reduce_host(c, &apart, 1, COMM_MAX);
    return apart;
}

static void compare(NormStudy *s, bool synchronised)
{
    Comm *c = s->study.lab->comm;
    Net whole = net_new(s, 0, EACH * c->size, EACH * c->size),
        ours = net_new(s, EACH * c->rank, EACH, EACH * c->size);
    if (synchronised)
        synchronise(ours.m, c);
    for (int u = 1; u <= UPDATES && gradient(&whole) && gradient(&ours); u++) {
        comm_all_reduce(c, ours.m->grads, COMM_SUM, ours.m->s);
        ours.m->be->op->scale(ours.m->s, ours.m->grads, 1.0f / (float)c->size);
        sgd_step(whole.m, whole.sgd, s->rate[0]);
        sgd_step(ours.m, ours.sgd, s->rate[0]);
        if (u == 1 || u == UPDATES) {
            double apart = weights_apart(c, &ours, &whole);
            study_lock(&s->study, true);
            s->apart[synchronised][u > 1] = apart;
            study_lock(&s->study, false);
        }
    }
    net_free(&ours);
    net_free(&whole);
}

void norm_compare_ranks(NormStudy *s)
{
    compare(s, false);
    compare(s, true);
}
