/* optim.c: see optim.h. */
#include "optim.h"
#include "audit.h"
#include "check.h"
#include "digest.h"
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

static void update(Model *m, Sgd *o, double rate)
{
    sgd_begin(m, o, rate);
    sgd_queue(o, m);
}

static void digest_params(char digest[17], Model *m)
{
    size_t bytes = tensor_count(m->params) * sizeof(float);
    float *params = alloc(1, bytes);
    m->be->op->download(m->s, params, m->params);
    sha256_hex(digest, 17, params, bytes);
    free(params);
}

void sgd_step(Model *m, Sgd *o, double rate)
{
    if (!audit_on()) {
        update(m, o, rate);
        return;
    }
    char before[17], after[17];
    json_int_t step = o->steps;
    digest_params(before, m);
    update(m, o, rate);
    digest_params(after, m);
    audit_fact("update", "s:I, s:f, s:s, s:s", "step", step, "rate", rate, "before", before,
               "after", after);
}
