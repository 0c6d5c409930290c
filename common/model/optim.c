/* optim.c: see optim.h. */
#include "optim.h"
#include "check.h"
#include "observer.h"
#include <math.h>
#include <stdlib.h>

Sgd *sgd_new(Model *m, double momentum, double weight_decay, bool nesterov)
{
    Sgd *o = alloc(1, sizeof *o);
    *o = (Sgd){.momentum = momentum, .weight_decay = weight_decay, .nesterov = nesterov};
    o->velocity = tensor_new(m->be, F32, m->params.n, 1, 1, 1, 0);
    o->rate = tensor_new(m->be, F32, 1, 1, 1, 1, 0);
    o->state[0] = (NamedVector){"optimizer", o->velocity, m->views, m->nviews, 0};
    return o;
}

void sgd_free(Model *m, Sgd *o)
{
    if (!o)
        return;
    tensor_free(m->be, o->velocity);
    tensor_free(m->be, o->rate);
    tensor_free(m->be, o->square);
    free(o);
}

void sgd_begin(Model *m, Sgd *o, double rate)
{
    float value = (float)rate;
    m->be->op->upload(m->s, o->rate, &value);
    o->steps++;
}

void sgd_queue(void *context, Model *m)
{
    Sgd *o = context;
    m->be->op->sgd(m->s, m->params, o->velocity, m->grads, o->rate, (float)o->momentum,
                   (float)o->weight_decay, o->nesterov);
}

static void shorten(Model *m, Sgd *o)
{
    const BackendOps *op = m->be->op;
    double square = 0;
    if (!given(o->square))
        o->square = tensor_new(m->be, F64, 1, 1, 1, 1, 0);
    op->dot(m->s, o->square, m->grads, m->grads);
    op->download(m->s, &square, o->square);
    if (square > o->clip * o->clip)
        op->scale(m->s, m->grads, (float)(o->clip / sqrt(square)));
}

void sgd_step(Model *m, Sgd *o, double rate)
{
    if (o->clip > 0)
        shorten(m, o);
    OBSERVE(update, m, o->steps, rate, false);
    sgd_begin(m, o, rate);
    sgd_queue(o, m);
    OBSERVE(update, m, o->steps - 1, rate, true);
}
