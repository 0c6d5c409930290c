/* test_cuda_gpu.c: what only a GPU can get wrong: recorded steps, reduced precision, two streams at
 * once. Every backend runs it; on the CPU most of it holds trivially.
 */
#include "check.h"
#include "net.h"
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

static void plain(Net *n, Tensor x, Tensor label)
{
    model_zero_grads(n->m);
    model_forward(n->m, x, MODEL_TRAIN);
    model_loss(n->m, n->totals, label, NO_TENSOR, true);
    model_backward(n->m);
}

static void expect_same(Net *a, Net *b)
{
    float *x = fetch(a, a->m->grads), *y = fetch(b, b->m->grads), *s = fetch(a, a->m->state),
          *t = fetch(b, b->m->state);
    double ours[2], theirs[2];
    a->op->download(a->m->s, ours, a->totals), b->op->download(b->m->s, theirs, b->totals);
    expect_bits(x, y, tensor_count(a->m->grads), "gradient");
    expect_bits(s, t, tensor_count(a->m->state), "running statistics");
    assert_memory_equal(ours, theirs, sizeof ours);
    free(x), free(y), free(s), free(t);
}

/* model_gradient against the same steps piece by piece: the same bits, with short batches, with
 * memory freed in between that a recording uses and such that none does, and with a busy thread
 * beside. */
static void recorded(void **state)
{
    Device *d = device_open();
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
        plain(&b, tensor_first(b.x, count), tensor_first(b.label, count));
        expect_same(&a, &b);
        if (step < 3)
            model_gradient(other.m, other.totals, other.x, other.label); /* recorded, too */
        if (step == 6)
            net_free(&other); /* so every recording is stale */
        if (step == 9) {      /* the scratch memory moves: every recording is stale */
            Net large = net_new(d->be, &bigger, 64, 64, 3);
            net_free(&large);
        }
    }
    beside.stop = true;
    pthread_join(thread, NULL);
    printf("    %ld rounds on the thread beside\n", beside.rounds);
    net_free(&a), net_free(&b);
    device_close(d);
}

/* ---- reduced precision ---- */

/* x as a tensor of activations of this type. */
static Tensor put_as(Device *d, DType type, const double *values, Shape s)
{
    Tensor wide = put(d, values, s, 0);
    if (type == F32)
        return wide;
    Tensor t = tensor_new(d->be, type, s.n, s.h, s.w, s.c, 0);
    if (values)
        d->op->axpy(d->s, t, 1, wide);
    d->op->stream_sync(d->s);
    drop(d, wide);
    return t;
}

static void expect_as(Device *d, Tensor t, const double *expected, double tolerance,
                      const char *what)
{
    Tensor wide = tensor_new(d->be, F32, t.n, t.h, t.w, t.c, 0);
    d->op->axpy(d->s, wide, 1, t);
    expect_tensor(d, wide, expected, tolerance, what);
    drop(d, wide);
}

static void reduced_conv(Device *d, int channels, int filters, int R, int stride, double tolerance)
{
    DType type = d->be->activations;
    ConvShape s = conv_shape((Shape){4, 8, 8, channels}, filters, R, stride);
    size_t nx = shape_count(s.x), ny = shape_count(s.y), nw = conv_weights(&s);
    double *x = random_values(1, nx, 0, 1), *w = random_values(2, nw, 0, 1),
           *dy = random_values(3, ny, 0, 1);
    double *r = random_values(4, ny, 0, 3), *y = zeros(ny), *dx = zeros(nx), *dw = zeros(nw);
    Tensor tx = put_as(d, type, x, s.x), ty = put_as(d, type, NULL, s.y),
           tdy = put_as(d, type, dy, s.y);
    Tensor tr = put_as(d, type, r, s.y), tdx = put_as(d, type, NULL, s.x);
    Tensor tw = put_matrix(d, w, filters, channels * R * R),
           tdw = put_matrix(d, dw, filters, channels * R * R);
    ConvPlan *plan = d->op->conv_plan_new(d->be, ty, tx, R, stride);
    ref_conv_forward(y, x, w, r, &s);
    ref_conv_backward_data(dx, dy, w, &s);
    ref_conv_backward_weight(dw, x, dy, &s);
    d->op->conv_forward(d->s, plan, ty, NO_TENSOR, tx, tw, tr);
    expect_as(d, ty, y, tolerance, "y + residual");
    d->op->conv_backward_data(d->s, plan, tdx, tdy, tw, false);
    expect_as(d, tdx, dx, tolerance, "dx");
    d->op->conv_backward_weight(d->s, plan, tdw, tx, tdy);
    expect_tensor(d, tdw, dw, tolerance, "dw");
    d->op->conv_plan_free(plan);
    drop(d, tx), drop(d, ty), drop(d, tdy), drop(d, tr), drop(d, tdx), drop(d, tw), drop(d, tdw);
    free(x), free(w), free(dy), free(r), free(y), free(dx), free(dw);
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
    drop(d, tx), drop(d, ty), drop(d, tw), drop(d, tb);
    free(x), free(w), free(bias), free(y);
}

/* Factors rounded to 10 bits of mantissa are off by up to 2^-11, those and results rounded to
 * BF16's 7 by up to 2^-8. */
static void reduced(const char *precision, double tolerance, double of_dense)
{
    Device *d = device_open();
    if (!d->op->mixed) {
        device_close(d);
        SKIP("this device computes in fp32 only");
    }
    backend_precision(d->be, precision);
    reduced_conv(d, 16, 16, 3, 1, tolerance);
    reduced_conv(d, 16, 32, 3, 2, tolerance);
    reduced_conv(d, 16, 32, 1, 2, tolerance);
    reduced_conv(d, 64, 64, 3, 1, tolerance);
    reduced_conv(d, 3, 16, 3, 1, tolerance);
    reduced_conv(d, 5, 7, 3, 1, tolerance); /* nothing a multiple of anything */
    reduced_dense(d, 32, 64, 10, of_dense);
    device_close(d);
}

static void tf32(void **state) { (void)state, reduced("tf32", 1e-3, 1e-3); }
/* dense layers stay in float32 */
static void bf16(void **state) { (void)state, reduced("bf16", 1e-2, 1e-5); }

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
static void two_at_once(void **state)
{
    Device *d = device_open();
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
        free(together[0]), free(together[1]);
    }
    free(alone[0]), free(alone[1]);
    net_free(&a), net_free(&b);
    device_close(d);
}

/* Two models' recordings use the same scratch memory: one after the other, though nobody waits. */
static void replays_in_turn(void **state)
{
    enum { ROUNDS = 6 };
    Device *d = device_open();
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
            free(together);
        }
    }
    for (int i = 0; i < 2; i++)
        free(alone[i]), net_free(&n[i]);
    device_close(d);
}

static const Case cases[] = {{"recorded", .run = recorded, .seconds = 120, .seeds = 3,
                              .cudnn = true},
                             {"tf32", .run = tf32, .cudnn = true},
                             {"bf16", .run = bf16, .cudnn = true},
                             {"two_at_once", .run = two_at_once, .seeds = 5, .cudnn = true},
                             {"replays_in_turn", .run = replays_in_turn, .seeds = 5}};
int main(int argc, char **argv)
{
    return device_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
