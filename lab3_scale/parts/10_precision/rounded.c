/* rounded.c: see rounded.h. */
#include "rounded.h"
#include "check.h"
#include <string.h>

typedef struct Rounded {
    RoundedSpec *spec;
    Sgd *sgd;
    Tensor room; /* on the device, for any layer's numbers */
    float *host, *weights, *before;
    size_t most; /* elements of room and host */
    bool leave_out;
} Rounded;

/* The upper half of a float32, to the nearest. */
static float bfloat16_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x == x)
        bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void round_all(float *x, size_t n, Format format)
{
    for (size_t i = 0; i < n && format != FORMAT_FLOAT32; i++)
        x[i] = format == FORMAT_FLOAT16 ? float16_of(x[i]) : bfloat16_of(x[i]);
}

static void make_room(Rounded *r, Model *m, size_t elements)
{
    if (elements <= r->most)
        return;
    tensor_free(m->be, r->room);
    free(r->host);
    r->room = tensor_new(m->be, F32, (int)elements, 1, 1, 1, 0);
    r->host = alloc(elements, sizeof *r->host);
    r->most = elements;
}

/* Through the host, where the student's function is. */
static size_t fetch(Rounded *r, Model *m, Tensor t)
{
    size_t n = tensor_count(t);
    make_room(r, m, n);
    m->be->op->download(m->s, r->host, t);
    return n;
}
static void put_back(Rounded *r, Model *m, Tensor t)
{
    Tensor dense = {r->room.buf, 0, F32, t.n, t.h, t.w, t.c, 0};
    m->be->op->upload(m->s, dense, r->host);
    m->be->op->copy(m->s, t, dense);
}

typedef struct Hooked {
    Rounded *r;
    Model *m;
} Hooked;

static void round_output(void *context, int layer, bool backward, Stream *s)
{
    Hooked *h = context;
    if (backward || h->r->spec->format == FORMAT_FLOAT32)
        return;
    Tensor y = model_activation(h->m, layer + 1);
    size_t n = fetch(h->r, h->m, y);
    round_all(h->r->host, n, h->r->spec->format);
    put_back(h->r, h->m, y);
}

/* What the loss, and so each gradient, is multiplied by. */
static double factor_of(const RoundedSpec *spec)
{
    return (spec->scaled ? spec->scaling.scale : 1) / spec->devices;
}

static void round_gradient(void *context, int layer, Tensor x, Tensor dy, Stream *s)
{
    Hooked *h = context;
    RoundedSpec *spec = h->r->spec;
    RoundedCounts *c = &spec->counts;
    double factor = factor_of(spec);
    size_t n = fetch(h->r, h->m, dy);
    for (size_t i = 0; i < n; i++) {
        float v = h->r->host[i];
        if (v == 0 || !isfinite(v))
            continue;
        int size = ilogb(v / factor) - SIZE_LEAST;
        c->size[size < 0 ? 0 : size < SIZES ? size : SIZES - 1]++;
        round_all(&v, 1, spec->format);
        c->gradients++;
        c->zeroed += v == 0;
        h->r->host[i] = v;
    }
    if (spec->format != FORMAT_FLOAT32)
        put_back(h->r, h->m, dy);
}

/* The gradient of the weights: rounded, then without the factor. */
static void finish_gradient(Rounded *r, Model *m)
{
    RoundedSpec *spec = r->spec;
    size_t n = fetch(r, m, m->grads);
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
    Hooked *hooked = alloc(1, sizeof *hooked);
    RoundedSpec *spec = context;
    *hooked = (Hooked){r, m};
    *r = (Rounded){.spec = spec,
                   .sgd = sgd_new(m, spec->sgd.momentum, spec->sgd.weight_decay,
                                  spec->sgd.nesterov),
                   .weights = alloc((size_t)m->params.n, sizeof(float)),
                   .before = alloc((size_t)m->params.n, sizeof(float))};
    m->layer_hook = round_output;
    m->tensor_hook = round_gradient;
    m->layer_context = m->tensor_context = hooked;
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
    free(m->tensor_context);
    m->layer_hook = NULL;
    m->tensor_hook = NULL;
    free(r);
}

MethodMaker rounded_maker(RoundedSpec *spec) { return (MethodMaker){make, end, spec}; }
