/* test_batchnorm.c: batch norm of every backend against the float64 reference: whole batch, ghost
 * groups that do and do not divide N, with and without ReLU and residual, running statistics, sums
 * added over ranks, and inputs whose mean is a thousand times their deviation.
 */
#include "check.h"
#include "device.h"
#include <math.h>
#include <string.h>

enum { PLAIN = 0, RELU = 1, RESIDUAL = 2 };
typedef struct NormCase {
    Shape s;
    int group, what, halo;
    bool dense; /* no halo, nor has the residual one */
    DType type; /* of x, dy, y, dx and the residual */
    int shift;  /* offset, in elements, from where a GPU reads 16 bytes at once */
} NormCase;

static const NormCase table[] = {
    {{4, 5, 5, 16}, 4, PLAIN, .halo = 0},
    {{4, 5, 5, 16}, 4, RELU, .halo = 1},
    {{4, 5, 5, 32}, 9, RELU | RESIDUAL, .halo = 1}, /* group > N: the whole batch */
    {{4, 5, 5, 64}, 2, RESIDUAL, .halo = 2},        /* ghost batch norm */
    {{5, 4, 3, 16}, 2, RELU, .halo = 1},            /* 2, 2 and 1 images */
    {{7, 3, 3, 5}, 3, RELU | RESIDUAL, .halo = 0},  /* 3, 3 and 1; C fills no vector */
    {{3, 2, 5, 7}, 1, RELU, .halo = 1},             /* every image by itself */
    {{1, 6, 6, 48}, 1, RELU, .halo = 1},            /* N = 1 */
    {{6, 1, 1, 3}, 6, RELU, .halo = 0},             /* one pixel: batch norm behind a dense layer */
    {{37, 2, 2, 40}, 8, RELU, .halo = 1},
    {{3, 5, 7, 20}, 3, RELU | RESIDUAL, .halo = 1}, /* 20 fill vectors of 4, but not of 8 */
    {{3, 3, 3, 160}, 2, RELU, .halo = 1},           /* strips of channels */
    {{3, 4, 3, 1}, 2, RELU, .halo = 0},             /* one channel */
    {{3, 4, 3, 24}, 2, RELU, .halo = 1},            /* 3 vectors of 8 in a pixel */
    {{2, 2, 3, 1000}, 2, RELU, .halo = 0},          /* 125 of them */
};
enum { CASES = sizeof table / sizeof *table };

/* A layer on the device and the same one in the reference. Both answers of a training step lie in
 * y. */
typedef struct Layer {
    Norm ref;
    int groups;
    size_t count;
    double *x, *residual, *dy, *y, *gamma, *beta;
    BatchNorm bn;
    Tensor tx, tres, ty, tdy, moments, sums;
} Layer;

/* The residual's halo is another than x's. */
static int other_halo(const NormCase *c) { return c->dense || c->halo ? 0 : 1; }

static Tensor put_case(Device *d, const NormCase *c, const double *values, int halo)
{
    return put_as(d, c->type, c->shift, values, c->s, halo);
}

/* A BF16 has 8 bits, an F16 11. */
static void expect_as(Device *d, Tensor t, const double *expected, double tolerance,
                      const char *what)
{
    expect_tensor(d, t, expected, t.dtype == BF16 ? 3e-3 : t.dtype == F16 ? 4e-4 : tolerance, what);
}

/* The layer of a case over the elements of a batch x; NULL: drawn. */
static Layer layer_new(Device *d, const NormCase *c, double *x)
{
    int C = c->s.c, G = (c->s.n + c->group - 1) / c->group;
    Layer l = {.groups = G, .count = shape_count(c->s)};
    l.x = x ? x : random_values(1, l.count, 2, 3);
    l.residual = random_values(2, l.count, 0, 1);
    l.dy = random_values(3, l.count, 0.3, 1);
    round_to(c->type, l.x, l.count), round_to(c->type, l.residual, l.count),
        round_to(c->type, l.dy, l.count);
    l.y = zeros(l.count);
    l.gamma = random_values(4, C, 1, 0.5);
    l.beta = random_values(5, C, 0, 1);
    l.ref = (Norm){c->s,    c->group, c->what & RELU,       1e-5f,
                   l.gamma, l.beta,   zeros((size_t)G * C), zeros((size_t)G * C)};
    double *mean = random_values(6, C, 0, 1), *one = random_values(7, C, 3, 0.1);
    l.bn = (BatchNorm){.gamma = put_vector(d, l.gamma, C),
                       .beta = put_vector(d, l.beta, C),
                       .running_mean = put_vector(d, mean, C),
                       .running_var = put_vector(d, one, C),
                       .mean = blank(d, F32, G, 1, 1, C, 0),
                       .istd = blank(d, F32, G, 1, 1, C, 0),
                       .group = c->group,
                       .relu = c->what & RELU,
                       .eps = 1e-5f,
                       .momentum = 0.1f};
    l.tx = put_case(d, c, l.x, c->halo);
    l.tres = c->what & RESIDUAL ? put_case(d, c, l.residual, other_halo(c)) : NO_TENSOR;
    l.ty = put_case(d, c, NULL, c->halo);
    l.tdy = put_case(d, c, l.dy, c->halo);
    l.moments = blank(d, F32, c->s.n, 2, 1, C, 0);
    l.sums = blank(d, F64, G, 2, 1, C, 0);
    return l;
}

static int pixels(const Layer *l) { return l->ref.x.h * l->ref.x.w; }

/* The statistics' first half: everything up to where ranks would add their sums. */
static void make_sums(Device *d, Layer *l)
{
    d->op->image_moments(d->s, l->moments, l->tx);
    d->op->bn_sums(d->s, l->sums, l->moments, pixels(l), l->ref.group);
}

static void forward(Device *d, Layer *l, bool update)
{
    d->op->image_moments(d->s, l->moments, l->tx);
    d->op->bn_statistics(d->s, &l->bn, l->sums, l->moments, pixels(l), update);
    d->op->bn_forward(d->s, l->ty, &l->bn, l->tx, l->tres);
}

static void reference_forward(Layer *l)
{
    ref_bn_statistics(&l->ref, l->x);
    ref_bn_forward(l->y, &l->ref, l->x, l->tres.buf ? l->residual : NULL);
}

/* [G,2,C]: sum x and sum x^2, from the reference's mean and variance. */
static double *reference_sums(const Layer *l)
{
    int C = l->ref.x.c;
    double *sums = zeros((size_t)l->groups * 2 * C);
    for (int g = 0; g < l->groups; g++)
        for (int c = 0; c < C; c++) {
            int images = g < l->groups - 1 ? l->ref.group : l->ref.x.n - g * l->ref.group;
            double count = (double)images * pixels(l), mean = l->ref.mean[g * C + c];
            sums[(g * 2 + 0) * C + c] = count * mean;
            sums[(g * 2 + 1) * C + c] = count * (l->ref.var[g * C + c] + mean * mean);
        }
    return sums;
}

static double *reference_istd(const Layer *l)
{
    double *istd = zeros((size_t)l->groups * l->ref.x.c);
    for (int i = 0; i < l->groups * l->ref.x.c; i++)
        istd[i] = 1 / sqrt(l->ref.var[i] + l->ref.eps);
    return istd;
}

static void forward_case(Device *d, const NormCase *c)
{
    Layer l = layer_new(d, c, NULL);
    forward(d, &l, false);
    reference_forward(&l);
    double *moments = zeros((size_t)c->s.n * 2 * c->s.c), *sums = reference_sums(&l),
           *istd = reference_istd(&l);
    ref_image_moments(moments, l.x, c->s);
    expect_tensor(d, l.moments, moments, d->tolerance, "moments");
    expect_tensor(d, l.sums, sums, d->tolerance, "sums");
    expect_tensor(d, l.bn.mean, l.ref.mean, d->tolerance, "mean");
    expect_tensor(d, l.bn.istd, istd, d->tolerance, "istd");
    expect_as(d, l.ty, l.y, d->tolerance, "y");
    expect_as(d, l.tx, l.x, 0, "x, only read");
}

/* Gradients, all of them, with what is there overwritten (add false) or added to. */
static void backward_case(Device *d, const NormCase *c)
{
    bool large = c->s.n * c->s.h * c->s.w > 10000;
    for (int add = large; add < 2; add++) {
        Layer l = layer_new(d, c, NULL);
        int C = c->s.c;
        double *dx = zeros(l.count), *dres = zeros(l.count), *old = random_values(8, l.count, 0, 1);
        double *dgamma = random_values(9, C, 0, 1), *dbeta = random_values(10, C, 0, 1);
        round_to(c->type, old, l.count);
        Tensor tdx = put_case(d, c, add ? old : NULL, c->halo),
               tdres = put_case(d, c, add ? old : NULL, other_halo(c));
        Tensor tdgamma = put_vector(d, dgamma, C), tdbeta = put_vector(d, dbeta, C);
        forward(d, &l, true);
        d->op->bn_backward_sums(d->s, l.sums, &l.bn, tdgamma, tdbeta, l.tdy, l.ty, l.tx);
        d->op->bn_backward(d->s, tdx, l.tres.buf ? tdres : NO_TENSOR, &l.bn, l.sums, l.tdy, l.ty,
                           l.tx, 1, add, add);
        reference_forward(&l);
        ref_bn_backward(dx, dres, dgamma, dbeta, &l.ref, l.dy, l.y, l.x);
        for (size_t i = 0; i < l.count && add; i++)
            dx[i] += old[i], dres[i] += old[i];
        /* a difference of three terms of like size */
        expect_as(d, tdx, dx, 2 * d->tolerance, "dx");
        if (l.tres.buf)
            expect_as(d, tdres, dres, d->tolerance, "dresidual");
        expect_tensor(d, tdgamma, dgamma, d->tolerance, "dgamma");
        expect_tensor(d, tdbeta, dbeta, d->tolerance, "dbeta");
    }
}

/* Each case as it is, and without a halo, which a GPU reads by 16 bytes where type and alignment
 * allow it. */
static void each_case(Device *d, void (*run)(Device *, const NormCase *))
{
    static const struct {
        DType type;
        int shift;
    } ways[] = {{F32, 0}, {F32, 1}, {BF16, 0}, {BF16, 4}, {F16, 0}, {F16, 4}};
    static const char *const names[] = {[F32] = "F32", [BF16] = "BF16", [F16] = "F16"};
    for (int i = 0; i < CASES; i++) {
        int before = endings();
        printf("    batch norm case %d\n", i);
        run(d, &table[i]);
        for (int w = 0; w < 6 && takes(d, ways[w].type); w++) {
            NormCase c = table[i];
            c.halo = 0, c.dense = true, c.type = ways[w].type, c.shift = ways[w].shift;
            printf("    the same, %s, %d elements behind\n", names[c.type], c.shift);
            run(d, &c);
        }
        end_since(before);
    }
}

/* So large that every thread of a GPU takes more pixels than it reads at once, and not all as
 * many. */
DEVICE_TEST(large)
{
    NormCase c = {{5, 331, 331, 8}, 5, RELU, .dense = true};
    if (!strcmp(d->op->name, "cpu"))
        c.s.w = 31;
    int before = endings();
    forward_case(d, &c);
    end_since(before);
    backward_case(d, &c);
}

DEVICE_TEST(forward, .seeds = 1) { each_case(d, forward_case); }
DEVICE_TEST(backward, .seeds = 3) { each_case(d, backward_case); }

/* running = 0.9 running + 0.1 new, var the unbiased one, groups averaged; untouched unless asked;
 * then evaluation with them. */
static void running_case(Device *d, const NormCase *c)
{
    if (c->s.h * c->s.w == 1 && c->group == 1)
        return; /* one element has no unbiased variance */
    Layer l = layer_new(d, c, NULL);
    int C = c->s.c;
    double *mean = get(d, l.bn.running_mean), *var = get(d, l.bn.running_var);
    forward(d, &l, false);
    expect_tensor(d, l.bn.running_mean, mean, 0, "running mean, not updated");
    expect_tensor(d, l.bn.running_var, var, 0, "running var, not updated");
    reference_forward(&l);
    for (int step = 0; step < 2; step++) {
        forward(d, &l, true);
        ref_bn_running(mean, var, &l.ref, 0.1);
        expect_tensor(d, l.bn.running_mean, mean, d->tolerance, "running mean");
        expect_tensor(d, l.bn.running_var, var, d->tolerance, "running var");
    }
    l.bn.group = l.ref.group = c->s.n; /* evaluation knows no groups */
    d->op->bn_running(d->s, &l.bn);
    d->op->bn_forward(d->s, l.ty, &l.bn, l.tx, l.tres);
    for (int i = 0; i < C; i++)
        l.ref.mean[i] = mean[i], l.ref.var[i] = var[i];
    ref_bn_forward(l.y, &l.ref, l.x, l.tres.buf ? l.residual : NULL);
    expect_as(d, l.ty, l.y, d->tolerance, "y by running statistics");
}

DEVICE_TEST(running) { each_case(d, running_case); }

/* The part of a batch that rank r of 2 holds: images [r N, (r+1) N). */
static Layer rank_layer(Device *d, const NormCase *half, const Layer *whole, int r)
{
    size_t count = shape_count(half->s);
    double *x = zeros(count);
    for (size_t i = 0; i < count; i++)
        x[i] = whole->x[r * count + i];
    Layer l = layer_new(d, half, x);
    l.dy = zeros(count);
    for (size_t i = 0; i < count; i++)
        l.dy[i] = whole->dy[r * count + i];
    l.tdy = put(d, l.dy, half->s, half->halo);
    return l;
}

/* As an all-reduce between two ranks. */
static void add_sums(Device *d, Tensor a, Tensor b)
{
    double *x = get(d, a), *y = get(d, b), *sum = sum_of(x, y, tensor_count(a));
    d->op->upload(d->s, a, sum);
    d->op->upload(d->s, b, sum);
    d->op->stream_sync(d->s);
}

/* Two ranks that add their sums do what one rank with both halves does: y, dx and the running
 * statistics; dgamma and dbeta are halves. */
DEVICE_TEST(ranks_add_sums)
{
    static const NormCase both = {{6, 4, 5, 20}, 6, RELU, .halo = 1},
                          half = {{3, 4, 5, 20}, 3, RELU, .halo = 1};
    Layer whole = layer_new(d, &both, NULL);
    Layer rank[2] = {rank_layer(d, &half, &whole, 0), rank_layer(d, &half, &whole, 1)};
    Tensor dx[2], dgamma = blank(d, F32, 20, 1, 1, 1, 0), dbeta = blank(d, F32, 20, 1, 1, 1, 0);
    size_t count = rank[0].count;
    for (int r = 0; r < 2; r++)
        make_sums(d, &rank[r]);
    add_sums(d, rank[0].sums, rank[1].sums);
    for (int r = 0; r < 2; r++) {
        d->op->bn_finish(d->s, &rank[r].bn, rank[r].sums, 3, 20, 2, true);
        d->op->bn_forward(d->s, rank[r].ty, &rank[r].bn, rank[r].tx, NO_TENSOR);
        d->op->bn_backward_sums(d->s, rank[r].sums, &rank[r].bn, dgamma, dbeta, rank[r].tdy,
                                rank[r].ty, rank[r].tx);
    }
    add_sums(d, rank[0].sums, rank[1].sums);
    for (int r = 0; r < 2; r++) {
        dx[r] = put(d, NULL, half.s, 1);
        d->op->bn_backward(d->s, dx[r], NO_TENSOR, &rank[r].bn, rank[r].sums, rank[r].tdy,
                           rank[r].ty, rank[r].tx, 2, false, false);
    }
    reference_forward(&whole);
    double *all_dx = zeros(2 * count), *all_dres = zeros(2 * count), *all_dgamma = zeros(20),
           *all_dbeta = zeros(20);
    ref_bn_backward(all_dx, all_dres, all_dgamma, all_dbeta, &whole.ref, whole.dy, whole.y,
                    whole.x);
    double *mean = get(d, whole.bn.running_mean), *var = get(d, whole.bn.running_var);
    ref_bn_running(mean, var, &whole.ref, 0.1);
    for (int r = 0; r < 2; r++) {
        expect_tensor(d, rank[r].ty, whole.y + r * count, d->tolerance, "y");
        expect_tensor(d, dx[r], all_dx + r * count, 2 * d->tolerance, "dx");
        expect_tensor(d, rank[r].bn.running_mean, mean, d->tolerance, "running mean");
        expect_tensor(d, rank[r].bn.running_var, var, d->tolerance, "running var");
    }
    expect_tensor(d, dgamma, all_dgamma, d->tolerance, "dgamma: both ranks' added");
    expect_tensor(d, dbeta, all_dbeta, d->tolerance, "dbeta");
}

/* Mean 1000, deviation 1. float32 holds such an x to 3e-5, and the mean to as much, so y is good to
 * some 1e-4; the naive float32 E[x^2] - E[x]^2 would be wrong by 0.1 and more. */
DEVICE_TEST(large_mean)
{
    static const NormCase c = {{8, 28, 28, 16}, 8, PLAIN, .halo = 1};
    Layer l = layer_new(d, &c, random_values(20, shape_count(c.s), 1000, 1));
    forward(d, &l, true);
    reference_forward(&l);
    double *istd = reference_istd(&l);
    expect_tensor(d, l.bn.istd, istd, 1e-5, "istd");
    expect_tensor(d, l.bn.mean, l.ref.mean, 1e-6, "mean");
    expect_tensor(d, l.ty, l.y, 3e-4, "y");
}

/* A channel that is constant (a dead filter) has variance 0: y = beta, finite gradients. */
DEVICE_TEST(constant_channel)
{
    static const NormCase c = {{4, 3, 3, 16}, 4, PLAIN, .halo = 0};
    double *x = zeros(shape_count(c.s));
    for (size_t i = 0; i < shape_count(c.s); i++)
        x[i] = 0.1f * (i % 16);
    Layer l = layer_new(d, &c, x);
    Tensor dx = put(d, NULL, c.s, 0);
    Tensor dgamma = blank(d, F32, 16, 1, 1, 1, 0), dbeta = blank(d, F32, 16, 1, 1, 1, 0);
    forward(d, &l, true);
    d->op->bn_backward_sums(d->s, l.sums, &l.bn, dgamma, dbeta, l.tdy, l.ty, l.tx);
    d->op->bn_backward(d->s, dx, NO_TENSOR, &l.bn, l.sums, l.tdy, l.ty, l.tx, 1, false, false);
    double *y = get(d, l.ty), *g = get(d, dx);
    for (size_t i = 0; i < l.count; i++) {
        /* rounding of x - mean, times istd = 316 */
        expect_close(y[i], l.beta[i % 16], 1e-3, 0, "y = beta");
        assert_true(isfinite(g[i]));
    }
}

/* One NaN in the input must show: in the statistics, and so in the loss. */
DEVICE_TEST(nan_shows)
{
    static const NormCase c = {{2, 3, 3, 16}, 2, RELU, .halo = 0};
    double *x = random_values(1, shape_count(c.s), 0, 1);
    x[5] = NAN;
    Layer l = layer_new(d, &c, x);
    forward(d, &l, false);
    double *y = get(d, l.ty);
    /* all of channel 5, and only that */
    assert_true(isnan(y[5]) && isnan(y[16 + 5]) && !isnan(y[6]));
}

/* Where y is what bn_forward made of x, its signs may be computed again: the same bits, also for a
 * y that is so small that a BF16 or F16 rounds it to 0. */
static void mask_case(Device *d, const NormCase *c)
{
    int C = c->s.c;
    Layer l = layer_new(d, c, NULL);
    Tensor dx[2], dgamma[2], dbeta[2];
    double *gamma = get(d, l.bn.gamma), *beta = get(d, l.bn.beta);
    gamma[0] = c->type == F16 ? 3e-8 : 5e-41, beta[0] = 0;
    Tensor tiny = put_vector(d, gamma, C), none = put_vector(d, beta, C);
    l.bn.gamma = tiny, l.bn.beta = none;
    forward(d, &l, false);
    for (int i = 0; i < 2; i++) {
        dx[i] = put_case(d, c, NULL, c->halo);
        dgamma[i] = blank(d, F32, C, 1, 1, 1, 0);
        dbeta[i] = blank(d, F32, C, 1, 1, 1, 0);
        l.bn.y_of_x = i;
        d->op->bn_backward_sums(d->s, l.sums, &l.bn, dgamma[i], dbeta[i], l.tdy, l.ty, l.tx);
        d->op->bn_backward(d->s, dx[i], NO_TENSOR, &l.bn, l.sums, l.tdy, l.ty, l.tx, 1, false,
                           false);
    }
    expect_same_bits(d, dgamma[0], dgamma[1], "dgamma");
    expect_same_bits(d, dbeta[0], dbeta[1], "dbeta");
    expect_same_bits(d, dx[0], dx[1], "dx");
}
DEVICE_TEST(mask_of_x)
{
    static const DType types[] = {F32, BF16, F16};
    for (int i = 0; i < CASES; i++)
        for (int type = 0; type < 3 && takes(d, types[type]); type++) {
            NormCase c = table[i];
            c.what = RELU, c.halo = 0, c.dense = true, c.type = types[type];
            mask_case(d, &c);
        }
}
