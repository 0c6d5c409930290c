/* norm_ranks.c: are P ranks with B images each one rank with P·B? With batch norm only if its
 * statistics are synchronised (exercise 4b). */
#include "check.h"
#include "epoch_order.h"
#include "lab3.h"
#include "norm_study.h"
#include <math.h>
#include <stdlib.h>

enum { EACH = 16, UPDATES = 5 }; /* images per rank and update */

/* This rank's part of the training. */
typedef struct Part {
    Comm *c;
    int images;
    SgdSpec sgd;
} Part;

/* Of every P·EACH images of the epoch this rank's EACH. */
static int lay_out(void *part, int32_t *order, uint64_t seed, int epoch)
{
    const Part *p = part;
    int count = 0, all = EACH * p->c->size;
    epoch_order(order, p->images, seed, epoch);
    for (int at = 0; at + all <= p->images; at += all)
        for (int i = 0; i < EACH; i++)
            order[count++] = order[at + EACH * p->c->rank + i];
    return count;
}

static void exchange(void *part, Model *m)
{
    const Part *p = part;
    comm_all_reduce(p->c, m->grads, COMM_SUM, m->s);
    m->be->op->scale(m->s, m->grads, 1.0f / (float)p->c->size);
}

static Method make(void *part, Model *m)
{
    Part *p = part;
    Method method = sgd_maker(&p->sgd).make(&p->sgd, m);
    method.exchange = (Exchange){exchange, part};
    return method;
}

static void end(void *part, Model *m, const Method *method)
{
    sgd_maker(NULL).end(part, m, method);
}

/* |a - b| / |b| of their weights, the largest of all ranks. */
static double weights_apart(Comm *c, const Training *a, const Training *b)
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
    Part part = {c, s->images, {s->momentum, 0, false, 0}};
    PlainPace all = {EACH * c->size, s->rate[0], INFINITY, 0};
    PlainPace mine = {EACH, s->rate[0], INFINITY, 0};
    TrainingSpec one = norm_spec(s, &all, true, 0), several = norm_spec(s, &mine, true, 0);
    if (all.batch > s->images)
        return;
    one.epochs = several.epochs = 1;
    several.method = (MethodMaker){make, end, &part};
    several.lay_out = lay_out;
    several.images_of = &part;
    Training *whole = training_new(&one, s->seed), *ours = training_new(&several, s->seed);
    if (synchronised)
        synchronise(ours->m, c);
    for (int u = 1; u <= UPDATES && training_step(whole) && training_step(ours); u++)
        if (u == 1 || u == UPDATES) {
            double apart = weights_apart(c, ours, whole);
            study_lock(&s->study, true);
            s->apart[synchronised][u > 1] = apart;
            study_lock(&s->study, false);
        }
    training_free(ours);
    training_free(whole);
}

void norm_compare_ranks(NormStudy *s)
{
    compare(s, false);
    compare(s, true);
}
