/* test_layers.c: dense layer, ReLU, pooling, flatten, a language model's layers and the loss of
 * every backend against the float64 reference. */
#include "backend/cpu/cpu.h"
#include "check.h"
#include "device.h"
#include <math.h>
#include <string.h>

/* ---- dense ---- */
/* factors BF16: numbers that rounding to it leaves as they are. */
static void dense_case(Device *d, DType factors, int N, int planned, int D, int K, bool biased)
{
    double *x = random_values(1, (size_t)N * D, 0.5, 1), *w = random_values(2, (size_t)K * D, 0, 1),
           *bias = random_values(3, K, 0, 3);
    double *dy = random_values(4, (size_t)N * K, 0, 1), *y = zeros((size_t)N * K),
           *dx = zeros((size_t)N * D);
    double *dw = random_values(5, (size_t)K * D, 0, 1), *dbias = random_values(6, K, 0, 1),
           *old = random_values(7, (size_t)N * D, 0, 1);
    round_to(factors, x, (size_t)N * D), round_to(factors, w, (size_t)K * D);
    round_to(factors, dy, (size_t)N * K);
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
}

/* Blocks and tiles of cpu_product.c, whole and not. */
static void dense_blocks(Device *d, DType factors, bool biased)
{
    dense_case(d, factors, 5, 9, 33, 10, biased); /* narrow: in float32 */
    dense_case(d, factors, 1, 1, 32, 32, biased);
    dense_case(d, factors, 13, 15, 33, 61, biased);
    dense_case(d, factors, 85, 85, 257, 95, biased);
    dense_case(d, factors, 300, 300, 64, 530, biased);
}

/* On a CPU: with the matrix unit, and without. */
static void dense_bf16(Device *d, bool biased, bool amx)
{
    bool *use = &((CpuBackend *)d->be)->amx, had = *use;
    *use = amx;
    backend_precision(d->s->be, "bf16");
    dense_blocks(d, BF16, biased);
    backend_precision(d->s->be, "fp32");
    *use = had;
}

DEVICE_TEST(dense)
{
    for (int biased = 0; biased < 2; biased++) {
        dense_case(d, F32, 1, 1, 1, 1, biased);
        dense_case(d, F32, 1, 4, 7, 10, biased);
        dense_blocks(d, F32, biased);
        dense_case(d, F32, 17, 17, 64, 3, biased);
        dense_case(d, F32, 32, 32, 784, 100, biased);
        dense_case(d, F32, 1100, 1100, 5, 7, biased); /* more rows than a GPU's piece has */
        for (int amx = 0; !strcmp(d->op->name, "cpu") && amx <= ((CpuBackend *)d->be)->amx; amx++)
            dense_bf16(d, biased, amx);
    }
}

/* ---- layers from activation to activation ---- */
typedef enum Kind { RELU, MAXPOOL_2, MAXPOOL_3, AVGPOOL, FLATTEN } Kind;

static int side_of(Kind kind) { return kind == MAXPOOL_2 ? 2 : 3; }
/* y is a matrix: no border */
static bool is_flat(Kind kind) { return kind >= AVGPOOL; }

static Shape output_of(Kind kind, Shape x)
{
    switch (kind) {
    case AVGPOOL: return (Shape){x.n, 1, 1, x.c};
    case FLATTEN: return (Shape){x.n, 1, 1, x.c * x.h * x.w};
    case RELU: return x;
    default: return pool_shape(x, side_of(kind));
    }
}

static void forward(Device *d, Kind kind, Tensor y, Tensor which, Tensor x)
{
    switch (kind) {
    case RELU: d->op->relu_forward(d->s, y, x); break;
    case AVGPOOL: d->op->avgpool_forward(d->s, y, x); break;
    case FLATTEN: d->op->flatten_forward(d->s, y, x); break;
    default: d->op->maxpool_forward(d->s, y, which, x, side_of(kind));
    }
}

static void backward(Device *d, Kind kind, Tensor dx, Tensor dy, Tensor y, Tensor which, bool add)
{
    switch (kind) {
    case RELU: d->op->relu_backward(d->s, dx, dy, y, add); break;
    case AVGPOOL: d->op->avgpool_backward(d->s, dx, dy, add); break;
    case FLATTEN: d->op->flatten_backward(d->s, dx, dy, add); break;
    default: d->op->maxpool_backward(d->s, dx, dy, which, side_of(kind), add);
    }
}

/* y and dx by the reference. */
static void reference(Kind kind, double *y, double *dx, const double *x, const double *dy, Shape s)
{
    int *which = keep(alloc(shape_count(s), sizeof *which));
    switch (kind) {
    case RELU:
        ref_relu_forward(y, x, shape_count(s));
        ref_relu_backward(dx, dy, y, shape_count(s));
        break;
    case AVGPOOL: ref_avgpool_forward(y, x, s), ref_avgpool_backward(dx, dy, s); break;
    case FLATTEN: ref_flatten_forward(y, x, s), ref_flatten_backward(dx, dy, s); break;
    default:
        ref_maxpool_forward(y, which, x, s, side_of(kind));
        ref_maxpool_backward(dx, dy, which, s, side_of(kind));
    }
}

/* Of a norm: two roundings to 8 bits (BF16) or 11 (F16). */
static double tolerance_of(const Device *d, DType type)
{
    return type == BF16 ? 6e-3 : type == F16 ? 8e-4 : d->tolerance;
}

/* One layer on one shape: x has border `halo`, y another (unless it is a matrix, or both are to be
 * `dense`, as a GPU reads by 16 bytes), from `shift` elements on. */
static void layer_case(Device *d, Kind kind, Shape s, int halo, bool dense, DType type, int shift)
{
    Shape out = output_of(kind, s);
    int halo_y = is_flat(kind) || dense ? 0 : 1 - (halo > 0);
    double tolerance = tolerance_of(d, type);
    size_t nx = shape_count(s), ny = shape_count(out);
    double *x = random_values(1, nx, 0, 1), *dy = random_values(2, ny, 0, 1),
           *old = random_values(3, nx, 0, 1), *y = zeros(ny), *dx = zeros(nx);
    round_to(type, x, nx), round_to(type, dy, ny), round_to(type, old, nx);
    Shape planned = {s.n + 2, s.h, s.w, s.c};
    Tensor tx = put_as(d, type, shift, x, s, halo), ty = put_as(d, type, shift, NULL, out, halo_y),
           tdy = put_as(d, type, shift, dy, out, halo_y),
           tadd = put_as(d, type, shift, old, s, halo),
           tdx = put_as(d, type, shift, NULL, planned, halo),
           twhich = blank(d, U8, out.n, out.h, out.w, out.c, 0);
    forward(d, kind, ty, twhich, tx);
    reference(kind, y, dx, x, dy, s);
    expect_tensor(d, ty, y, tolerance, "y");
    backward(d, kind, tensor_first(tdx, s.n), tdy, ty, twhich, false);
    expect_tensor(d, tensor_first(tdx, s.n), dx, tolerance, "dx");
    backward(d, kind, tadd, tdy, ty, twhich, true);
    double *sum = sum_of(old, dx, nx);
    expect_tensor(d, tadd, sum, tolerance, "dx added");
    if (type == F32) {
        double *all = get(d, tdx);
        for (size_t i = nx; i < shape_count(planned); i++)
            assert_true(isnan(all[i])); /* images behind the batch's end */
    }
}

static void layer_cases(Device *d, Kind kind)
{
    static const Shape shapes[] = {{2, 4, 4, 16}, {1, 2, 2, 1},    {3, 5, 7, 3},
                                   {5, 9, 4, 20}, {2, 28, 28, 32}, {33, 3, 2, 10}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shape_count(output_of(kind, shapes[i])) == 0)
            continue;
        for (int halo = 0; halo < 3; halo++)
            layer_case(d, kind, shapes[i], halo, false, F32, 0);
        for (DType type = F32; type <= F16; type++)
            if (takes(d, type))
                for (int shift = 0; shift < 2; shift++)
                    layer_case(d, kind, shapes[i], 0, true, type, shift);
    }
}

DEVICE_TEST(relu) { layer_cases(d, RELU); }
DEVICE_TEST(maxpool)
{
    layer_cases(d, MAXPOOL_2);
    layer_cases(d, MAXPOOL_3);
}
DEVICE_TEST(avgpool) { layer_cases(d, AVGPOOL); }
DEVICE_TEST(flatten) { layer_cases(d, FLATTEN); }

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
        Tensor tdy = put(d, dy, (Shape){1, 1, 1, 1}, 0), which = blank(d, U8, 1, 1, 1, 1, 0);
        d->op->maxpool_forward(d->s, ty, which, tx, side);
        d->op->maxpool_backward(d->s, tdx, tdy, which, side, false);
        double *y = get(d, ty), *dx = get(d, tdx);
        if (nan < 0)
            assert_true(y[0] == 1 && dx[0] == 3 && dx[1] == 0 && dx[2] == 0 && dx[3] == 0);
        else if (!isnan(y[0]) || dx[nan] != 3)
            fail_msg("NaN at position %d: y = %g, gradient there %g", nan, y[0], dx[nan]);
    }
}

DEVICE_TEST(maxpool_ties_and_nan)
{
    ties_and_nan(d, 2);
    ties_and_nan(d, 3);
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
    expect_tensor(d, ty, y, tolerance, "y");
    ref_act_backward(dx, biased ? dbias : NULL, dy, x, b, s, f);
    d->op->act_backward(d->s, tdx, tdb, tdy, tx, tb, f, false);
    expect_tensor(d, tdx, dx, tolerance, "dx");
    if (biased)
        expect_tensor(d, tdb, dbias, d->tolerance, "dbias");
    double *sum = sum_of(old, dx, n), *more = zeros(n);
    ref_act_backward(more, biased ? dbias : NULL, dy, x, b, s, f);
    d->op->act_backward(d->s, tadd, tdb, tdy, tx, tb, f, true);
    expect_tensor(d, tadd, sum, tolerance, "dx added");
    ref_act_backward(more, biased ? dbias : NULL, dy, x, b, s, f);
    d->op->act_backward(d->s, NO_TENSOR, tdb, tdy, tx, tb, f, false);
    if (biased)
        expect_tensor(d, tdb, dbias, d->tolerance, "dbias alone");
    d->op->act_backward(d->s, tdy, tdb, tdy, tx, tb, f, false);
    expect_tensor(d, tdy, dx, tolerance, "dx in dy's place");
}

DEVICE_TEST(activations)
{
    static const Shape shapes[] = {{2, 4, 4, 16}, {1, 1, 2, 1}, {3, 5, 7, 3}, {33, 7, 7, 24}};
    bool emulated = getenv("EMULATED"); /* by cuda_ptx.sh, more slowly */
    size_t most = sizeof shapes / sizeof *shapes - emulated;
    for (int f = ACTIVATION_GELU; f < (emulated ? ACTIVATION_SILU : ACTIVATIONS); f++)
        for (size_t i = 0; i < most; i++)
            for (int k = 0; k < 4; k++)
                activation_case(d, shapes[i], (Activation)f, k / 2, k % 2, false, F32);
    for (int f = ACTIVATION_GELU; f < ACTIVATIONS && !emulated; f++)
        for (size_t i = 0; i < most; i++)
            for (DType type = F32; type <= F16; type++)
                if (takes(d, type))
                    activation_case(d, shapes[i], (Activation)f, 0, true, true, type);
}

/* A NaN stays one, and touches nothing else. */
DEVICE_TEST(activation_of_nan)
{
    const double x[3] = {1, NAN, -1};
    for (int f = ACTIVATION_GELU; f < ACTIVATIONS; f++) {
        Tensor tx = put(d, x, (Shape){1, 1, 3, 1}, 0), ty = put(d, NULL, (Shape){1, 1, 3, 1}, 0);
        d->op->act_forward(d->s, ty, tx, NO_TENSOR, (Activation)f);
        double *y = get(d, ty);
        assert_true(isfinite(y[0]) && isnan(y[1]) && isfinite(y[2]));
    }
}

/* ---- of language models ---- */
DEVICE_TEST(embedding)
{
    static const Shape shapes[] = {{1, 1, 1, 1}, {3, 1, 5, 12}, {2, 1, 300, 33}};
    for (int k = 0; k < 3; k++) {
        Shape s = shapes[k];
        int V = k == 0 ? 1 : 256;
        size_t n = shape_count(s), rows = (size_t)s.n * s.w;
        double *x = zeros(rows), *tokens = random_values(1, (size_t)V * s.c, 0, 1),
               *positions = random_values(2, (size_t)s.w * s.c, 0, 1), *y = zeros(n),
               *dy = random_values(3, n, 0, 1), *dt = random_values(4, (size_t)V * s.c, 0, 1),
               *dp = random_values(5, (size_t)s.w * s.c, 0, 1);
        for (size_t i = 0; i < rows; i++)
            x[i] = (double)(i * i * 7 % (size_t)V); /* some twice, some never */
        x[0] = V - 1;
        Tensor tx = put(d, x, (Shape){s.n, 1, s.w, 1}, 0), ty = put(d, NULL, s, 0),
               tdy = put(d, dy, s, 0), tt = put_matrix(d, tokens, V, s.c),
               tp = put_matrix(d, positions, s.w, s.c), tdt = put_matrix(d, dt, V, s.c),
               tdp = put_matrix(d, dp, s.w, s.c);
        d->op->embedding_forward(d->s, ty, tx, tt, tp);
        ref_embedding_forward(y, x, tokens, positions, s);
        expect_tensor(d, ty, y, d->tolerance, "y");
        for (int time = 0; time < 2; time++) {
            d->op->embedding_backward(d->s, tdt, tdp, tx, tdy);
            ref_embedding_backward(dt, dp, x, dy, s);
            expect_tensor(d, tdt, dt, d->tolerance, "dtokens");
            expect_tensor(d, tdp, dp, d->tolerance, "dpositions");
        }
    }
}

static void layernorm_case(Device *d, Shape s, double mean)
{
    size_t n = shape_count(s);
    double *x = random_values(1, n, mean, 2), *gamma = random_values(2, s.c, 1, 1),
           *beta = random_values(3, s.c, 0, 1), *dy = random_values(4, n, 0, 1), *y = zeros(n),
           *dx = zeros(n), *old = random_values(5, n, 0, 1), *dg = random_values(6, s.c, 0, 1),
           *db = random_values(7, s.c, 0, 1);
    Tensor tx = put(d, x, s, 0), ty = put(d, NULL, s, 0), tdy = put(d, dy, s, 0),
           tdx = put(d, NULL, s, 0), tadd = put(d, old, s, 0), tg = put_vector(d, gamma, s.c),
           tb = put_vector(d, beta, s.c), tdg = put_vector(d, dg, s.c),
           tdb = put_vector(d, db, s.c), saved = blank(d, F32, s.n, s.h, s.w, 2, 0);
    d->op->layernorm_forward(d->s, ty, saved, tx, tg, tb, 1e-5f);
    ref_layernorm_forward(y, x, gamma, beta, 1e-5, s);
    expect_tensor(d, ty, y, d->tolerance, "y");
    d->op->layernorm_backward(d->s, tdx, tdg, tdb, saved, tdy, tx, tg, false);
    ref_layernorm_backward(dx, dg, db, dy, x, gamma, 1e-5, s);
    expect_tensor(d, tdg, dg, d->tolerance, "dgamma");
    expect_tensor(d, tdb, db, d->tolerance, "dbeta");
    if (s.c > 2) { /* of one channel dx is 0, of two nearly so: all rounding */
        expect_tensor(d, tdx, dx, 4 * d->tolerance, "dx");
        d->op->layernorm_backward(d->s, tadd, tdg, tdb, saved, tdy, tx, tg, true);
        double *sum = sum_of(old, dx, n);
        expect_tensor(d, tadd, sum, d->tolerance, "dx added");
    }
}

DEVICE_TEST(layernorm)
{
    layernorm_case(d, (Shape){1, 1, 1, 1}, 0);
    layernorm_case(d, (Shape){2, 1, 7, 3}, 0.5);
    layernorm_case(d, (Shape){3, 1, 400, 24}, 0.5); /* more rows than a GPU's piece has */
    layernorm_case(d, (Shape){2, 1, 9, 200}, 5);
    if (!getenv("EMULATED"))
        layernorm_case(d, (Shape){2, 1, 3, 1024}, 0);
}

/* spread: of the scores; where it is large, a softmax has one key. */
static void attention_case(Device *d, Shape s, int heads, double spread, double tolerance)
{
    size_t n = shape_count(s);
    Shape wide = {s.n, 1, s.w, 3 * s.c};
    double *qkv = random_values(1, 3 * n, 0, spread), *dy = random_values(2, n, 0, 1),
           *y = zeros(n), *dqkv = zeros(3 * n), *old = random_values(3, 3 * n, 0, 1);
    Tensor tqkv = put(d, qkv, wide, 0), ty = put(d, NULL, s, 0), tdy = put(d, dy, s, 0),
           tdqkv = put(d, NULL, wide, 0), tadd = put(d, old, wide, 0),
           saved = blank(d, F32, s.n, heads, s.w, 2, 0);
    d->op->attention_forward(d->s, ty, saved, tqkv, heads);
    ref_attention_forward(y, qkv, s, heads);
    expect_tensor(d, ty, y, tolerance, "y");
    d->op->attention_backward(d->s, tdqkv, saved, tdy, ty, tqkv, heads, false);
    ref_attention_backward(dqkv, dy, qkv, s, heads);
    expect_tensor(d, tdqkv, dqkv, 2 * tolerance, "dqkv");
    d->op->attention_backward(d->s, tadd, saved, tdy, ty, tqkv, heads, true);
    double *sum = sum_of(old, dqkv, 3 * n);
    expect_tensor(d, tadd, sum, 2 * tolerance, "dqkv added");
}

/* On a CPU whose processor multiplies bfloat16, in heads of 32 and more channels: the scores, P and
 * dS are off by a rounding to 8 bits each. */
static void attention_bf16(Device *d, bool amx)
{
    bool *use = &((CpuBackend *)d->be)->amx, had = *use;
    *use = amx;
    backend_precision(d->s->be, "bf16");
    attention_case(d, (Shape){2, 1, 33, 64}, 2, 1, 5e-3);
    attention_case(d, (Shape){1, 1, 130, 100}, 2, 1, 5e-3);
    attention_case(d, (Shape){1, 1, 70, 48}, 3, 1, 2 * d->tolerance); /* narrow: in float32 */
    backend_precision(d->s->be, "fp32");
    *use = had;
}

DEVICE_TEST(attention)
{
    attention_case(d, (Shape){1, 1, 1, 1}, 1, 1, 2 * d->tolerance);
    attention_case(d, (Shape){2, 1, 5, 6}, 2, 1, 2 * d->tolerance);
    attention_case(d, (Shape){2, 1, 33, 40}, 2, 2, 2 * d->tolerance);
    attention_case(d, (Shape){3, 1, 70, 24}, 3, 3, 2 * d->tolerance);
    for (int amx = 0; !strcmp(d->op->name, "cpu") && amx <= ((CpuBackend *)d->be)->amx; amx++)
        attention_bf16(d, amx);
    if (getenv("EMULATED"))
        return;
    attention_case(d, (Shape){1, 1, 130, 128}, 2, 1, 2 * d->tolerance);
    attention_case(d, (Shape){1, 1, 64, 100}, 1, 1, 2 * d->tolerance);
    attention_case(d, (Shape){1, 1, MAX_CONTEXT, 4}, 1, 1, 2 * d->tolerance);
}

/* Nobody sees what comes later: other tokens behind position t change nothing up to it. */
DEVICE_TEST(attention_is_causal)
{
    enum { T = 40, C = 8, SEEN = 33 };
    Shape s = {1, 1, T, C}, wide = {1, 1, T, 3 * C};
    double *qkv = random_values(1, 3 * T * C, 0, 1), *other = random_values(2, 3 * T * C, 0, 9);
    for (int i = 0; i < 3 * SEEN * C; i++)
        other[i] = qkv[i];
    Tensor y[2], saved = blank(d, F32, 1, 2, T, 2, 0);
    for (int k = 0; k < 2; k++) {
        y[k] = put(d, NULL, s, 0);
        d->op->attention_forward(d->s, y[k], saved, put(d, k ? other : qkv, wide, 0), 2);
    }
    double *a = get(d, y[0]), *b = get(d, y[1]);
    for (int i = 0; i < SEEN * C; i++)
        assert_true(a[i] == b[i]);
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
              .totals = blank(d, F64, 2, 1, 1, 1, 0)};
    d->op->upload(d->s, l.totals, before);
    d->op->stream_sync(d->s);
    return l;
}

static void loss_case(Device *d, int N, int K, bool weighted, double spread, float smoothing)
{
    double *logits = random_values(1, (size_t)N * K, 1, spread),
           *weight = random_values(2, N, 0, 1), *losses = zeros(N);
    double *dlogits = zeros((size_t)N * K), totals[2] = {100, 7};
    int *label = keep(alloc(N, sizeof *label));
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
}

DEVICE_TEST(cross_entropy)
{
    static const float smoothing[] = {0, 0.2f, 1};
    for (int k = 0; k < 6; k += getenv("EMULATED") ? 5 : 1) {
        bool weighted = k % 2;
        float smooth = smoothing[k / 2];
        loss_case(d, 1, 10, weighted, 1, smooth);
        loss_case(d, 37, 10, weighted, 3, smooth);
        loss_case(d, 8, 2, weighted, 30, smooth);
        loss_case(d, 5, 1000, weighted, 2, smooth);
        loss_case(d, 9, 300, weighted, 1e4, smooth);
        loss_case(d, 3, 1, weighted, 1, smooth);    /* one class: loss 0 */
        loss_case(d, 64, 7, weighted, 1e4, smooth); /* 10,000 and more apart: no overflow */
    }
}

/* Text: each position has a label, each sample a weight. */
DEVICE_TEST(cross_entropy_of_text)
{
    enum { N = 3, T = 700, K = 11 };
    double *logits = random_values(1, (size_t)N * T * K, 1, 2), *weight = random_values(2, N, 0, 1),
           *losses = zeros(N * T), *dlogits = zeros((size_t)N * T * K), *each = zeros(N * T),
           totals[2] = {0, 0};
    int *label = keep(alloc(N * T, sizeof *label));
    for (int i = 0; i < N * T; i++)
        label[i] = i * 7 % K, each[i] = weight[i / T];
    Tensor tlogits = put(d, logits, (Shape){N, 1, T, K}, 0), tlabel = put_ints(d, label, N * T),
           tweight = put_vector(d, weight, N), tdlogits = put(d, NULL, (Shape){N, 1, T, K}, 0),
           tlosses = put(d, NULL, (Shape){N, 1, 1, T}, 0), ttotals = blank(d, F64, 2, 1, 1, 1, 0);
    for (int time = 0; time < 2; time++) {
        d->op->cross_entropy(d->s, tdlogits, tlosses, ttotals, tlogits, tlabel, tweight, 0.25f, 0);
        ref_cross_entropy(dlogits, losses, totals, logits, label, each, 0.25, 0, N * T, K);
        expect_tensor(d, tlosses, losses, d->tolerance, "losses");
        expect_tensor(d, tdlogits, dlogits, d->tolerance, "dlogits");
        expect_tensor(d, ttotals, totals, d->tolerance, "totals");
    }
}

DEVICE_TEST(extreme_logits)
{
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
}

/* A NaN logit, at any position, gives a NaN loss and counts as wrong; the other samples are as they
 * would be. Of equal logits the first counts. */
static void nan_case(Device *d, int K, int at)
{
    const int label[3] = {1, 1, K - 1};
    double *logits = zeros((size_t)3 * K);
    logits[1] = logits[K + 1] = 5;
    logits[at] = NAN;
    Loss l = loss_new(d, logits, label, NULL, 3, K);
    d->op->cross_entropy(d->s, l.dlogits, l.losses, l.totals, l.logits, l.label, NO_TENSOR, 1, 0);
    double *losses = get(d, l.losses), *totals = get(d, l.totals);
    assert_true(isnan(losses[0]) && isfinite(losses[1]) && isnan(totals[0]));
    expect_close(losses[2], log(K), 0, 1e-6, "loss of equal logits");
    assert_true(totals[1] == 8);
}

DEVICE_TEST(nan_logits)
{
    for (int at = 0; at < 3; at++)
        nan_case(d, 3, at);
    nan_case(d, 70, 0);
    nan_case(d, 70, 69);
}
