/* test_first_weights.c: the covariance of patches against its definition; what whitened filters
 * make of images; Dirac filters; the head. */
#include "check.h"
#include "first_weights.h"
#include "net.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { COUNT = 40, H = 27, W = 26 };
static const float mean[3] = {0.4f, 0.5f, 0.6f}, istd[3] = {4, 3, 5};

/* Smooth images: neighbouring pixels, and channels, are alike. */
static Images images_new(int C)
{
    Images all = images_blank(COUNT, H, W, C);
    Rng r = rng_at(1, RNG_TEST, 0, 0);
    for (int n = 0; n < COUNT; n++) {
        double a = rng_uniform(&r), b = rng_uniform(&r), c = rng_uniform(&r);
        for (int i = 0; i < H * W * C; i++) {
            double v = sin(7 * a + 0.3 * (i / C % W) * b + 0.2 * (i / C / W) + 0.4 * (i % C) * c);
            all.pixels[(size_t)n * H * W * (size_t)C + (size_t)i] = (uint8_t)(128 + 80 * v +
                                                                              15 * rng_normal(&r));
        }
    }
    return all;
}

static double pixel(const Images *all, int n, int y, int x, int c)
{
    size_t at = (((size_t)n * H + (size_t)y) * W + (size_t)x) * (size_t)all->c + (size_t)c;
    return (all->pixels[at] / 255.0 - mean[c]) * istd[c];
}

/* Element i of a patch: c, r, s. */
static double element(const Images *all, int n, int y, int x, int i, int R)
{
    return pixel(all, n, y + i / R % R, x + i % R, i / R / R);
}

static void covariance_case(int C, int R)
{
    Images all = images_new(C);
    int D = C * R * R, used = COUNT - 3;
    double *cov = zeros((size_t)D * D);
    patch_covariance(cov, &all, used, R, mean, istd);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            double sum = 0, count = 0;
            for (int n = 0; n < used; n++)
                for (int y = 0; y + R <= H; y++)
                    for (int x = 0; x + R <= W; x++, count++)
                        sum += element(&all, n, y, x, i, R) * element(&all, n, y, x, j, R);
            expect_close(cov[i * D + j], sum / count, 1e-5, 1e-5, "covariance");
        }
}

BACKEND_TEST(covariance)
{
    covariance_case(1, 2);
    covariance_case(3, 2);
    covariance_case(2, 1);
}

/* The filters' outputs over all images: their covariance is 1 for the first half; the second half
 * has the other sign. */
DEVICE_TEST(whitening)
{
    Images all = images_new(3);
    enum { D = 12 };
    Net n = net_new(d->be, &(ModelSpec){.name = "airbench-4", .h = H, .w = W, .c = 3, .classes = 5},
                    COUNT, COUNT, 1);
    start_whiten(n.m, &all, COUNT, mean, istd, 1e-9);
    float *w = fetch(&n, model_view(n.m->params, model_find(n.m, "whiten.weight")));
    for (int i = 0; i < D * D; i++)
        assert_true(w[D * D + i] == -w[i]);
    double out[D][D] = {{0}}, count = 0;
    for (int k = 0; k < COUNT; k++)
        for (int y = 0; y + 2 <= H; y++)
            for (int x = 0; x + 2 <= W; x++, count++) {
                double z[D] = {0};
                for (int i = 0; i < D; i++)
                    for (int j = 0; j < D; j++)
                        z[i] += w[i * D + j] * element(&all, k, y, x, j, 2);
                for (int i = 0; i < D * D; i++)
                    out[i / D][i % D] += z[i / D] * z[i % D];
            }
    for (int i = 0; i < D * D; i++)
        expect_close(out[i / D][i % D] / count, i / D == i % D, 2e-3, 0, "whitened covariance");
}

static void whiten_another(void *context)
{
    start_whiten(context, &(Images){.c = 1}, 1, mean, istd, 0);
}

DEVICE_TEST(refuses_other_networks)
{
    Net n = net_new(d->be, &(ModelSpec){.name = "cnn", .h = 8, .w = 8, .c = 1, .classes = 3}, 1, 1,
                    1);
    expect_death(2, whiten_another, n.m, "model cnn", "airbench-W", NULL);
}

/* A Dirac convolution of the same number of channels gives its input back. */
DEVICE_TEST(dirac_and_head)
{
    Net n = net_new(d->be,
                    &(ModelSpec){.name = "airbench-16", .h = 28, .w = 28, .c = 1, .classes = 9}, 3,
                    3, 1);
    float *before = fetch(&n, n.m->params);
    start_dirac(n.m);
    start_unit_head(n.m);
    float *after = fetch(&n, n.m->params);
    const View *head = model_find(n.m, "head.weight"),
               *wide = model_find(n.m, "layer2.conv1.weight"),
               *whiten = model_find(n.m, "whiten.weight");
    for (int i = 0; i < whiten->count; i++)
        assert_true(after[whiten->at + i] == before[whiten->at + i]);
    for (int i = 0; i < wide->count; i++) { /* [64,16,3,3] */
        int k = i / 144, c = i / 9 % 16, tap = i % 9;
        float own = after[wide->at + i];
        assert_true(own == (k >= 16 ? before[wide->at + i] : k == c && tap == 4));
    }
    double sum = 0, squares = 0;
    for (int i = 0; i < head->count; i++) {
        sum += after[head->at + i] / head->count;
        squares += pow(after[head->at + i], 2) / head->count;
    }
    expect_close(squares - sum * sum, 1, 1e-5, 0, "the head's variance");
    model_forward(n.m, n.x, MODEL_TRAIN);
    for (int l = 0; l < n.m->nlayers; l++)
        if (!strcmp(n.m->layers[l].name, "layer1.conv2")) { /* 16 channels to 16 */
            double *x = get(d, model_activation(n.m, n.m->layers[l].in));
            expect_tensor(d, model_activation(n.m, l + 1), x, 1e-5, "a Dirac convolution");
        }
}
