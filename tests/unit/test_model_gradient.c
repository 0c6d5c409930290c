/* test_model_gradient.c: whole networks: loss and gradient of every view against the float64
 * reference, the reference against finite differences of its own loss, and our float32 loss against
 * our gradient.
 *
 * How near float32 can come to float64: each layer rounds by 1e-7 or so, and up to 56 layers
 * amplify that. The tolerance is 1e-4 of a view's length; a wrong index or a missing term changes
 * tens of per cent. A ReLU whose input is nearer to 0 than that rounding goes one way here and the
 * other way there, and moves a gradient by 1e-3: rare in networks this small, so a comparison that
 * fails is repeated on another batch, three times at most. A bug in the code fails on all of them.
 *
 * ResNet-56 with batch norm and without skip connections is chaotic at its initial weights (lab 1
 * shows the landscape): its gradient is a thousand times longer, and rounding grows as much. It is
 * compared where it is calm.
 */
#include "check.h"
#include "reference_net.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { DRAWS = 3 };

/* A direction of length 1, half along the gradient: a purely random one would be nearly at right
 * angles to it, and measure nothing. */
static double *direction_new(const Model *m, const double *g, size_t count)
{
    double *u = random_values(100, count, 0, 1), length = 0, steep = 0;
    for (int l = 0; l < m->nlayers; l++) { /* fixed filters have no gradient: they stay */
        const View *v = m->layers[l].kind == LAYER_CONV && m->layers[l].fixed
                          ? &m->views[m->layers[l].w]
                          : NULL;
        for (int i = 0; v && i < v->count; i++)
            u[v->at + i] = 0;
    }
    for (size_t i = 0; i < count; i++)
        length += u[i] * u[i], steep += g[i] * g[i];
    double both = 0;
    for (size_t i = 0; i < count; i++) {
        u[i] = u[i] / sqrt(length) + g[i] / sqrt(steep);
        both += u[i] * u[i];
    }
    for (size_t i = 0; i < count; i++)
        u[i] /= sqrt(both);
    return u;
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The reference's gradient along u against (L(w + h u) - L(w - h u)) / 2h in float64. Returns the
 * relative difference. h is small enough that hardly a ReLU changes its sign within it; a few
 * steps, for the sharpest networks. */
static double reference_off(RefNet *r, const double *w, const double *g, const double *u,
                            size_t count)
{
    double expected = product(g, u, count), best = INFINITY;
    for (double h = 1e-5; h > 1e-9 && best > 1e-6; h /= 10) {
        double loss[2];
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < count; i++)
                r->params[i] = w[i] + (side ? -h : h) * u[i];
            loss[side] = refnet_loss(r);
        }
        best = fmin(best, fabs((loss[0] - loss[1]) / (2 * h) / expected - 1));
    }
    memcpy(r->params, w, count * sizeof *w);
    return best;
}

/* The same of our own loss, in float32: h such that the loss changes by 0.0003 to 0.03, more than
 * its rounding (1e-7 to 1e-6) and less than where curve and kinks show; the best of several
 * counts. */
static double ours_off(Net *n, const double *w, const double *g, const double *u, size_t count)
{
    static const double changes[] = {3e-3, 1e-3, 1e-2, 3e-4, 3e-2};
    double expected = product(g, u, count), best = INFINITY;
    float *moved = keep(alloc(count, sizeof *moved));
    for (int i = 0; i < 5 && best > 1e-3; i++) {
        double h = changes[i] / expected, loss[2];
        for (int side = 0; side < 2; side++) {
            for (size_t j = 0; j < count; j++)
                moved[j] = (float)(w[j] + (side ? -h : h) * u[j]);
            store(n, n->m->params, moved);
            loss[side] = net_loss(n, MODEL_FROZEN_STATS);
        }
        best = fmin(best, fabs((loss[0] - loss[1]) / (2 * h) / expected - 1));
    }
    for (size_t j = 0; j < count; j++)
        moved[j] = (float)w[j];
    store(n, n->m->params, moved);
    return best;
}

/* The largest ||ours - reference|| / ||reference|| of a view, and which view that is. */
static double views_off(const Net *n, const double *ours, const double *reference,
                        const char **which)
{
    double worst = -1;
    for (int i = 0; i < n->m->nviews; i++) {
        const View *v = &n->m->views[i];
        double difference = 0, length = 0;
        for (size_t j = v->at; j < v->at + v->count; j++) {
            difference += pow(ours[j] - reference[j], 2);
            length += pow(reference[j], 2);
        }
        double off = length > 0     ? sqrt(difference / length)
                   : difference > 0 ? INFINITY
                                    : 0; /* fixed filters: both are 0 */
        if (!(off <= worst)) {           /* NaN is the worst */
            worst = isnan(off) ? INFINITY : off;
            *which = v->name;
        }
    }
    return worst;
}

/* Batch norm's beta = 1: ReLU clips one element in six instead of every other, and nothing
 * explodes. */
static void calm(Net *n)
{
    float *w = fetch(n, n->m->params);
    for (int i = 0; i < n->m->nlayers; i++)
        if (n->m->layers[i].kind == LAYER_BATCHNORM) {
            const View *beta = &n->m->views[n->m->layers[i].b];
            for (int c = 0; c < beta->count; c++)
                w[beta->at + c] = 1;
        }
    store(n, n->m->params, w);
}

/* Initial weights ten times as large: with GPT-2's all tokens get nearly the same attention, and
 * what queries and keys do would hardly show. */
static void attentive(Net *n)
{
    float *w = fetch(n, n->m->params);
    for (int i = 0; i < n->m->nviews; i++)
        for (int k = 0; k < n->m->views[i].count && n->m->views[i].dims == 2; k++)
            w[n->m->views[i].at + k] *= 10;
    store(n, n->m->params, w);
}

typedef struct Differences {
    double loss, views, reference, own;
    char view[64];
} Differences;

/* All comparisons, for the draw-th batch. */
static Differences measure(Device *d, const ModelSpec *spec, int draw)
{
    Net n = net_new(d->be, spec, 6, 5, draw); /* one image fewer than planned */
    if (spec->no_skip && !strcmp(spec->name, "resnet56"))
        calm(&n);
    if (!strncmp(spec->name, "gpt", 3))
        attentive(&n);
    RefNet *r = refnet_new(&n);
    double loss = net_gradient(&n), expected = refnet_gradient(r);
    size_t count = tensor_count(n.m->params);
    double *ours = fetch_double(&n, n.m->grads), *g = keep(alloc(count, sizeof *g)),
           *w = fetch_double(&n, n.m->params);
    memcpy(g, r->grads, count * sizeof *g);
    const char *which = NULL;
    Differences off = {.loss = fabs(loss / expected - 1), .views = views_off(&n, ours, g, &which)};
    snprintf(off.view, sizeof off.view, "%s", which);
    /* The reference and its differences do not depend on the device, and a gradient that agrees
     * with it needs no differences of its own. */
    if (!strcmp(d->op->name, "cpu")) {
        double *u = direction_new(n.m, g, count);
        off.reference = reference_off(r, w, g, u, count);
        off.own = ours_off(&n, w, ours, u, count);
    }
    return off;
}

static void check_model(Device *d, const ModelSpec *spec)
{
    for (int draw = 1;; draw++) {
        Differences off = measure(d, spec, draw);
        printf("    %s%s%s%s, batch %d: loss %.1e, worst view %.1e (%s); finite differences: "
               "reference %.1e, ours %.1e\n",
               spec->name, spec->no_skip ? " no-skip" : "",
               spec->no_batchnorm ? " no-batchnorm" : "", spec->ghost ? " ghost" : "", draw,
               off.loss, off.views, off.view, off.reference, off.own);
        if (off.loss <= 1e-5 && off.views <= 1e-4 && off.reference <= 1e-5 && off.own <= 0.02)
            break;
        if (draw == DRAWS)
            fail_msg("%s: not within 1e-5 (loss), 1e-4 (views), 1e-5 (the reference's finite "
                     "differences) and 0.02 (ours)",
                     spec->name);
    }
}

DEVICE_TEST(plain)
{
    static const char *const names[] = {"linear", "mlp", "cnn"};
    for (int i = 0; i < 3; i++) {
        ModelSpec s = small_spec(names[i]);
        check_model(d, &s);
    }
    ModelSpec sizes = small_spec("mlp"), bare = small_spec("cnn");
    memcpy(sizes.hidden, (int[8]){7, 5, 3}, sizeof sizes.hidden);
    bare.no_batchnorm = true;
    check_model(d, &sizes);
    check_model(d, &bare);
}

/* Images of one pixel: vectors of 20 elements, which need no gradient. */
DEVICE_TEST(vectors)
{
    static const char *const names[] = {"linear", "mlp"};
    for (int i = 0; i < 2; i++)
        check_model(d, &(ModelSpec){.name = names[i], .h = 1, .w = 1, .c = 20, .classes = 3});
}

static void variant(Device *d, const char *name, bool no_skip, bool no_batchnorm)
{
    ModelSpec s = small_spec(name);
    s.no_skip = no_skip;
    s.no_batchnorm = no_batchnorm;
    check_model(d, &s);
}

static void variants(Device *d, const char *name)
{
    for (int bits = 0; bits < 4; bits += SANITIZED ? 3 : 1)
        variant(d, name, bits & 1, bits & 2);
}

/* The larger ones have the layers of resnet8 and wrn16-1, more often or wider. */
DEVICE_TEST(resnet8) { variants(d, "resnet8"); }
DEVICE_TEST(resnet20) { variant(d, "resnet20", false, false); }
DEVICE_TEST(resnet56) { variant(d, "resnet56", true, false); }
DEVICE_TEST(wrn16_1) { variants(d, "wrn16-1"); }
DEVICE_TEST(wrn16_2) { variant(d, "wrn16-2", false, false); }

DEVICE_TEST(ghost)
{
    static const char *const names[] = {"cnn", "resnet8", "wrn16-1"};
    for (int i = 0; i < 3; i++) {
        ModelSpec s = small_spec(names[i]);
        s.ghost = 2; /* groups of 2, 2 and 1 images */
        check_model(d, &s);
    }
}

/* The smallest images that its pooling takes: 25 pixels; and others whose last pooling leaves more
 * than one. */
DEVICE_TEST(airbench)
{
    static const char *const names[] = {"airbench-4", "airbench-8-silu", "airbench-4-relu"};
    for (int i = 0; i < (SANITIZED ? 1 : 3); i++)
        check_model(d,
                    &(ModelSpec){.name = names[i], .h = 25, .w = 26 + i, .c = 1 + i, .classes = 5});
    check_model(d, &(ModelSpec){.name = "airbench-4",
                                .h = 25,
                                .w = 50,
                                .c = 1,
                                .classes = 3,
                                .no_batchnorm = true});
    check_model(
        d, &(ModelSpec){.name = "airbench-4", .h = 25, .w = 25, .c = 3, .classes = 4, .ghost = 2});
}

/* Text: odd sizes, one head and several, one position, and heads of more channels than vectors
 * have. */
DEVICE_TEST(gpt)
{
    static const ModelSpec specs[] = {
        {.name = "gpt-12-2-3", .h = 1, .w = 7, .c = 1, .classes = 5},
        {.name = "gpt-8-1-1", .h = 1, .w = 1, .c = 1, .classes = 2},
        {.name = "gpt-40-1-2", .h = 1, .w = 35, .c = 1, .classes = 256},
        {.name = "gpt-12-2-3-post", .h = 1, .w = 7, .c = 1, .classes = 5},
        {.name = "gpt-6-3-6", .h = 1, .w = 9, .c = 1, .classes = 11}};
    for (int i = 0; i < (SANITIZED ? 1 : 5); i++)
        check_model(d, &specs[i]);
    ModelSpec bare = specs[0];
    bare.no_skip = true;
    check_model(d, &bare);
}
