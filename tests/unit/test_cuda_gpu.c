/* test_cuda_gpu.c: what only a GPU can get wrong: recorded steps, reduced precision, two streams at
 * once. Every backend runs it; on the CPU most of it holds trivially.
 */
#include "check.h"
#include "method.h"
#include "net.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const ModelSpec spec = {.name = "resnet8", .h = 8, .w = 8, .c = 3, .classes = 10};

static const ModelSpec bigger = {.name = "wrn16-1", .h = 32, .w = 32, .c = 3, .classes = 10};

/* ---- recorded steps ---- */

/* What a loader does on its thread while steps are recorded: it makes memory, fills it, frees
 * it. */
typedef struct Beside {
    Backend *be;
    atomic_bool stop;
    long rounds;
} Beside;

static void *work_beside(void *argument)
{
    Beside *b = argument;
    const BackendOps *op = b->be->op;
    Stream *s = op->stream_new(b->be, 1);
    float *values = alloc(10000, sizeof *values);
    for (; !b->stop; b->rounds++) {
        Tensor t = tensor_new(b->be, F32, 10000, 1, 1, 1, 0);
        op->upload(s, t, values);
        op->scale(s, t, 2);
        op->download(s, values, t);
        tensor_free(b->be, t);
    }
    free(values);
    op->stream_free(s);
    return NULL;
}

/* model_gradient against the same steps piece by piece: the same bits, with short batches, with
 * memory freed in between that a recording uses and such that none does, and with a busy thread
 * beside. */
DEVICE_TEST(recorded, .seeds = 3, .cudnn = true)
{
    Net a = net_new(d->be, &spec, 8, 8, 1), b = net_new(d->be, &spec, 8, 8, 1),
        other = net_new(d->be, &spec, 4, 4, 2);
    Beside beside = {.be = d->be};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work_beside, &beside), 0);
    for (int step = 0; step < 12; step++) {
        int count = step % 3 == 2 ? 5 : 8;
        net_draw(&a, step), net_draw(&b, step); /* in the same memory, which frees some that no
                                                 * recording knows */
        model_gradient(a.m, a.totals, tensor_first(a.x, count), tensor_first(a.label, count));
        net_pieces(&b, tensor_first(b.x, count), tensor_first(b.label, count));
        expect_same_step(&a, &b);
        if (step < 3)
            model_gradient(other.m, other.totals, other.x, other.label); /* recorded, too */
        if (step == 6)
            net_free(&other); /* so every recording is stale */
        if (step == 9)        /* the scratch memory moves: every recording is stale */
            net_new(d->be, &bigger, 64, 64, 3);
    }
    beside.stop = true;
    pthread_join(thread, NULL);
    printf("    %ld rounds on the thread beside\n", beside.rounds);
}

/* ---- whole steps: the optimiser, evaluation ---- */

static void expect_same_weights(Net *a, Net *b, Sgd *o, Sgd *q)
{
    float *v = fetch(a, a->m->params), *w = fetch(b, b->m->params), *x = fetch(a, o->velocity),
          *y = fetch(b, q->velocity);
    expect_same_step(a, b);
    expect_bits(v, w, tensor_count(a->m->params), "weights");
    expect_bits(x, y, tensor_count(o->velocity), "velocity");
    assert_int_equal(o->steps, q->steps);
}

/* method_step against the same updates piece by piece: the same bits, with a rate and a batch size
 * that change, and recordings that go stale. */
DEVICE_TEST(whole_steps, .seeds = 5, .cudnn = true)
{
    Net a = net_new(d->be, &spec, 8, 8, 1), b = net_new(d->be, &spec, 8, 8, 1);
    SgdSpec sgd = {.momentum = 0.9, .weight_decay = 0.01, .nesterov = true};
    MethodMaker maker = sgd_maker(&sgd);
    Method method = maker.make(maker.context, a.m);
    Sgd *o = method.update.context, *q = net_sgd(&b, 0.9, 0.01, true);
    for (int step = 0; step < 18; step++) {
        int count = step % 3 == 2 ? 5 : 8;
        double rate = 0.01 * (1 + step % 4);
        net_draw(&a, step), net_draw(&b, step);
        Batch batch = {.x = tensor_first(a.x, count),
                       .label = tensor_first(a.label, count),
                       .n = count};
        method_step(&method, a.m, a.totals, &batch, rate, NULL);
        net_pieces(&b, tensor_first(b.x, count), tensor_first(b.label, count));
        sgd_step(b.m, q, rate);
        expect_same_weights(&a, &b, o, q);
        if (step == 6) /* the scratch memory moves: every recording is stale */
            net_new(d->be, &bigger, 64, 64, 3);
    }
    maker.end(maker.context, a.m, &method);
}

/* model_evaluate against the same piece by piece, between steps that change the weights. */
DEVICE_TEST(evaluated, .seeds = 2, .cudnn = true)
{
    Net a = net_new(d->be, &spec, 8, 8, 1), b = net_new(d->be, &spec, 8, 8, 1);
    Sgd *o = net_sgd(&a, 0.9, 0, false), *r = net_sgd(&b, 0.9, 0, false);
    for (int round = 0; round < 10; round++) {
        int count = round % 3 == 2 ? 5 : 8;
        net_draw(&a, round), net_draw(&b, round);
        d->op->zero(a.m->s, a.totals), d->op->zero(b.m->s, b.totals);
        model_evaluate(a.m, a.totals, tensor_first(a.x, count), tensor_first(a.label, count));
        model_forward(b.m, tensor_first(b.x, count), MODEL_EVAL);
        model_loss(b.m, b.totals, tensor_first(b.label, count), NO_TENSOR, false);
        assert_int_equal(a.m->logits.n, count);
        d->op->stream_sync(a.m->s), d->op->stream_sync(b.m->s); /* d has another stream */
        expect_same_bits(d, a.m->logits, b.m->logits, "logits");
        expect_same_bits(d, a.totals, b.totals, "totals");
        model_gradient(a.m, a.totals, a.x, a.label), net_pieces(&b, b.x, b.label);
        sgd_step(a.m, o, 0.1), sgd_step(b.m, r, 0.1);
        expect_same_weights(&a, &b, o, r);
    }
}

/* ---- reduced precision ---- */

/* image: x stays in F32, and nobody asks for its gradient. */
typedef struct ReducedConv {
    int n, h, w, channels, filters, R, stride;
    bool image;
} ReducedConv;

static void reduced_conv(Device *d, const ReducedConv *c, double tolerance)
{
    DType type = d->be->activations;
    ConvShape s = conv_shape((Shape){c->n, c->h, c->w, c->channels}, c->filters, c->R, c->stride);
    size_t nx = shape_count(s.x), ny = shape_count(s.y), nw = conv_weights(&s);
    int row = c->channels * c->R * c->R;
    double *x = random_values(1, nx, 0, 1), *w = random_values(2, nw, 0, 1),
           *dy = random_values(3, ny, 0, 1), *r = random_values(4, ny, 0, 3), *y = zeros(ny),
           *dx = zeros(nx), *dw = random_values(5, nw, 0, 1);
    Tensor tx = put_as(d, c->image ? F32 : type, 0, x, s.x, 0),
           ty = put_as(d, type, 0, NULL, s.y, 0), tdy = put_as(d, type, 0, dy, s.y, 0),
           tr = put_as(d, type, 0, r, s.y, 0), tdx = put_as(d, type, 0, NULL, s.x, 0),
           told = put_as(d, type, 0, x, s.x, 0), tw = put_matrix(d, w, c->filters, row),
           tdw = put_matrix(d, dw, c->filters, row);
    ConvPlan *plan = plan_conv(d, ty, tx, c->R, c->stride);
    d->op->conv_forward(d->s, plan, ty, NO_TENSOR, tx, tw, NO_TENSOR);
    ref_conv_forward(y, x, w, NULL, &s);
    expect_tensor(d, ty, y, tolerance, "y");
    d->op->conv_forward(d->s, plan, ty, NO_TENSOR, tx, tw, tr);
    ref_conv_forward(y, x, w, r, &s);
    expect_tensor(d, ty, y, tolerance, "y + residual");
    if (!c->image) {
        ref_conv_backward_data(dx, dy, w, &s);
        d->op->conv_backward_data(d->s, plan, tdx, tdy, tw, false);
        expect_tensor(d, tdx, dx, tolerance, "dx");
        d->op->conv_backward_data(d->s, plan, told, tdy, tw, true);
        double *sum = sum_of(x, dx, nx);
        expect_tensor(d, told, sum, tolerance, "dx added");
    }
    for (int time = 0; time < 2; time++) {
        ref_conv_backward_weight(dw, x, dy, &s);
        d->op->conv_backward_weight(d->s, plan, tdw, tx, tdy);
        expect_tensor(d, tdw, dw, tolerance, "dw");
    }
}

static void reduced_dense(Device *d, int N, int D, int K, double tolerance)
{
    double *x = random_values(1, (size_t)N * D, 0, 1), *w = random_values(2, (size_t)K * D, 0, 1);
    double *bias = random_values(3, K, 0, 1), *y = zeros((size_t)N * K);
    Tensor tx = put(d, x, (Shape){N, 1, 1, D}, 0), ty = put(d, NULL, (Shape){N, 1, 1, K}, 0);
    Tensor tw = put_matrix(d, w, K, D), tb = put_vector(d, bias, K);
    ref_dense_forward(y, x, w, bias, N, D, K);
    d->op->dense_forward(d->s, ty, tx, tw, tb);
    expect_tensor(d, ty, y, tolerance, "dense");
}

/* Factors rounded to 10 bits of mantissa (TF32, FP16) are off by up to 2^-11, those and results
 * rounded to BF16's 7 by up to 2^-8. */
static void reduced(Device *d, const char *precision, double tolerance, double of_dense)
{
    static const ReducedConv table[] = {
        {4, 8, 8, 16, 16, 3, 1, false},
        {4, 8, 8, 16, 32, 3, 2, false},
        {4, 8, 8, 16, 32, 1, 2, false},
        {4, 8, 8, 64, 64, 3, 1, false},
        {4, 8, 8, 3, 16, 3, 1, false},
        {4, 8, 8, 5, 7, 3, 1, false}, /* nothing a multiple of anything */
        /* few channels (cuda_conv_tile.cu): images in several parts, the last one shorter; rows
         * that do not end a tile evenly; more images than blocks */
        {1, 32, 32, 16, 16, 3, 1, false},
        {2, 29, 31, 16, 16, 3, 1, false},
        {2, 13, 31, 32, 32, 3, 1, false},
        {2, 16, 16, 32, 32, 3, 1, false},
        {1, 33, 17, 32, 32, 3, 1, false},
        {3, 1, 1, 16, 16, 3, 1, false},
        {600, 2, 3, 16, 16, 3, 1, false},
        {1, 1, 200, 32, 32, 3, 1, false},
        {1, 3, 800, 32, 32, 3, 1, false}, /* too wide for it */
        {2, 9, 7, 16, 32, 3, 2, false},
        {1, 31, 33, 32, 16, 3, 2, false},
        {2, 32, 32, 3, 16, 3, 1, true},
        {1, 28, 28, 1, 32, 3, 1, true},
        {2, 9, 7, 8, 16, 3, 1, true},
        {2, 9, 7, 3, 24, 3, 1, true},
    };
    if (!(!strcmp(precision, "tf32")   ? d->op->tf32
          : !strcmp(precision, "bf16") ? d->op->bf16
                                       : d->op->fp16))
        SKIP("this device does not compute in it");
    backend_precision(d->be, precision);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        printf("    conv case %zu\n", i);
        reduced_conv(d, &table[i], tolerance);
    }
    reduced_dense(d, 32, 64, 10, of_dense);
}

DEVICE_TEST(tf32, .cudnn = true) { reduced(d, "tf32", 1e-3, 1e-3); }
/* dense layers stay in float32 */
DEVICE_TEST(bf16, .cudnn = true) { reduced(d, "bf16", 1e-2, 1e-5); }
DEVICE_TEST(fp16, .cudnn = true) { reduced(d, "fp16", 1.5e-3, 1e-5); }

/* ---- loss scaling (model.h) ---- */

static LossScale scale_of(const Net *n)
{
    LossScale now;
    n->op->download(n->m->s, &now, model_loss_scale(n->m));
    return now;
}
static void set_scale(const Net *n, float scale)
{
    n->op->upload(n->m->s, model_loss_scale(n->m), &(LossScale){.scale = scale});
}
static void expect_scale(const Net *n, float scale, unsigned good)
{
    LossScale now = scale_of(n);
    if (now.scale != scale || now.good != good || now.overflow)
        fail_msg("a loss scale of %g, %u good; expected %g, %u", now.scale, now.good, scale, good);
}

/* Elements [first, end) of the gradient. */
static void expect_zero(const Net *n, size_t first, size_t end)
{
    float *g = fetch(n, n->m->grads);
    for (size_t i = first; i < end; i++)
        if (g[i] != 0) /* nor NaN */
            fail_msg("element %zu of a gradient that overflowed is %g", i, g[i]);
}

/* model_gradient's, without the zeroing. */
static void add_gradient(Net *n)
{
    model_forward(n->m, n->x, MODEL_FROZEN_STATS);
    model_loss(n->m, n->totals, n->label, NO_TENSOR, true);
    model_backward(n->m);
}

/* FP32's gradient, of the batch that net_new draws. */
static double *wide_gradient(Device *d)
{
    Net n = net_new(d->be, &spec, 8, 8, 1);
    net_gradient(&n);
    double *g = fetch_double(&n, n.m->grads);
    return g;
}

/* The gradient is FP32's for any S, and is added to what is there; one that overflows is 0 and
 * halves S, until it no longer does; then it is FP32's again. */
DEVICE_TEST(loss_scaling, .cudnn = true)
{
    enum { FROM = 60, LEAST_HALVED = 20 };
    const double near = 3e-2; /* ReLUs' kinks, mostly */
    need_fp16(d);
    double *expected = wide_gradient(d);
    backend_precision(d->be, "fp16");
    Net n = net_new(d->be, &spec, 8, 8, 1);
    size_t count = tensor_count(n.m->grads);
    for (int e = 4; e <= 16; e += 4) {
        set_scale(&n, ldexpf(1, e));
        net_gradient(&n);
        expect_scale(&n, ldexpf(1, e), 1);
        expect_vector(&n, n.m->grads, expected, near, "gradient in FP16");
    }
    model_gradient(n.m, n.totals, n.x, n.label);
    add_gradient(&n), add_gradient(&n), add_gradient(&n);
    n.op->scale(n.m->s, n.m->grads, 0.25f);
    expect_vector(&n, n.m->grads, expected, near, "four gradients' mean");
    set_scale(&n, ldexpf(1, FROM));
    int halved = 0;
    while (net_gradient(&n), scale_of(&n).good == 0) {
        expect_zero(&n, 0, count);
        expect_scale(&n, ldexpf(1, FROM - ++halved), 0);
    }
    printf("    halved %d times from 2^%d\n", halved, FROM);
    assert_true(halved >= LEAST_HALVED);
    expect_vector(&n, n.m->grads, expected, near, "gradient when it no longer overflows");
    model_init(n.m, 1);
    expect_scale(&n, LOSS_SCALE_FIRST, 0);
}

/* ---- with those who look at a layer's gradients during the pass ---- */
typedef struct Seen {
    Net *n;
    float *at_once; /* [params]: the gradient, as the hook saw it */
} Seen;

static void look(void *context, size_t first, int count, Stream *s)
{
    Seen *seen = context;
    Tensor slice = tensor_slice(seen->n->m->grads, first, count);
    seen->n->op->download(s, seen->at_once + first, slice);
}

/* They see what it is in the end: where it overflows below the last layer, that layer's gradient,
 * and 0. */
DEVICE_TEST(loss_scale_hooks, .seeds = 1)
{
    need_fp16(d);
    backend_precision(d->be, "fp16");
    Net n = net_new(d->be, &spec, 8, 8, 1);
    size_t count = tensor_count(n.m->grads), head = model_find(n.m, "fc.weight")->at;
    net_gradient(&n);
    float *right = fetch(&n, n.m->grads);
    Seen seen = {&n, keep(alloc(count, sizeof(float)))};
    n.m->grads_at = keep(alloc(n.m->nviews, sizeof(Tensor)));
    for (int v = 0; v < n.m->nviews; v++)
        n.m->grads_at[v] = model_view(n.m->grads, &n.m->views[v]);
    Tensor *apart = n.m->grads_at;
    for (int way = 0; way < 2; way++) { /* slices side by side, and each for itself */
        n.m->grads_at = way ? apart : NULL;
        n.m->grad_hook = look, n.m->grad_context = &seen;
        set_scale(&n, 1024);
        net_gradient(&n), add_gradient(&n);
        n.op->scale(n.m->s, n.m->grads, 0.5f);
        float *twice = fetch(&n, n.m->grads);
        for (size_t i = 0; i < count; i++)
            expect_close(twice[i], right[i], 1e-5, 1e-2, "gradient with a hook");
        set_scale(&n, 0x1p60f);
        net_gradient(&n);
        float *end = fetch(&n, n.m->grads);
        expect_bits(seen.at_once, end, count, "gradient as the hook saw it");
        expect_bits(end + head, right + head, count - head, "the last layer's gradient");
        expect_zero(&n, 0, head);
        expect_scale(&n, 0x1p59f, 0);
    }
    n.m->grads_at = NULL;
}

/* One element of the batch. */
static void spoil(Net *n, float value)
{
    n->op->upload(n->m->s, tensor_vector(n->x.buf, n->x.at, F32, 1), &value);
}

/* A pixel that F16 cannot hold, in some steps; recorded and replayed, and piece by piece: the same
 * bits of gradients, weights and S. */
DEVICE_TEST(loss_scale_recorded, .seeds = 3, .cudnn = true)
{
    static const ModelSpec plain_spec = {
        .name = "resnet8", .h = 8, .w = 8, .c = 3, .classes = 10, .no_batchnorm = true};
    need_fp16(d);
    backend_precision(d->be, "fp16");
    Net a = net_new(d->be, &plain_spec, 8, 8, 1), b = net_new(d->be, &plain_spec, 8, 8, 1);
    Sgd *o = net_sgd(&a, 0.9, 0.01, true), *q = net_sgd(&b, 0.9, 0.01, true);
    float scale = LOSS_SCALE_FIRST;
    unsigned good = 0;
    for (int step = 0; step < 12; step++) {
        bool bad = step == 0 || step == 5 || step == 6;
        good = bad ? 0 : good + 1;
        scale = bad ? scale / 2 : scale;
        net_draw(&a, step), net_draw(&b, step);
        if (bad)
            spoil(&a, 1e6f), spoil(&b, 1e6f);
        sgd_begin(a.m, o, 0.01);
        model_step(a.m, a.totals, a.x, a.label, (StepPart){sgd_queue, o});
        net_pieces(&b, b.x, b.label);
        sgd_step(b.m, q, 0.01);
        float *ours = fetch(&a, a.m->grads), *theirs = fetch(&b, b.m->grads),
              *w = fetch(&a, a.m->params), *v = fetch(&b, b.m->params);
        expect_bits(ours, theirs, tensor_count(a.m->grads), "gradient");
        expect_bits(w, v, tensor_count(a.m->params), "weights");
        expect_scale(&a, scale, good), expect_scale(&b, scale, good);
        if (bad)
            expect_zero(&a, 0, tensor_count(a.m->grads));
        else
            assert_true(ours[0] != 0);
    }
}

/* ---- two models of one backend ---- */

static void forward(Net *n)
{
    n->op->zero(n->m->s, n->totals);
    model_zero_grads(n->m);
    model_forward(n->m, n->x, MODEL_FROZEN_STATS);
    model_loss(n->m, n->totals, n->label, NO_TENSOR, true);
}

/* Their streams wait for each other only where they share something: each model's gradient is as if
 * it were alone. */
DEVICE_TEST(two_at_once, .seeds = 5, .cudnn = true)
{
    Net a = net_new(d->be, &spec, 16, 16, 1), b = net_new(d->be, &spec, 16, 16, 2);
    b.op->scale(b.m->s, b.m->params, 0.5f); /* other filters */
    net_gradient(&a), net_gradient(&b);
    float *alone[] = {fetch(&a, a.m->grads), fetch(&b, b.m->grads)};
    for (int round = 0; round < 4; round++) {
        forward(&a), forward(&b);
        model_backward(b.m), model_backward(a.m);
        float *together[] = {fetch(&a, a.m->grads), fetch(&b, b.m->grads)};
        expect_bits(together[0], alone[0], tensor_count(a.m->grads), "the first model's gradient");
        expect_bits(together[1], alone[1], tensor_count(b.m->grads), "the second model's gradient");
    }
}

/* Two models' recordings use the same scratch memory: one after the other, though nobody waits. */
DEVICE_TEST(replays_in_turn, .seeds = 5)
{
    enum { ROUNDS = 6 };
    Net n[] = {net_new(d->be, &spec, 16, 16, 1), net_new(d->be, &spec, 16, 16, 2)};
    float *alone[2];
    n[1].op->scale(n[1].m->s, n[1].m->params, 0.5f); /* other filters */
    for (int i = 0; i < 2; i++) {
        for (int again = 0; again < 3; again++) { /* plain, recorded, replayed */
            n[i].op->zero(n[i].m->s, n[i].totals);
            model_gradient(n[i].m, n[i].totals, n[i].x, n[i].label);
        }
        alone[i] = fetch(&n[i], n[i].m->grads);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 2; i++)
            model_gradient(n[i].m, n[i].totals, n[i].x, n[i].label);
        for (int i = 1; i >= 0; i--) {
            float *together = fetch(&n[i], n[i].m->grads);
            expect_bits(together, alone[i], tensor_count(n[i].m->grads), "gradient");
        }
    }
}
