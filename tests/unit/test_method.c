/* test_method.c: an update in three parts: the defaults are a model's gradient and an SGD step, bit
 * for bit; other parts are called in order, each with its context.
 */
#include "check.h"
#include "method.h"
#include "net.h"

static const ModelSpec spec = {.name = "mlp", .h = 6, .w = 6, .c = 1, .classes = 5, .hidden = {9}};

static Batch batch_of(const Net *n) { return (Batch){.x = n->x, .label = n->label, .n = n->N}; }

DEVICE_TEST(plain_sgd)
{
    Net a = net_new(d->be, &spec, 4, 4, 3), b = net_new(d->be, &spec, 4, 4, 3);
    SgdSpec sgd = {.momentum = 0.9, .weight_decay = 0.01, .nesterov = true};
    MethodMaker maker = sgd_maker(&sgd);
    Method method = maker.make(maker.context, a.m);
    Sgd *o = net_sgd(&b, 0.9, 0.01, true);
    Batch batch = batch_of(&a);
    for (int i = 0; i < 5; i++) {
        method_step(&method, a.m, a.totals, &batch, 0.1 + i, NULL);
        model_gradient(b.m, b.totals, b.x, b.label);
        sgd_step(b.m, o, 0.1 + i);
    }
    float *x = fetch(&a, a.m->params), *y = fetch(&b, b.m->params);
    expect_bits(x, y, tensor_count(a.m->params), "weights after five updates");
    double totals[2][2];
    d->op->download(a.m->s, totals[0], a.totals);
    d->op->download(b.m->s, totals[1], b.totals);
    assert_true(totals[0][0] == totals[1][0] && totals[0][1] == totals[1][1]);
    maker.end(maker.context, a.m, &method);
}

/* What was called, in order; each part has its own context. */
static char called[8];
static int calls;

static void own_gradient(void *context, Model *m, Tensor totals, const Batch *b)
{
    assert_int_equal(b->n, 4);
    called[calls++] = *(char *)context;
}

static void own_exchange(void *context, Model *m) { called[calls++] = *(char *)context; }

static void own_update(void *context, Model *m, double rate)
{
    assert_true(rate == 0.25);
    called[calls++] = *(char *)context;
}

DEVICE_TEST(own_parts)
{
    Net n = net_new(d->be, &spec, 4, 4, 3);
    char name[3] = {'g', 'e', 'u'};
    Method method = {.gradient = {own_gradient, &name[0]},
                     .exchange = {.run = own_exchange, .context = &name[1]},
                     .update = {own_update, &name[2]}};
    Batch batch = batch_of(&n);
    calls = 0;
    method_step(&method, n.m, n.totals, &batch, 0.25, NULL);
    method.exchange.run = NULL;
    method_step(&method, n.m, n.totals, &batch, 0.25, NULL);
    assert_string_equal(called, "geugu");
}
