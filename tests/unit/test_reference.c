/* test_reference.c: is the float64 reference right? Its gradients against central finite
 * differences of its own forward passes, and its forward passes against a few values worked out by
 * hand. The loss is L = sum r * y with random r, so dL/dy = r.
 *
 * In float64 with h = 1e-5 the difference quotient is good to about h^2 (truncation) + 1e-16 / h
 * (rounding), far below the tolerance of 1e-7.
 */
#include "check.h"
#include "harness.h"
#include "reference.h"
#include <math.h>

typedef double (*Loss)(void *context);

static double weighted_sum(const double *r, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += r[i] * y[i];
    return sum;
}

/* gradient[i] = dL/dvalue[i], for every i? */
static void check_gradient(Loss loss, void *context, double *value, const double *gradient,
                           size_t n, const char *what)
{
    const double h = 1e-5;
    for (size_t i = 0; i < n; i++) {
        double kept = value[i];
        value[i] = kept + h;
        double above = loss(context);
        value[i] = kept - h;
        double below = loss(context);
        value[i] = kept;
        expect_close(gradient[i], (above - below) / (2 * h), 1e-7, 1e-7, what);
    }
}

/* ---- convolution ---- */
typedef struct ConvProblem {
    ConvShape shape;
    double *x, *w, *residual, *y, *r;
} ConvProblem;

static double conv_loss(void *context)
{
    ConvProblem *p = context;
    ref_conv_forward(p->y, p->x, p->w, p->residual, &p->shape);
    return weighted_sum(p->r, p->y, shape_count(p->shape.y));
}

static void conv(void **state)
{
    /* h w K R stride */
    static const int cases[][5] = {
        {5, 4, 3, 3, 1}, {5, 6, 3, 3, 2}, {4, 5, 2, 1, 1}, {5, 3, 2, 1, 2}, {1, 1, 2, 3, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int *c = cases[i];
        ConvShape s = conv_shape((Shape){2, c[0], c[1], 3}, c[2], c[3], c[4]);
        size_t nx = shape_count(s.x), ny = shape_count(s.y), nw = conv_weights(&s);
        ConvProblem p = {s,
                         random_values(1, nx, 0, 1),
                         random_values(2, nw, 0, 1),
                         random_values(3, ny, 0, 1),
                         zeros(ny),
                         random_values(4, ny, 0, 1)};
        double *dx = zeros(nx), *dw = zeros(nw);
        ref_conv_backward_data(dx, p.r, p.w, &s);
        ref_conv_backward_weight(dw, p.x, p.r, &s);
        check_gradient(conv_loss, &p, p.x, dx, nx, "dx");
        check_gradient(conv_loss, &p, p.w, dw, nw, "dw");
        check_gradient(conv_loss, &p, p.residual, p.r, ny, "dresidual");
        free(p.x), free(p.w), free(p.residual), free(p.y), free(p.r), free(dx), free(dw);
    }
}

/* A 3x3 image 1 … 9 with a filter of ones sums each pixel's neighbourhood; a filter that is 1
 * only in its first element shifts down and right. */
static void conv_by_hand(void **state)
{
    double x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1},
           corner[9] = {1}, y[9];
    const double sums[9] = {12, 21, 16, 27, 45, 33, 24, 39, 28},
                 shifted[9] = {0, 0, 0, 0, 1, 2, 0, 4, 5};
    ConvShape s = conv_shape((Shape){1, 3, 3, 1}, 1, 3, 1);
    ref_conv_forward(y, x, ones, NULL, &s);
    assert_memory_equal(y, sums, sizeof sums);
    ref_conv_forward(y, x, corner, NULL, &s);
    assert_memory_equal(y, shifted, sizeof shifted);
    s = conv_shape((Shape){1, 3, 3, 1}, 1, 3, 2); /* every other pixel */
    assert_int_equal(shape_count(s.y), 4);
    ref_conv_forward(y, x, ones, NULL, &s);
    const double strided[4] = {12, 16, 24, 28};
    assert_memory_equal(y, strided, sizeof strided);
}

/* ---- dense ---- */
typedef struct DenseProblem {
    int N, D, K;
    double *x, *w, *bias, *y, *r;
} DenseProblem;

static double dense_loss(void *context)
{
    DenseProblem *p = context;
    ref_dense_forward(p->y, p->x, p->w, p->bias, p->N, p->D, p->K);
    return weighted_sum(p->r, p->y, (size_t)p->N * p->K);
}

static void dense(void **state)
{
    enum { N = 3, D = 5, K = 4 };
    DenseProblem p = {N,
                      D,
                      K,
                      .x = random_values(1, N * D, 0, 1),
                      .w = random_values(2, K * D, 0, 1),
                      .bias = random_values(3, K, 0, 1),
                      .y = zeros(N * K),
                      .r = random_values(4, N * K, 0, 1)};
    double *dx = zeros(N * D), *dw = zeros(K * D), *dbias = zeros(K);
    ref_dense_backward_data(dx, p.r, p.w, N, D, K);
    ref_dense_backward_weight(dw, dbias, p.x, p.r, N, D, K);
    check_gradient(dense_loss, &p, p.x, dx, N * D, "dx");
    check_gradient(dense_loss, &p, p.w, dw, K * D, "dw");
    check_gradient(dense_loss, &p, p.bias, dbias, K, "dbias");
    free(p.x), free(p.w), free(p.bias), free(p.y), free(p.r), free(dx), free(dw), free(dbias);
}

/* ---- batch norm ---- */
typedef struct NormProblem {
    Norm n;
    double *x, *residual, *y, *r, *gamma, *beta;
} NormProblem;

static double norm_loss(void *context)
{
    NormProblem *p = context;
    ref_bn_statistics(&p->n, p->x);
    ref_bn_forward(p->y, &p->n, p->x, p->residual);
    return weighted_sum(p->r, p->y, shape_count(p->n.x));
}

static void norm_case(Shape s, int group, bool relu)
{
    size_t count = shape_count(s);
    NormProblem p = {.x = random_values(1, count, 2, 3),
                     .residual = random_values(2, count, 0, 1),
                     .y = zeros(count),
                     .r = random_values(3, count, 0, 1),
                     .gamma = random_values(4, s.c, 1, 0.5),
                     .beta = random_values(5, s.c, 0, 1)};
    p.n = (Norm){s, group, relu, 1e-5, p.gamma, p.beta, NULL, NULL};
    p.n.mean = zeros((size_t)norm_groups(&p.n) * s.c);
    p.n.var = zeros((size_t)norm_groups(&p.n) * s.c);
    double *dx = zeros(count), *dresidual = zeros(count), *dgamma = zeros(s.c), *dbeta = zeros(s.c);
    norm_loss(&p);
    ref_bn_backward(dx, dresidual, dgamma, dbeta, &p.n, p.r, p.y, p.x);
    check_gradient(norm_loss, &p, p.x, dx, count, "dx");
    check_gradient(norm_loss, &p, p.residual, dresidual, count, "dresidual");
    check_gradient(norm_loss, &p, p.gamma, dgamma, s.c, "dgamma");
    check_gradient(norm_loss, &p, p.beta, dbeta, s.c, "dbeta");
    free(p.x), free(p.residual), free(p.y), free(p.r), free(p.gamma), free(p.beta), free(p.n.mean),
        free(p.n.var);
    free(dx), free(dresidual), free(dgamma), free(dbeta);
}

static void batchnorm(void **state)
{
    /* one image; pairs and one left over; 3 and 2; 4 and 1; all */
    for (int group = 1; group <= 5; group++) {
        norm_case((Shape){5, 2, 3, 2}, group, false);
        norm_case((Shape){5, 2, 3, 2}, group, true);
    }
}

/* The normalised elements have mean 0 and variance 1 in every group, and moments and statistics
 * agree. */
static void batchnorm_by_hand(void **state)
{
    double x[4] = {1, 3, 5, 11}, y[4], mean[2], var[2], moments[8], gamma[1] = {2}, beta[1] = {10},
           rm[1] = {1}, rv[1] = {1};
    Norm n = {{4, 1, 1, 1}, 2, false, 0, gamma, beta, mean, var};
    ref_bn_statistics(&n, x);
    ref_bn_forward(y, &n, x, NULL);
    const double expected[4] = {8, 12, 8, 12};
    for (int i = 0; i < 4; i++)
        expect_close(y[i], expected[i], 1e-12, 0, "y");
    expect_close(mean[1], 8, 1e-12, 0, "mean");
    expect_close(var[1], 9, 1e-12, 0, "var");
    ref_bn_running(rm, rv, &n, 0.1);
    expect_close(rm[0], 0.9 + 0.1 * 5, 1e-12, 0, "running mean: of 2 and 8");
    expect_close(rv[0], 0.9 + 0.1 * 10, 1e-12, 0, "running var: of 2 and 18");
    ref_image_moments(moments, x, (Shape){1, 2, 2, 1});
    expect_close(moments[0], 5, 1e-12, 0, "mean of an image");
    expect_close(moments[1], 16 + 4 + 0 + 36, 1e-12, 0, "its squared deviations");
}

/* ---- the other layers: forward and backward through function pointers of one kind ---- */
typedef struct LayerProblem {
    int kind;
    Shape s;
    size_t ny;
    int *which;
    double *x, *y, *r, *bias;
} LayerProblem;
enum { RELU, MAXPOOL, MAXPOOL_3, AVGPOOL, FLATTEN, GELU, SILU, KINDS };

static double layer_loss(void *context)
{
    LayerProblem *p = context;
    switch (p->kind) {
    case RELU: ref_relu_forward(p->y, p->x, p->ny); break;
    case MAXPOOL: ref_maxpool_forward(p->y, p->which, p->x, p->s, 2); break;
    case MAXPOOL_3: ref_maxpool_forward(p->y, p->which, p->x, p->s, 3); break;
    case GELU:
    case SILU: ref_act_forward(p->y, p->x, p->bias, p->s, p->kind - GELU); break;
    case AVGPOOL: ref_avgpool_forward(p->y, p->x, p->s); break;
    case FLATTEN: ref_flatten_forward(p->y, p->x, p->s); break;
    }
    return weighted_sum(p->r, p->y, p->ny);
}

static void layers(void **state)
{
    const Shape s = {2, 5, 4, 3};
    size_t same = shape_count(s);
    size_t outputs[] = {same,
                        shape_count(pool_shape(s, 2)),
                        shape_count(pool_shape(s, 3)),
                        (size_t)s.n * s.c,
                        same,
                        same,
                        same};
    for (int kind = RELU; kind < KINDS; kind++) {
        size_t nx = shape_count(s), ny = outputs[kind];
        LayerProblem p = {kind,
                          s,
                          ny,
                          .which = alloc(ny, sizeof(int)),
                          .x = random_values(1, nx, 0, 1),
                          .y = zeros(ny),
                          .r = random_values(2, ny, 0, 1),
                          .bias = random_values(3, s.c, 0, 1)};
        double *dx = zeros(nx), *dbias = zeros(s.c);
        layer_loss(&p);
        switch (kind) {
        case RELU: ref_relu_backward(dx, p.r, p.y, ny); break;
        case MAXPOOL: ref_maxpool_backward(dx, p.r, p.which, s, 2); break;
        case MAXPOOL_3: ref_maxpool_backward(dx, p.r, p.which, s, 3); break;
        case GELU:
        case SILU: ref_act_backward(dx, dbias, p.r, p.x, p.bias, s, kind - GELU); break;
        case AVGPOOL: ref_avgpool_backward(dx, p.r, s); break;
        case FLATTEN: ref_flatten_backward(dx, p.r, s); break;
        }
        check_gradient(layer_loss, &p, p.x, dx, nx, "dx");
        if (kind >= GELU)
            check_gradient(layer_loss, &p, p.bias, dbias, s.c, "dbias");
        free(p.which), free(p.x), free(p.y), free(p.r), free(p.bias), free(dx), free(dbias);
    }
}

/* A flattened image lists channel 0's rows first; equal values in a pool: the first takes the
 * gradient. */
static void layers_by_hand(void **state)
{
    const double x[8] = {1, 10, 2, 20, 3, 30, 4, 40}, flat[8] = {1, 2, 3, 4, 10, 20, 30, 40},
                 equal[4] = {5, 7, 7, 7};
    double y[8];
    int which[2];
    ref_flatten_forward(y, x, (Shape){1, 2, 2, 2});
    assert_memory_equal(y, flat, sizeof flat);
    ref_maxpool_forward(y, which, x, (Shape){1, 2, 2, 2}, 2);
    assert_true(y[0] == 4 && y[1] == 40 && which[0] == 3);
    ref_maxpool_forward(y, which, equal, (Shape){1, 2, 2, 1}, 2);
    assert_true(y[0] == 7 && which[0] == 1);
}

/* ---- loss ---- */
typedef struct LossProblem {
    int N, K;
    double smoothing;
    const int *label;
    double *logits, *weight, *losses, *scrap;
} LossProblem;

static double entropy_loss(void *context)
{
    LossProblem *p = context;
    double totals[2] = {0, 0};
    ref_cross_entropy(p->scrap, p->losses, totals, p->logits, p->label, p->weight, 1, p->smoothing,
                      p->N, p->K);
    return totals[0];
}

static void cross_entropy(void **state)
{
    enum { N = 4, K = 5 };
    const int label[N] = {0, 4, 2, 2};
    LossProblem p = {.N = N,
                     .K = K,
                     .label = label,
                     .logits = random_values(1, N * K, 0, 3),
                     .weight = random_values(2, N, 0, 1),
                     .losses = zeros(N),
                     .scrap = zeros(N * K)};
    double *dlogits = zeros(N * K), totals[2] = {0, 0};
    for (int k = 0; k < 3; k++) {
        p.smoothing = 0.5 * k;
        ref_cross_entropy(dlogits, p.losses, totals, p.logits, label, p.weight, 1, p.smoothing, N,
                          K);
        check_gradient(entropy_loss, &p, p.logits, dlogits, N * K, "dlogits");
        check_gradient(entropy_loss, &p, p.weight, p.losses, N, "d/dweight is the loss");
    }
    double even[2] = {0, 0}, one[2] = {1e4, -1e4}, loss, d[2], sum[2] = {0, 0};
    ref_cross_entropy(d, &loss, sum, even, &label[0], NULL, 0.5, 0, 1, 2);
    expect_close(loss, log(2), 1e-12, 0, "two equal logits");
    expect_close(d[0], -0.25, 1e-12, 0, "scale (p - 1)");
    ref_cross_entropy(d, &loss, sum, one, &label[0], NULL, 1, 0, 1, 2);
    assert_true(loss == 0 && sum[1] == 2);
    free(p.logits), free(p.weight), free(p.losses), free(p.scrap), free(dlogits);
}

/* ---- SGD: two steps by hand, rate 0.1, momentum 0.5, decay 0.01 ---- */
static void sgd(void **state)
{
    double w = 1, v = 0, g = 2;
    ref_sgd(&w, &v, &g, 0.1, 0.5, 0.01, false, 1); /* v = 2.01, w = 0.799 */
    expect_close(w, 0.799, 1e-12, 0, "w after one step");
    ref_sgd(&w, &v, &g, 0.1, 0.5, 0.01, true, 1); /* d = 2.00799, v = 3.01299, w -= 0.1 (d + 0.5
                                                   * v) */
    expect_close(v, 3.01299, 1e-12, 0, "v after two steps");
    expect_close(w, 0.799 - 0.1 * (2.00799 + 1.506495), 1e-12, 0, "w after a Nesterov step");
}

static void gather(void **state)
{
    /* two 2x3 images; we take the second */
    const uint8_t images[2 * 2 * 3] = {0, 0, 0, 0, 0, 0, 51, 102, 153, 204, 255, 0};
    const double mean[1] = {0.2}, istd[1] = {10};
    const struct {
        Pick pick;
        double x[6];
    } cases[] = {
        {{1, 0, 0, 0, 0, 0, 0, 0}, {0, 2, 4, 6, 8, -2}},  /* as it is */
        {{1, 0, 0, 1, 0, 0, 0, 0}, {4, 2, 0, -2, 8, 6}},  /* mirrored */
        {{1, 1, -1, 0, 0, 0, 0, 0}, {0, 6, 8, 0, 0, 0}},  /* from one row below and one column to
                                                        * the left */
        {{1, 0, 1, 1, 0, 0, 0, 0}, {2, 0, 0, 8, 6, 0}},   /* mirrored, then from one column to the
                                                        * right */
        {{1, 0, 0, 0, -1, 1, 2, 0}, {0, 0, 0, 6, 8, -2}}, /* cut: a square of 2 with its upper row
                                                        * outside */
        /* from one row above and one column to the right, both reflected */
        {{1, -1, 1, 0, 0, 0, 0, 1}, {8, -2, 8, 2, 4, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x[6];
        ref_gather(x, images, &cases[i].pick, mean, istd, (Shape){1, 2, 3, 1});
        for (int j = 0; j < 6; j++)
            expect_close(x[j], cases[i].x[j], 1e-12, 0, "pixel");
    }
}

static const Case cases[] = {
    {"conv", .run = conv},
    {"conv_by_hand", .run = conv_by_hand},
    {"dense", .run = dense},
    {"batchnorm", .run = batchnorm},
    {"batchnorm_by_hand", .run = batchnorm_by_hand},
    {"layers", .run = layers},
    {"layers_by_hand", .run = layers_by_hand},
    {"cross_entropy", .run = cross_entropy},
    {"sgd", .run = sgd},
    {"gather", .run = gather},
};
int main(int argc, char **argv)
{
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
