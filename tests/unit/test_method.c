/* test_method.c: an update in three parts, which are called in order, each with its context. (The
 * defaults, a model's gradient and an SGD step: test_cuda_gpu.c.)
 */
#include "check.h"
#include "method.h"
#include "net.h"

static const ModelSpec spec = {.name = "mlp", .h = 6, .w = 6, .c = 1, .classes = 5, .hidden = {9}};

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
    Batch batch = {.x = n.x, .label = n.label, .n = n.N};
    calls = 0;
    method_step(&method, n.m, n.totals, &batch, 0.25, NULL);
    method.exchange.run = NULL;
    method_step(&method, n.m, n.totals, &batch, 0.25, NULL);
    assert_string_equal(called, "geugu");
}
