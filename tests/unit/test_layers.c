/* test_layers.c: dense layer, ReLU, pooling, flatten and the loss of every backend against the
 * float64 reference. */
#include "check.h"
#include "device.h"
#include <math.h>

/* ---- dense ---- */
static void dense_case(Device *d, int N, int planned, int D, int K, bool biased)
{
    double *x = random_values(1, (size_t)N * D, 0.5, 1), *w = random_values(2, (size_t)K * D, 0, 1),
           *bias = random_values(3, K, 0, 3);
    double *dy = random_values(4, (size_t)N * K, 0, 1), *y = zeros((size_t)N * K),
           *dx = zeros((size_t)N * D);
    double *dw = random_values(5, (size_t)K * D, 0, 1), *dbias = random_values(6, K, 0, 1),
           *old = random_values(7, (size_t)N * D, 0, 1);
    Tensor tx = put(d, x, (Shape){N, 1, 1, D}, 0), tw = put_matrix(d, w, K, D),
           tb = biased ? put_vector(d, bias, K) : NO_TENSOR;
    Tensor ty = put(d, NULL, (Shape){planned, 1, 1, K}, 0),
           tdy = put(d, dy, (Shape){N, 1, 1, K}, 0);
    Tensor tdx = put(d, NULL, (Shape){planned, 1, 1, D}, 0),
           tadd = put(d, old, (Shape){N, 1, 1, D}, 0);
    Tensor tdw = put_matrix(d, dw, K, D), tdb = biased ? put_vector(d, dbias, K) : NO_TENSOR;

    d->op->dense_forward(d->s, tensor_first(ty, N), tx, tw, tb);
    ref_dense_forward(y, x, w, biased ? bias : NULL, N, D, K);
    expect_tensor(d, tensor_first(ty, N), y, d->tolerance, "y");

    ref_dense_backward_data(dx, dy, w, N, D, K);
    d->op->dense_backward_data(d->s, tensor_first(tdx, N), tdy, tw, false);
    expect_tensor(d, tensor_first(tdx, N), dx, d->tolerance, "dx");
    d->op->dense_backward_data(d->s, tadd, tdy, tw, true);
    double *sum = sum_of(old, dx, (size_t)N * D);
    expect_tensor(d, tadd, sum, d->tolerance, "dx added");

    for (int time = 0; time < 2; time++) {
        d->op->dense_backward_weight(d->s, tdw, tdb, tx, tdy);
        ref_dense_backward_weight(dw, dbias, x, dy, N, D, K);
        expect_tensor(d, tdw, dw, d->tolerance, "dw");
        if (biased)
            expect_tensor(d, tdb, dbias, d->tolerance, "dbias");
    }
    double *tail = get(d, ty);
    for (int i = N * K; i < planned * K; i++)
        assert_true(isnan(tail[i])); /* rows behind the batch's end */
    Tensor all[] = {tx, tw, tb, ty, tdy, tdx, tadd, tdw, tdb};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        drop(d, all[i]);
    free(x), free(w), free(bias), free(dy), free(y), free(dx), free(dw), free(dbias), free(old),
        free(sum), free(tail);
}

static void dense(void **state)
{
    Device *d = device_open();
    for (int biased = 0; biased < 2; biased++) {
        dense_case(d, 1, 1, 1, 1, biased);
        dense_case(d, 1, 4, 7, 10, biased);
        dense_case(d, 5, 9, 33, 10, biased);
        dense_case(d, 17, 17, 64, 3, biased);
        dense_case(d, 32, 32, 784, 100, biased);
    }
    device_close(d);
}

/* ---- layers from activation to activation ---- */
typedef struct Spec {
    Shape (*shape)(Shape x); /* of y */
    void (*forward)(Device *d, Tensor y, Tensor which, Tensor x);
    void (*backward)(Device *d, Tensor dx, Tensor dy, Tensor y, Tensor which, bool add);
    void (*ref_forward)(double *y, int *which, const double *x, Shape s);
    void (*ref_backward)(double *dx, const double *dy, const double *y, const int *which, Shape s);
    /* y is a matrix: no border */
    bool flat;
} Spec;

static Shape same(Shape x) { return x; }
static Shape one_pixel(Shape x) { return (Shape){x.n, 1, 1, x.c}; }
static Shape row(Shape x) { return (Shape){x.n, 1, 1, x.c * x.h * x.w}; }

static void relu_f(Device *d, Tensor y, Tensor which, Tensor x)
{
    (void)which, d->op->relu_forward(d->s, y, x);
}
static void relu_b(Device *d, Tensor dx, Tensor dy, Tensor y, Tensor which, bool add)
{
    d->op->relu_backward(d->s, dx, dy, y, add);
}
static void relu_rf(double *y, int *which, const double *x, Shape s)
{
    ref_relu_forward(y, x, shape_count(s));
}
static void relu_rb(double *dx, const double *dy, const double *y, const int *which, Shape s)
{
    ref_relu_backward(dx, dy, y, shape_count(s));
}

#define MAXPOOL(side) \
    static Shape max_shape_##side(Shape s) { return pool_shape(s, side); } \
    static void max_f_##side(Device *d, Tensor y, Tensor which, Tensor x) \
    { \
        d->op->maxpool_forward(d->s, y, which, x, side); \
    } \
    static void max_b_##side(Device *d, Tensor dx, Tensor dy, Tensor y, Tensor which, bool add) \
    { \
        d->op->maxpool_backward(d->s, dx, dy, which, side, add); \
    } \
    static void max_rf_##side(double *y, int *which, const double *x, Shape s) \
    { \
        ref_maxpool_forward(y, which, x, s, side); \
    } \
    static void max_rb_##side(double *dx, const double *dy, const double *y, const int *which, \
                              Shape s) \
    { \
        ref_maxpool_backward(dx, dy, which, s, side); \
    }
MAXPOOL(2)
MAXPOOL(3)

static void avg_f(Device *d, Tensor y, Tensor which, Tensor x)
{
    (void)which, d->op->avgpool_forward(d->s, y, x);
}
static void avg_b(Device *d, Tensor dx, Tensor dy, Tensor y, Tensor which, bool add)
{
    d->op->avgpool_backward(d->s, dx, dy, add);
}
static void avg_rf(double *y, int *which, const double *x, Shape s)
{
    (void)which, ref_avgpool_forward(y, x, s);
}
static void avg_rb(double *dx, const double *dy, const double *y, const int *which, Shape s)
{
    ref_avgpool_backward(dx, dy, s);
}

static void flat_f(Device *d, Tensor y, Tensor which, Tensor x)
{
    (void)which, d->op->flatten_forward(d->s, y, x);
}
static void flat_b(Device *d, Tensor dx, Tensor dy, Tensor y, Tensor which, bool add)
{
    d->op->flatten_backward(d->s, dx, dy, add);
}
static void flat_rf(double *y, int *which, const double *x, Shape s)
{
    (void)which, ref_flatten_forward(y, x, s);
}
static void flat_rb(double *dx, const double *dy, const double *y, const int *which, Shape s)
{
    ref_flatten_backward(dx, dy, s);
}

static const Spec spec_relu = {same, relu_f, relu_b, relu_rf, relu_rb, false};
static const Spec spec_max_2 = {max_shape_2, max_f_2, max_b_2, max_rf_2, max_rb_2, false},
                  spec_max_3 = {max_shape_3, max_f_3, max_b_3, max_rf_3, max_rb_3, false};
static const Spec spec_avg = {one_pixel, avg_f, avg_b, avg_rf, avg_rb, true};
static const Spec spec_flat = {row, flat_f, flat_b, flat_rf, flat_rb, true};

/* Of a norm: two roundings to 8 bits (BF16) or 11 (F16). */
static double tolerance_of(const Device *d, DType type)
{
    return type == BF16 ? 6e-3 : type == F16 ? 8e-4 : d->tolerance;
}

/* One layer on one shape: x has border `halo`, y another (unless it is a matrix, or both are to be
 * `dense`, as a GPU reads by 16 bytes), from `shift` elements on. */
static void layer_case(Device *d, const Spec *f, Shape s, int halo, bool dense, DType type,
                       int shift)
{
    Shape out = f->shape(s);
    int halo_y = f->flat || dense ? 0 : 1 - (halo > 0);
    double tolerance = tolerance_of(d, type);
    size_t nx = shape_count(s), ny = shape_count(out);
    double *x = random_values(1, nx, 0, 1), *dy = random_values(2, ny, 0, 1),
           *old = random_values(3, nx, 0, 1), *y = zeros(ny), *dx = zeros(nx);
    int *which = alloc(ny, sizeof *which);
    round_to(type, x, nx), round_to(type, dy, ny), round_to(type, old, nx);
    Shape planned = {s.n + 2, s.h, s.w, s.c};
    Tensor tx = put_as(d, type, shift, x, s, halo), ty = put_as(d, type, shift, NULL, out, halo_y),
           tdy = put_as(d, type, shift, dy, out, halo_y),
           tadd = put_as(d, type, shift, old, s, halo),
           tdx = put_as(d, type, shift, NULL, planned, halo),
           twhich = tensor_new(d->be, U8, out.n, out.h, out.w, out.c, 0);
    f->forward(d, ty, twhich, tx);
    f->ref_forward(y, which, x, s);
    f->ref_backward(dx, dy, y, which, s);
    expect_rounded(d, ty, y, tolerance, "y");
    f->backward(d, tensor_first(tdx, s.n), tdy, ty, twhich, false);
    expect_rounded(d, tensor_first(tdx, s.n), dx, tolerance, "dx");
    f->backward(d, tadd, tdy, ty, twhich, true);
    double *sum = sum_of(old, dx, nx);
    expect_rounded(d, tadd, sum, tolerance, "dx added");
    if (type == F32) {
        double *all = get(d, tdx);
        for (size_t i = nx; i < shape_count(planned); i++)
            assert_true(isnan(all[i])); /* images behind the batch's end */
        free(all);
    }
    drop(d, tx), drop(d, ty), drop(d, tdy), drop(d, tadd), drop(d, tdx), drop(d, twhich);
    free(x), free(dy), free(old), free(y), free(dx), free(which), free(sum);
}

static void layer_cases(const Spec *f)
{
    static const Shape shapes[] = {{2, 4, 4, 16}, {1, 2, 2, 1},    {3, 5, 7, 3},
                                   {5, 9, 4, 20}, {2, 28, 28, 32}, {33, 3, 2, 10}};
    Device *d = device_open();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shape_count(f->shape(shapes[i])) == 0)
            continue;
        for (int halo = 0; halo < 3; halo++)
            layer_case(d, f, shapes[i], halo, false, F32, 0);
        for (DType type = F32; type <= (d->op->mixed ? F16 : F32); type++)
            if (type == F32 || type == BF16 || type == F16)
                for (int shift = 0; shift < 2; shift++)
                    layer_case(d, f, shapes[i], 0, true, type, shift);
    }
    device_close(d);
}

static void relu(void **state) { (void)state, layer_cases(&spec_relu); }
static void maxpool(void **state)
{
    layer_cases(&spec_max_2);
    layer_cases(&spec_max_3);
}
static void avgpool(void **state) { (void)state, layer_cases(&spec_avg); }
static void flatten(void **state) { (void)state, layer_cases(&spec_flat); }

/* Equal values: the first takes the whole gradient. A NaN at any of the positions is the pool's
 * answer. */
static void ties_and_nan(Device *d, int side)
{
    static const double dy[1] = {3};
    const Shape s = {1, side, side, 1};
    for (int nan = -1; nan < side * side; nan++) {
        double x[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
        if (nan >= 0)
            x[nan] = NAN;
        Tensor tx = put(d, x, s, 0), ty = put(d, NULL, (Shape){1, 1, 1, 1}, 0),
               tdx = put(d, NULL, s, 0);
        Tensor tdy = put(d, dy, (Shape){1, 1, 1, 1}, 0),
               which = tensor_new(d->be, U8, 1, 1, 1, 1, 0);
        d->op->maxpool_forward(d->s, ty, which, tx, side);
        d->op->maxpool_backward(d->s, tdx, tdy, which, side, false);
        double *y = get(d, ty), *dx = get(d, tdx);
        if (nan < 0)
            assert_true(y[0] == 1 && dx[0] == 3 && dx[1] == 0 && dx[2] == 0 && dx[3] == 0);
        else if (!isnan(y[0]) || dx[nan] != 3)
            fail_msg("NaN at position %d: y = %g, gradient there %g", nan, y[0], dx[nan]);
        drop(d, tx), drop(d, ty), drop(d, tdx), drop(d, tdy), drop(d, which), free(y), free(dx);
    }
}

static void maxpool_ties_and_nan(void **state)
{
    Device *d = device_open();
    ties_and_nan(d, 2);
    ties_and_nan(d, 3);
    device_close(d);
}

/* ---- smooth activations ---- */
static void activation_case(Device *d, Shape s, Activation f, int halo, bool biased, bool dense,
                            DType type)
{
    size_t n = shape_count(s);
    double tolerance = tolerance_of(d, type);
    double *x = random_values(1, n, 0, 3), *dy = random_values(2, n, 0, 1),
           *bias = random_values(3, s.c, 0, 1), *old = random_values(4, n, 0, 1), *y = zeros(n),
           *dx = zeros(n), *dbias = random_values(5, s.c, 0, 1);
    x[0] = 40, x[n - 1] = -40; /* where exp overflows, and underflows */
    round_to(type, x, n), round_to(type, dy, n), round_to(type, old, n);
    const double *b = biased ? bias : NULL;
    Tensor tx = put_as(d, type, 0, x, s, halo),
           ty = put_as(d, type, 0, NULL, s, dense ? 0 : 1 - (halo > 0)),
           tdy = put_as(d, type, 0, dy, s, halo), tdx = put_as(d, type, 0, NULL, s, halo),
           tadd = put_as(d, type, 0, old, s, !dense),
           tb = biased ? put_vector(d, bias, s.c) : NO_TENSOR,
           tdb = biased ? put_vector(d, dbias, s.c) : NO_TENSOR;
    d->op->act_forward(d->s, ty, tx, tb, f);
    ref_act_forward(y, x, b, s, f);
    expect_rounded(d, ty, y, tolerance, "y");
    ref_act_backward(dx, biased ? dbias : NULL, dy, x, b, s, f);
    d->op->act_backward(d->s, tdx, tdb, tdy, tx, tb, f, false);
    expect_rounded(d, tdx, dx, tolerance, "dx");
    if (biased)
        expect_tensor(d, tdb, dbias, d->tolerance, "dbias");
    double *sum = sum_of(old, dx, n), *more = zeros(n);
    ref_act_backward(more, biased ? dbias : NULL, dy, x, b, s, f);
    d->op->act_backward(d->s, tadd, tdb, tdy, tx, tb, f, true);
    expect_rounded(d, tadd, sum, tolerance, "dx added");
    ref_act_backward(more, biased ? dbias : NULL, dy, x, b, s, f);
    d->op->act_backward(d->s, NO_TENSOR, tdb, tdy, tx, tb, f, false);
    if (biased)
        expect_tensor(d, tdb, dbias, d->tolerance, "dbias alone");
    d->op->act_backward(d->s, tdy, tdb, tdy, tx, tb, f, false);
    expect_rounded(d, tdy, dx, tolerance, "dx in dy's place");
    drop(d, tx), drop(d, ty), drop(d, tdy), drop(d, tdx), drop(d, tadd), drop(d, tb), drop(d, tdb);
    free(x), free(dy), free(bias), free(old), free(y), free(dx), free(dbias), free(sum), free(more);
}

static void activations(void **state)
{
    static const Shape shapes[] = {{2, 4, 4, 16}, {1, 1, 2, 1}, {3, 5, 7, 3}, {33, 7, 7, 24}};
    bool emulated = getenv("EMULATED"); /* by cuda_threads.sh: threads do the same in each */
    size_t most = sizeof shapes / sizeof *shapes - emulated;
    Device *d = device_open();
    for (int f = ACTIVATION_GELU; f <= (emulated ? ACTIVATION_GELU : ACTIVATION_RELU); f++)
        for (size_t i = 0; i < most; i++)
            for (int k = 0; k < 4; k++)
                activation_case(d, shapes[i], (Activation)f, k / 2, k % 2, false, F32);
    for (int f = ACTIVATION_GELU; f <= ACTIVATION_RELU && !emulated; f++)
        for (size_t i = 0; i < most; i++)
            for (DType type = F32; type <= (d->op->mixed ? F16 : F32); type++)
                if (type == F32 || type == BF16 || type == F16)
                    activation_case(d, shapes[i], (Activation)f, 0, true, true, type);
    device_close(d);
}

/* A NaN stays one, and touches nothing else. */
static void activation_of_nan(void **state)
{
    Device *d = device_open();
    const double x[3] = {1, NAN, -1};
    for (int f = ACTIVATION_GELU; f <= ACTIVATION_RELU; f++) {
        Tensor tx = put(d, x, (Shape){1, 1, 3, 1}, 0), ty = put(d, NULL, (Shape){1, 1, 3, 1}, 0);
        d->op->act_forward(d->s, ty, tx, NO_TENSOR, (Activation)f);
        double *y = get(d, ty);
        assert_true(isfinite(y[0]) && isnan(y[1]) && isfinite(y[2]));
        drop(d, tx), drop(d, ty), free(y);
    }
    device_close(d);
}

/* ---- loss ---- */
typedef struct Loss {
    Tensor logits, label, weight, dlogits, losses, totals;
} Loss;

static Loss loss_new(Device *d, const double *logits, const int *label, const double *weight, int N,
                     int K)
{
    static const double before[2] = {100, 7};
    Loss l = {.logits = put(d, logits, (Shape){N, 1, 1, K}, 0),
              .label = put_ints(d, label, N),
              .weight = weight ? put_vector(d, weight, N) : NO_TENSOR,
              .dlogits = put(d, NULL, (Shape){N, 1, 1, K}, 0),
              .losses = put(d, NULL, (Shape){N, 1, 1, 1}, 0),
              .totals = tensor_new(d->be, F64, 2, 1, 1, 1, 0)};
    d->op->upload(d->s, l.totals, before);
    d->op->stream_sync(d->s);
    return l;
}

static void loss_free(Device *d, Loss *l)
{
    drop(d, l->logits), drop(d, l->label), drop(d, l->weight), drop(d, l->dlogits),
        drop(d, l->losses), drop(d, l->totals);
}

static void loss_case(Device *d, int N, int K, bool weighted, double spread, float smoothing)
{
    double *logits = random_values(1, (size_t)N * K, 1, spread),
           *weight = random_values(2, N, 0, 1), *losses = zeros(N);
    double *dlogits = zeros((size_t)N * K), totals[2] = {100, 7};
    int *label = alloc(N, sizeof *label);
    for (int n = 0; n < N; n++)
        label[n] = (n * 7 + 3) % K;
    weight[0] = 0; /* weights may be 0, and negative ones are among the drawn */
    const double *w = weighted ? weight : NULL;
    Loss l = loss_new(d, logits, label, w, N, K);
    d->op->cross_entropy(d->s, l.dlogits, l.losses, l.totals, l.logits, l.label, l.weight, 0.25f,
                         smoothing);
    ref_cross_entropy(dlogits, losses, totals, logits, label, w, 0.25, smoothing, N, K);
    expect_tensor(d, l.losses, losses, d->tolerance, "losses");
    expect_tensor(d, l.dlogits, dlogits, d->tolerance, "dlogits");
    expect_tensor(d, l.totals, totals, d->tolerance, "totals");
    /* adds again */
    d->op->cross_entropy(d->s, NO_TENSOR, NO_TENSOR, l.totals, l.logits, l.label, l.weight, 0.25f,
                         smoothing);
    ref_cross_entropy(dlogits, losses, totals, logits, label, w, 0.25, smoothing, N, K);
    expect_tensor(d, l.totals, totals, d->tolerance, "totals, added to");
    loss_free(d, &l);
    free(logits), free(weight), free(losses), free(dlogits), free(label);
}

static void cross_entropy(void **state)
{
    Device *d = device_open();
    static const float smoothing[] = {0, 0.2f, 1};
    for (int k = 0; k < 6; k += getenv("EMULATED") ? 5 : 1) {
        bool weighted = k % 2;
        float smooth = smoothing[k / 2];
        loss_case(d, 1, 10, weighted, 1, smooth);
        loss_case(d, 37, 10, weighted, 3, smooth);
        loss_case(d, 8, 2, weighted, 30, smooth);
        loss_case(d, 5, 1000, weighted, 2, smooth);
        loss_case(d, 3, 1, weighted, 1, smooth);    /* one class: loss 0 */
        loss_case(d, 64, 7, weighted, 1e4, smooth); /* 10,000 and more apart: no overflow */
    }
    device_close(d);
}

static void extreme_logits(void **state)
{
    Device *d = device_open();
    const double logits[3 * 3] = {1e4, -1e4, 0, 1e4, -1e4, 0, -1e4, -1e4, -1e4};
    const int label[3] = {0, 1, 2};
    Loss l = loss_new(d, logits, label, NULL, 3, 3);
    d->op->cross_entropy(d->s, l.dlogits, l.losses, l.totals, l.logits, l.label, NO_TENSOR, 1, 0);
    double *losses = get(d, l.losses), *g = get(d, l.dlogits), *totals = get(d, l.totals);
    const double expected[3] = {0, 2e4, log(3)},
                 gradient[9] = {0, 0, 0, 1, -1, 0, 1. / 3, 1. / 3, -2. / 3};
    for (int i = 0; i < 3; i++)
        expect_close(losses[i], expected[i], 1e-6, 1e-6, "loss");
    for (int i = 0; i < 9; i++)
        expect_close(g[i], gradient[i], 1e-6, 0, "dlogits");
    expect_close(totals[0], 100 + 2e4 + log(3), 0, 1e-6, "total");
    /* the first is right; of three equal logits the first counts, and the label is the last */
    assert_true(totals[1] == 8);
    free(losses), free(g), free(totals);
    loss_free(d, &l);
    device_close(d);
}

/* A NaN logit, at any position, gives a NaN loss and counts as wrong; the other samples are as they
 * would be. */
static void nan_logits(void **state)
{
    Device *d = device_open();
    const int label[2] = {1, 1};
    for (int at = 0; at < 3; at++) {
        double logits[6] = {0, 5, 0, 0, 5, 0};
        logits[at] = NAN;
        Loss l = loss_new(d, logits, label, NULL, 2, 3);
        d->op->cross_entropy(d->s, l.dlogits, l.losses, l.totals, l.logits, l.label, NO_TENSOR, 1,
                             0);
        double *losses = get(d, l.losses), *totals = get(d, l.totals);
        assert_true(isnan(losses[0]) && isfinite(losses[1]) && isnan(totals[0]));
        assert_true(totals[1] == 8);
        free(losses), free(totals);
        loss_free(d, &l);
    }
    device_close(d);
}

static const Case cases[] = {
    {"dense", .run = dense},
    {"relu", .run = relu},
    {"maxpool", .run = maxpool},
    {"maxpool_ties_and_nan", .run = maxpool_ties_and_nan},
    {"activations", .run = activations},
    {"activation_of_nan", .run = activation_of_nan},
    {"avgpool", .run = avgpool},
    {"flatten", .run = flatten},
    {"cross_entropy", .run = cross_entropy},
    {"extreme_logits", .run = extreme_logits},
    {"nan_logits", .run = nan_logits},
};
int main(int argc, char **argv)
{
    return device_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
