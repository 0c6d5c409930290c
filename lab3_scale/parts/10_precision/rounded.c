/* rounded.c: see rounded.h. */
#include "rounded.h"
#include "check.h"
#include <string.h>

typedef struct Rounded {
    RoundedSpec *spec;
    Model *m;
    Sgd *sgd;
    Tensor room; /* on the device, for any layer's numbers */
    float *host, *weights, *before;
    size_t most; /* elements of room and host */
    bool leave_out;
} Rounded;

static void round_all(float *x, size_t n, Format format)
{
    for (size_t i = 0; i < n && format != FORMAT_FLOAT32; i++)
        x[i] = format == FORMAT_FLOAT16 ? float16_of(x[i]) : bf16_value(bf16_of(x[i]));
}

static void make_room(Rounded *r, size_t elements)
{
    if (elements <= r->most)
        return;
    tensor_free(r->m->be, r->room);
    free(r->host);
    r->room = tensor_new(r->m->be, F32, (int)elements, 1, 1, 1, 0);
    r->host = alloc(elements, sizeof *r->host);
    r->most = elements;
}

/* Through the host, where the student's function is. */
static size_t fetch(Rounded *r, Tensor t)
{
    size_t n = tensor_count(t);
    make_room(r, n);
    r->m->be->op->download(r->m->s, r->host, t);
    return n;
}
static void put_back(Rounded *r, Tensor t)
{
    Model *m = r->m;
    Tensor dense = {r->room.buf, 0, F32, t.n, t.h, t.w, t.c, 0};
    m->be->op->upload(m->s, dense, r->host);
    m->be->op->copy(m->s, t, dense);
}

static void round_output(void *context, int layer, bool backward, Stream *s)
{
    Rounded *r = context;
    if (backward || r->spec->format == FORMAT_FLOAT32)
        return;
    Tensor y = model_activation(r->m, layer + 1);
    size_t n = fetch(r, y);
    round_all(r->host, n, r->spec->format);
    put_back(r, y);
}

/* What the loss, and so each gradient, is multiplied by. */
static double factor_of(const RoundedSpec *spec)
{
    return (spec->scaled ? spec->scaling.scale : 1) / spec->devices;
}

static void round_gradient(void *context, int layer, Tensor x, Tensor dy, Stream *s)
{
    Rounded *r = context;
    RoundedSpec *spec = r->spec;
    RoundedCounts *c = &spec->counts;
    double factor = factor_of(spec);
    size_t n = fetch(r, dy);
    for (size_t i = 0; i < n; i++) {
        float v = r->host[i];
        if (v == 0 || !isfinite(v))
            continue;
        int size = ilogb(v / factor) - SIZE_LEAST;
        c->size[size < 0 ? 0 : size < SIZES ? size : SIZES - 1]++;
        round_all(&v, 1, spec->format);
        c->gradients++;
        c->zeroed += v == 0;
        r->host[i] = v;
    }
    if (spec->format != FORMAT_FLOAT32)
        put_back(r, dy);
}

/* The gradient of the weights: rounded, then without the factor. */
static void finish_gradient(Rounded *r, Model *m)
{
    RoundedSpec *spec = r->spec;
    size_t n = fetch(r, m->grads);
    double factor = factor_of(spec);
    bool finite = true;
    round_all(r->host, n, spec->format);
    for (size_t i = 0; i < n; i++) {
        finite &= (bool)isfinite(r->host[i]);
        r->host[i] = (float)(r->host[i] / factor);
    }
    r->leave_out = spec->scaled && !next_scale(&spec->scaling, finite);
    m->be->op->upload(m->s, m->grads, r->host);
}

static void gradient(void *context, Model *m, Tensor totals, const Batch *b)
{
    Rounded *r = context;
    m->be->op->download(m->s, r->weights, m->params);
    memcpy(r->before, r->weights, sizeof(float) * (size_t)m->params.n);
    round_all(r->before, (size_t)m->params.n, r->spec->format);
    m->be->op->upload(m->s, m->params, r->before);
    model_zero_grads(m);
    model_forward(m, b->x, MODEL_TRAIN);
    model_loss(m, totals, b->label, NO_TENSOR, true);
    Tensor logits = model_loss_gradient(m);
    m->be->op->scale(m->s, tensor_vector(logits.buf, logits.at, F32, (int)tensor_count(logits)),
                     (float)factor_of(r->spec));
    model_backward(m);
    finish_gradient(r, m);
    if (r->spec->exact_weights)
        m->be->op->upload(m->s, m->params, r->weights);
}

static void update(void *context, Model *m, double rate)
{
    Rounded *r = context;
    RoundedCounts *c = &r->spec->counts;
    if (r->leave_out) {
        r->spec->left_out++;
        return;
    }
    m->be->op->download(m->s, r->before, m->params);
    sgd_step(m, r->sgd, rate);
    m->be->op->download(m->s, r->weights, m->params);
    for (int i = 0; i < m->params.n; i++) {
        bool moves = r->weights[i] != r->before[i];
        if (!r->spec->exact_weights)
            round_all(&r->weights[i], 1, r->spec->format);
        c->moves += moves;
        c->unmoved += moves && r->weights[i] == r->before[i];
    }
    if (!r->spec->exact_weights)
        m->be->op->upload(m->s, m->params, r->weights);
}

static Method make(void *context, Model *m)
{
    Rounded *r = alloc(1, sizeof *r);
    RoundedSpec *spec = context;
    *r = (Rounded){.spec = spec,
                   .m = m,
                   .sgd = sgd_new(m, spec->sgd.momentum, spec->sgd.weight_decay,
                                  spec->sgd.nesterov),
                   .weights = alloc((size_t)m->params.n, sizeof(float)),
                   .before = alloc((size_t)m->params.n, sizeof(float))};
    m->layer_hook = round_output;
    m->tensor_hook = round_gradient;
    m->layer_context = m->tensor_context = r;
    return (Method){.gradient = {gradient, r}, .update = {update, r}};
}

static void end(void *context, Model *m, const Method *method)
{
    Rounded *r = method->update.context;
    tensor_free(m->be, r->room);
    sgd_free(m, r->sgd);
    free(r->host);
    free(r->weights);
    free(r->before);
    m->layer_hook = NULL;
    m->tensor_hook = NULL;
    free(r);
}

MethodMaker rounded_maker(RoundedSpec *spec) { return (MethodMaker){make, end, spec}; }
