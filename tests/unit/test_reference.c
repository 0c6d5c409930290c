/* test_reference.c: is the float64 reference right? Values worked out by hand, and the loss's
 * gradients against central finite differences. (The layers' gradients, in whole networks:
 * test_model_gradient.c.)
 */
#include "check.h"
#include "harness.h"
#include "reference.h"
#include <math.h>

typedef double (*Loss)(void *context);

/* gradient[i] = dL/dvalue[i], for every i? In float64 with h = 1e-5 the difference quotient is good
 * to about h^2 (truncation) + 1e-16 / h (rounding), far below the tolerance of 1e-7. */
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

/* A 3x3 image 1 … 9 with a filter of ones sums each pixel's neighbourhood; a filter that is 1
 * only in its first element shifts down and right. */
TEST(conv_by_hand)
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

/* The normalised elements have mean 0 and variance 1 in every group, and moments and statistics
 * agree. */
TEST(batchnorm_by_hand)
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

/* A flattened image lists channel 0's rows first; equal values in a pool: the first takes the
 * gradient. */
TEST(layers_by_hand)
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

TEST(cross_entropy)
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
}

/* ---- SGD: two steps by hand, rate 0.1, momentum 0.5, decay 0.01 ---- */
TEST(sgd)
{
    double w = 1, v = 0, g = 2;
    ref_sgd(&w, &v, &g, 0.1, 0.5, 0.01, false, 1); /* v = 2.01, w = 0.799 */
    expect_close(w, 0.799, 1e-12, 0, "w after one step");
    ref_sgd(&w, &v, &g, 0.1, 0.5, 0.01, true, 1); /* d = 2.00799, v = 3.01299, w -= 0.1 (d + 0.5
                                                   * v) */
    expect_close(v, 3.01299, 1e-12, 0, "v after two steps");
    expect_close(w, 0.799 - 0.1 * (2.00799 + 1.506495), 1e-12, 0, "w after a Nesterov step");
}

TEST(gather)
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
