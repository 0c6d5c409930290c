/* test_model_parts.c: the passes in parts, with activations dropped and computed again, give the
 * bits of the whole pass; parameters and gradients may lie elsewhere, and come and go with the
 * hooks; the backend tells of every tensor. */
#include "check.h"
#include "net.h"

static void each(void (*call)(Model *, int), Model *m, int first, int end)
{
    for (int a = first; a < end; a++)
        call(m, a);
}

/* The gradient, cut wherever it may be; only the cuts' activations are kept. */
static void in_parts(Net *n)
{
    Model *m = n->m;
    int cut[600] = {0}, parts = 0, L = m->nlayers;
    for (int i = 1; i < L; i++)
        if (model_may_cut(m, i))
            cut[++parts] = i;
    cut[++parts] = L;
    each(model_activation_drop, m, 1, L + 1);
    model_zero_grads(m);
    for (int k = 0; k < parts; k++) {
        each(model_activation_take, m, cut[k] + 1, cut[k + 1] + 1);
        model_forward_part(m, n->x, cut[k], cut[k + 1], MODEL_TRAIN);
        if (k < parts - 1)
            each(model_activation_drop, m, cut[k] + 1, cut[k + 1]);
    }
    model_loss(m, n->totals, n->label, NO_TENSOR, true);
    for (int k = parts - 1; k >= 0; k--) {
        if (k < parts - 1) {
            each(model_activation_take, m, cut[k] + 1, cut[k + 1]);
            model_forward_part(m, n->x, cut[k], cut[k + 1], MODEL_FROZEN_STATS);
        }
        model_backward_part(m, cut[k], cut[k + 1]);
    }
    assert_true(parts > 1 || L < 3);
}

static void parts_case(Device *d, const char *name)
{
    ModelSpec spec = small_spec(name);
    Net a = net_new(d->be, &spec, 4, 4, 3), b = net_new(d->be, &spec, 4, 4, 3);
    model_gradient(a.m, a.totals, a.x, a.label);
    in_parts(&b);
    float *x = fetch(&a, a.m->grads), *y = fetch(&b, b.m->grads);
    expect_bits(x, y, tensor_count(a.m->grads), name);
    if (a.m->state.buf) {
        float *s = fetch(&a, a.m->state), *t = fetch(&b, b.m->state);
        expect_bits(s, t, tensor_count(a.m->state), "running statistics");
    }
}

DEVICE_TEST(parts)
{
    for (int i = 0; i < KINDS; i++)
        parts_case(d, model_kinds[i]);
}

/* Each layer's parameters are there from its before_hook to its layer_hook, and nowhere else. */
typedef struct Guest {
    Net *net;
    Tensor params, grads;
    int now, calls;
} Guest;

static void arrive(void *context, int layer, bool backward, Stream *s)
{
    Guest *g = context;
    Model *m = g->net->m;
    const Layer *l = &m->layers[layer];
    assert_int_equal(g->now++, 0);
    int first = l->w < 0 ? l->tied : l->w;
    for (int v = first; v >= 0 && v <= (l->b < 0 ? first : l->b); v++) {
        m->params_at[v] = model_view(g->params, &m->views[v]);
        m->grads_at[v] = model_view(g->grads, &m->views[v]);
    }
    g->calls++;
}

static void leave(void *context, int layer, bool backward, Stream *s)
{
    Guest *g = context;
    Model *m = g->net->m;
    g->now--;
    for (int v = 0; v < m->nviews; v++)
        m->params_at[v] = m->grads_at[v] = NO_TENSOR;
}

static void elsewhere_case(Device *d, const char *name)
{
    ModelSpec spec = small_spec(name);
    Net a = net_new(d->be, &spec, 4, 4, 3), b = net_new(d->be, &spec, 4, 4, 3);
    Model *m = b.m;
    int n = m->params.n;
    Guest guest = {.net = &b, .params = m->params, .grads = m->grads};
    m->params = m->grads = NO_TENSOR;
    m->params_at = keep(alloc(m->nviews, sizeof(Tensor)));
    m->grads_at = keep(alloc(m->nviews, sizeof(Tensor)));
    m->before_hook = arrive, m->layer_hook = leave, m->layer_context = &guest;
    model_gradient(a.m, a.totals, a.x, a.label);
    model_forward(m, b.x, MODEL_TRAIN);
    model_loss(m, b.totals, b.label, NO_TENSOR, true);
    model_backward(m);
    assert_int_equal(guest.calls, 2 * m->nlayers);
    float *x = fetch(&a, a.m->grads), *y = fetch(&b, guest.grads);
    expect_bits(x, y, n, name);
    m->params = guest.params, m->grads = guest.grads;
    m->params_at = m->grads_at = NULL;
}

DEVICE_TEST(elsewhere)
{
    for (int i = 0; i < KINDS; i++)
        elsewhere_case(d, model_kinds[i]);
}

static double held;
static void count(void *context, const Buffer *buf, size_t bytes)
{
    double *last = context;
    assert_non_null(buf);
    held += bytes ? (double)bytes : -*last;
    *last = (double)bytes;
}

DEVICE_TEST(memory)
{
    double last = 0;
    held = 0;
    d->be->memory_hook = count, d->be->memory_context = &last;
    Tensor t = blank(d, F32, 10, 3, 2, 5, 1);
    assert_true(held == 4.0 * 10 * 5 * 4 * 5);
    drop(d->be, t);
    assert_true(held == 0);
    tensor_free(d->be, NO_TENSOR);
    d->be->memory_hook = NULL;
}
