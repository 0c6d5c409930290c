/* local_method.c: see local_method.h. */
#include "local_method.h"
#include "check.h"
#include "lab2.h"
#include "sparse_message.h"
#include <stdlib.h>
#include <string.h>

struct Local {
    LocalSpec spec;
    Model *m;
    Comm *c;
    Sgd *sgd;
    int n;
    int64_t step, began; /* updates made; and when `flight` was started */
    double bytes;
    Tensor mean;         /* on the device: what is averaged */
    CommRequest *flight; /* the all-reduce of LOCAL_DELAYED */
    bool flying;
    float *w, *other;                   /* this rank's weights; mean, or delta */
    float *start, *velocity, *residual; /* outer step; LOCAL_DELAYED: start is what was sent */
    SparseMessage *message;
};

static bool has_outer(LocalKind kind) { return kind == LOCAL_DILOCO || kind == LOCAL_SPARSE; }

Local *local_new(Model *m, Comm *c, LocalSpec spec)
{
    Local *l = alloc(1, sizeof *l);
    int n = m->params.n;
    *l = (Local){.spec = spec, .m = m, .c = c, .n = n};
    l->sgd = sgd_new(m, spec.momentum, 0, false);
    l->mean = tensor_new(m->be, F32, n, 1, 1, 1, 0);
    float **vectors[] = {&l->w, &l->other, &l->start, &l->velocity, &l->residual};
    for (int i = 0; i < 5; i++)
        *vectors[i] = alloc((unsigned long)n, sizeof(float));
    m->be->op->download(m->s, l->start, m->params);
    if (spec.kind == LOCAL_SPARSE)
        l->message = sparse_message_new(m->be, n, spec.keep, spec.two_bits, c->size);
    return l;
}

void local_free(Local *l)
{
    if (!l)
        return;
    sparse_message_free(l->message);
    float *vectors[] = {l->w, l->other, l->start, l->velocity, l->residual};
    for (int i = 0; i < 5; i++)
        free(vectors[i]);
    tensor_free(l->m->be, l->mean);
    sgd_free(l->m, l->sgd);
    free(l);
}

double local_bytes(const Local *l) { return l->bytes; }

/* ---- what goes over the link ---- */

static void count_all_reduce(Local *l)
{
    l->bytes += 2.0 * (l->c->size - 1) / l->c->size * (double)sizeof(float) * l->n;
}

/* t becomes its mean over the ranks. */
static void average(Local *l, Tensor t)
{
    comm_all_reduce(l->c, t, COMM_SUM, l->m->s);
    l->m->be->op->scale(l->m->s, t, 1.0f / (float)l->c->size);
    count_all_reduce(l);
}

static void start_flight(Local *l)
{
    const BackendOps *op = l->m->be->op;
    op->download(l->m->s, l->start, l->m->params);
    op->copy(l->m->s, l->mean, l->m->params);
    l->flight = comm_all_reduce_start(l->c, l->mean, COMM_SUM, l->m->s);
    l->flying = true;
    l->began = l->step;
    count_all_reduce(l);
}

static void finish_flight(Local *l)
{
    const BackendOps *op = l->m->be->op;
    comm_wait(l->c, l->flight);
    l->flying = false;
    op->scale(l->m->s, l->mean, 1.0f / (float)l->c->size);
    op->download(l->m->s, l->other, l->mean);
    op->download(l->m->s, l->w, l->m->params);
    delayed_average(l->w, l->start, l->other, l->n);
    op->upload(l->m->s, l->m->params, l->w);
}

/* Puts the mean over the ranks of start - w into `other`. */
static void mean_delta(Local *l)
{
    const BackendOps *op = l->m->be->op;
    op->download(l->m->s, l->w, l->m->params);
    for (int i = 0; i < l->n; i++)
        l->other[i] = l->start[i] - l->w[i];
    if (l->spec.kind == LOCAL_DILOCO) {
        op->upload(l->m->s, l->mean, l->other);
        average(l, l->mean);
        op->download(l->m->s, l->other, l->mean);
        return;
    }
    sparse_message_pack(l->message, l->residual, l->other, l->spec.decay);
    memset(l->other, 0, (size_t)l->n * sizeof *l->other);
    l->bytes += sparse_message_exchange(l->message, l->c, l->m->s, l->other);
}

/* ---- the method's parts ---- */

static void exchange(void *context, Model *m) { average(context, m->grads); }

static void talk(Local *l)
{
    bool last = l->step == l->spec.steps;
    if (l->flying && (last || l->step - l->began >= l->spec.delay))
        finish_flight(l);
    if (!local_due(l->step, l->spec.steps, l->spec.every, l->spec.plain))
        return;
    if (has_outer(l->spec.kind)) {
        mean_delta(l);
        outer_step(l->start, l->velocity, l->other, l->n, l->spec.outer_rate,
                   l->spec.outer_momentum);
        l->m->be->op->upload(l->m->s, l->m->params, l->start);
    } else if (l->spec.kind == LOCAL_SGD || (last && l->spec.delay > 0))
        average(l, l->m->params);
    else {
        if (l->flying)
            finish_flight(l);
        start_flight(l);
        if (l->spec.delay == 0)
            finish_flight(l);
    }
}

static void update(void *context, Model *m, double rate)
{
    Local *l = context;
    sgd_step(m, l->sgd, rate);
    l->step++;
    if (l->spec.kind != LOCAL_PLAIN)
        talk(l);
}

Method local_method(Local *l)
{
    Method method = {.update = {update, l}};
    if (l->spec.kind == LOCAL_PLAIN)
        method.exchange = (Exchange){.run = exchange, .context = l};
    return method;
}
