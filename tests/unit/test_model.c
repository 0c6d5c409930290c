/* test_model.c: a Model before it runs: names and layout of its flat vectors, initial
 * weights, refusals. Its passes: test_model_pass.c.
 */
#include "check.h"
#include "generate.h"
#include "net.h"
#include <math.h>
#include <string.h>

static const char *const all_names[] = {"linear",   "mlp",     "cnn",    "resnet8",
                                        "resnet20", "wrn16-1", "wrn16-2"};
enum { NAMES = sizeof all_names / sizeof *all_names };

/* ---- layout ---- */

/* The counts of torch/models.py (run it: it prints them), whose nets are those of the same names in
 * PyTorch. */
DEVICE_TEST(parameter_counts)
{
    static const struct {
        const char *name;
        int h, w, c;
        bool no_skip, no_batchnorm;
        int count;
    } table[] = {
        {"linear", 32, 32, 3, 0, 0, 30730},        {"mlp", 32, 32, 3, 0, 0, 820874},
        {"cnn", 32, 32, 3, 0, 0, 106730},          {"cnn", 32, 32, 3, 0, 1, 106346},
        {"resnet8", 32, 32, 3, 0, 0, 78042},       {"resnet8", 32, 32, 3, 0, 1, 77370},
        {"resnet8", 32, 32, 3, 1, 0, 75290},       {"resnet8", 32, 32, 3, 1, 1, 74810},
        {"resnet20", 32, 32, 3, 0, 0, 272474},     {"resnet20", 32, 32, 3, 0, 1, 270906},
        {"resnet20", 32, 32, 3, 1, 0, 269722},     {"resnet20", 32, 32, 3, 1, 1, 268346},
        {"resnet56", 32, 32, 3, 0, 0, 855770},     {"resnet56", 32, 32, 3, 0, 1, 851514},
        {"resnet56", 32, 32, 3, 1, 0, 853018},     {"resnet56", 32, 32, 3, 1, 1, 848954},
        {"wrn16-1", 28, 28, 1, 0, 0, 174778},      {"wrn16-1", 32, 32, 3, 0, 0, 175066},
        {"wrn16-1", 32, 32, 3, 0, 1, 174138},      {"wrn16-1", 32, 32, 3, 1, 0, 172506},
        {"wrn16-1", 32, 32, 3, 1, 1, 171578},      {"wrn16-2", 32, 32, 3, 0, 0, 691674},
        {"wrn16-2", 32, 32, 3, 0, 1, 689850},      {"wrn16-2", 32, 32, 3, 1, 0, 680922},
        {"wrn16-10", 32, 32, 3, 0, 0, 17116634},   {"resnet8", 28, 28, 1, 0, 0, 77754},
        {"cnn", 28, 28, 1, 0, 0, 96554},           {"airbench-64", 32, 32, 3, 0, 0, 1971640},
        {"airbench-64", 32, 32, 3, 0, 1, 1970488}, {"gpt-24-2-4", 1, 64, 1, 0, 0, 16272},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ModelSpec s = {.name = table[i].name,
                       .h = table[i].h,
                       .w = table[i].w,
                       .c = table[i].c,
                       .classes = 10,
                       .no_skip = table[i].no_skip,
                       .no_batchnorm = table[i].no_batchnorm};
        Model *m = net_model(d->be, &s, 1);
        if (m->params.n != table[i].count || m->grads.n != table[i].count)
            fail_msg("%s: %d parameters, expected %d", s.name, m->params.n, table[i].count);
    }
    ModelSpec sizes = {"mlp", 28, 28, 1, 10, {30, 20}, false, false, 0};
    Model *m = net_model(d->be, &sizes, 1);
    assert_int_equal(m->params.n, 784 * 30 + 30 + 30 * 20 + 20 + 20 * 10 + 10);
}

static void check_views(const Model *m, const View *views, int count, int total)
{
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        int product = 1;
        for (int k = 0; k < views[i].dims; k++)
            product *= views[i].shape[k];
        assert_int_equal(views[i].at, at); /* contiguous, in order */
        assert_int_equal(views[i].count, product);
        assert_true(views[i].count > 0 && views[i].dims >= 1 && views[i].dims <= 4);
        /* so the name is unique, over both lists */
        assert_ptr_equal(model_find(m, views[i].name), &views[i]);
        at += views[i].count;
    }
    assert_int_equal(at, total);
}

DEVICE_TEST(views)
{
    for (int i = 0; i < NAMES; i++)
        for (int bits = 0; bits < 4; bits++) {
            ModelSpec s = small_spec(all_names[i]);
            s.no_skip = bits & 1, s.no_batchnorm = bits & 2;
            Model *m = net_model(d->be, &s, 2);
            check_views(m, m->views, m->nviews, m->params.n);
            check_views(m, m->state_views, m->nstate, m->state.buf ? m->state.n : 0);
            for (int v = 0; v < m->nviews; v++)
                assert_int_equal(m->views[v].decay, m->views[v].dims > 1);
            assert_null(model_find(m, "layer9.0.conv1.weight"));
            assert_null(model_find(m, ""));
        }
}

/* torchvision's names and PyTorch's shapes, all of them for one network and some of the others. */
DEVICE_TEST(names)
{
    static const char *const resnet8[] = {"conv1.weight 16 3 3 3",
                                          "bn1.weight 16",
                                          "bn1.bias 16",
                                          "layer1.0.conv1.weight 16 16 3 3",
                                          "layer1.0.bn1.weight 16",
                                          "layer1.0.bn1.bias 16",
                                          "layer1.0.conv2.weight 16 16 3 3",
                                          "layer1.0.bn2.weight 16",
                                          "layer1.0.bn2.bias 16",
                                          "layer2.0.conv1.weight 32 16 3 3",
                                          "layer2.0.bn1.weight 32",
                                          "layer2.0.bn1.bias 32",
                                          "layer2.0.conv2.weight 32 32 3 3",
                                          "layer2.0.bn2.weight 32",
                                          "layer2.0.bn2.bias 32",
                                          "layer2.0.downsample.0.weight 32 16 1 1",
                                          "layer2.0.downsample.1.weight 32",
                                          "layer2.0.downsample.1.bias 32",
                                          "layer3.0.conv1.weight 64 32 3 3",
                                          "layer3.0.bn1.weight 64",
                                          "layer3.0.bn1.bias 64",
                                          "layer3.0.conv2.weight 64 64 3 3",
                                          "layer3.0.bn2.weight 64",
                                          "layer3.0.bn2.bias 64",
                                          "layer3.0.downsample.0.weight 64 32 1 1",
                                          "layer3.0.downsample.1.weight 64",
                                          "layer3.0.downsample.1.bias 64",
                                          "fc.weight 5 64",
                                          "fc.bias 5",
                                          "bn1.running_mean 16",
                                          "layer2.0.downsample.1.running_var 32",
                                          NULL};
    static const char *const wrn[] = {"conv1.weight 16 3 3 3",
                                      "layer1.0.bn1.weight 16",
                                      "layer1.0.conv1.weight 32 16 3 3",
                                      "layer1.0.bn2.bias 32",
                                      "layer1.0.conv2.weight 32 32 3 3",
                                      "layer1.0.downsample.0.weight 32 16 1 1",
                                      "layer3.1.bn2.running_var 128",
                                      "bn.weight 128",
                                      "fc.weight 5 128",
                                      NULL};
    static const char *const cnn[] = {"conv1.weight 32 3 3 3", "bn4.running_mean 64",
                                      "fc.weight 5 256", NULL};
    static const char *const mlp[] = {"fc1.weight 256 216", "fc2.bias 128", "fc3.weight 5 128",
                                      NULL};
    static const struct {
        const char *name;
        const char *const *lines;
        int count;
    } table[] = {{"resnet8", resnet8, 29}, {"wrn16-2", wrn, 0}, {"cnn", cnn, 0}, {"mlp", mlp, 6}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ModelSpec s = small_spec(table[i].name);
        Model *m = net_model(d->be, &s, 2);
        assert_true(!table[i].count || m->nviews == table[i].count);
        for (const char *const *line = table[i].lines; *line; line++) {
            char name[64], text[128];
            sscanf(*line, "%63s", name);
            const View *v = model_find(m, name);
            if (!v)
                fail_msg("%s: no %s", s.name, name);
            int used = snprintf(text, sizeof text, "%s", v->name);
            for (int k = 0; k < v->dims; k++)
                used += snprintf(text + used, sizeof text - used, " %d", v->shape[k]);
            assert_string_equal(text, *line);
        }
    }
}

/* Multiply-adds x 2 of ResNet-20 on a 32x32 image, by hand: 40,813,184 multiply-adds. */
DEVICE_TEST(flops)
{
    Model *m = net_model(d->be,
                         &(ModelSpec){.name = "resnet20", .h = 32, .w = 32, .c = 3, .classes = 10},
                         1);
    double conv1 = 1024 * 27 * 16, stage1 = 6. * 1024 * 144 * 16,
           stage2 = 256. * 32 * (144 + 5 * 288 + 16), stage3 = 64. * 64 * (288 + 5 * 576 + 32);
    expect_close(model_flops(m), 2 * (conv1 + stage1 + stage2 + stage3 + 640), 0, 1e-12, "flops");
}

static void new_named(void *name)
{
    Device *d = device_open();
    ModelSpec s = small_spec(name);
    net_model(d->be, &s, 2);
}

static void new_too_small(void *unused)
{
    Device *d = device_open();
    net_model(d->be, &(ModelSpec){.name = "cnn", .h = 3, .w = 3, .c = 1, .classes = 10}, 2);
}

static void new_gpt(void *spec)
{
    Device *d = device_open();
    net_model(d->be, spec, 2);
}

BACKEND_TEST(refusals)
{
    static char *const bad[] = {
        "resnet",     "resnet9",           "resnet20x", "resnet-8",      "wrn16-0",
        "wrn16-",     "wrn16-99999999999", "vgg",       "Linear",        "",
        "airbench-0", "airbench-64-tanh",  "airbench-", "airbench--silu"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_death(EXIT_USAGE, new_named, bad[i], "model", bad[i], NULL);
    expect_death(EXIT_USAGE, new_too_small, NULL, "cnn", "3x3", NULL);
    static char *const texts[][2] = {{"gpt-128-2-3", "a width of 128 cannot be split into 3 heads"},
                                     {"gpt-0-2-1", "width of 0: expected 1 to 1024"},
                                     {"gpt-4096-2-8", "width of 4096: expected 1 to 1024"},
                                     {"gpt-64-99999999999-1", "layers of 2147483647"},
                                     {"gpt-64-2-0", "heads of 0"},
                                     {"gpt-1024-2-4", "heads of 256 channels: at most 128"},
                                     {"gpt-64-2", "gpt-D-L-H"},
                                     {"gpt-64-02-4", "gpt-D-L-H"},
                                     {"gpt-64-2-4-", "gpt-D-L-H"},
                                     {"gpt-64-2-4-posts", "gpt-D-L-H"},
                                     {"gpt-64-2-post", "gpt-D-L-H"},
                                     {"gpt--64-2-4", "gpt-D-L-H"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_death(EXIT_USAGE, new_named, texts[i][0], texts[i][0], texts[i][1], NULL);
    ModelSpec images = {.name = "gpt-64-2-4", .h = 28, .w = 28, .c = 1, .classes = 10},
              long_text = {.name = "gpt-64-2-4", .h = 1, .w = 1025, .c = 1, .classes = 256};
    expect_death(EXIT_USAGE, new_gpt, &images, "reads text, not images of 28x28x1", NULL);
    expect_death(EXIT_USAGE, new_gpt, &long_text, "a context of 1025 tokens", "at most 1024", NULL);
}

/* ---- initial weights ---- */

/* Mean and standard deviation of a view. */
static void moments(const float *w, const View *v, double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < v->count; i++)
        sum += w[v->at + i], squares += (double)w[v->at + i] * w[v->at + i];
    *mean = sum / v->count;
    *deviation = sqrt(squares / v->count - *mean * *mean);
}

/* Each view's draws have the stated distribution: mean and deviation within five standard errors,
 * uniform ones within their bounds. */
static void check_init(const Net *n, const float *w)
{
    for (int i = 0; i < n->m->nviews; i++) {
        const View *v = &n->m->views[i];
        double mean, deviation, expected, fan_in = v->dims == 2 ? v->shape[1] : 0;
        moments(w, v, &mean, &deviation);
        if (v->dims == 1 && !strstr(v->name, "fc")) { /* gamma, beta */
            assert_true(deviation == 0 && mean == (strstr(v->name, "weight") ? 1 : 0));
            continue;
        }
        if (strstr(v->name, "fc.bias"))
            fan_in = model_find(n->m, "fc.weight")->shape[1];
        expected = v->dims == 4 ? sqrt(2. / (v->shape[0] * v->shape[2] * v->shape[3]))
                                : 1 / sqrt(3 * fan_in);
        double error = expected / sqrt(v->count);
        expect_close(mean, 0, 5 * error, 0, v->name);
        expect_close(deviation, expected, 5 * error, 0, v->name);
        for (int k = 0; k < v->count && v->dims < 4; k++)
            assert_true(fabs(w[v->at + k]) <= 1 / sqrt(fan_in) * 1.000001);
    }
}

DEVICE_TEST(initial_weights)
{
    static const char *const which[] = {"linear", "cnn", "resnet20", "wrn16-2"};
    for (int i = 0; i < 4; i++) {
        ModelSpec s = {.name = which[i], .h = 16, .w = 16, .c = 3, .classes = 10};
        /* both from seed 1; other batches */
        Net a = net_new(d->be, &s, 1, 1, 1), b = net_new(d->be, &s, 4, 2, 9);
        size_t bytes = tensor_count(a.m->params) * sizeof(float);
        float *wa = fetch(&a, a.m->params), *wb = fetch(&b, b.m->params);
        assert_memory_equal(wa, wb, bytes);
        check_init(&a, wa);
        model_init(b.m, 2);
        float *other = fetch(&b, b.m->params);
        assert_memory_not_equal(wa, other, bytes);
        model_init(b.m, 1); /* nothing of seed 2 is left */
        wb = fetch(&b, b.m->params);
        assert_memory_equal(wa, wb, bytes);
        for (int v = 0; v < a.m->nstate; v++) {
            float *stats = fetch(&a, model_view(a.m->state, &a.m->state_views[v]));
            for (int c = 0; c < a.m->state_views[v].count; c++)
                assert_true(stats[c] == (strstr(a.m->state_views[v].name, "running_var") ? 1 : 0));
        }
    }
}

/* A GPT has GPT-2's names, and its initial weights; what ends in a residual connection is smaller
 * by the root of 2 L. */
DEVICE_TEST(gpt_weights)
{
    static const struct {
        const char *name;
        int shape[2];
        double mean, deviation;
    } some[] = {
        {"wte.weight", {256, 64}, 0, 0.02},          {"wpe.weight", {32, 64}, 0, 0.02},
        {"h.0.ln_1.weight", {64, 0}, 1, 0},          {"h.0.attn.c_attn.weight", {192, 64}, 0, 0.02},
        {"h.0.attn.c_attn.bias", {192, 0}, 0, 0},    {"h.1.attn.c_proj.weight", {64, 64}, 0, 0.01},
        {"h.1.mlp.c_fc.weight", {256, 64}, 0, 0.02}, {"h.1.mlp.c_proj.weight", {64, 256}, 0, 0.01},
        {"h.1.mlp.c_proj.bias", {64, 0}, 0, 0},      {"ln_f.bias", {64, 0}, 0, 0}};
    ModelSpec s = {.name = "gpt-64-2-4", .h = 1, .w = 32, .c = 1, .classes = 256};
    Net n = net_new(d->be, &s, 1, 1, 1);
    float *w = fetch(&n, n.m->params);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const View *v = model_find(n.m, some[i].name);
        double mean, deviation;
        assert_non_null(v);
        assert_true(v->shape[0] == some[i].shape[0] && v->shape[1] == some[i].shape[1]);
        moments(w, v, &mean, &deviation);
        expect_close(mean, some[i].mean, 5 * some[i].deviation / sqrt(v->count), 0, v->name);
        expect_close(deviation, some[i].deviation, 0, 0.1, v->name);
    }
}

/* Two layers of the same shape get different weights. */
DEVICE_TEST(layers_differ)
{
    ModelSpec s = small_spec("resnet20");
    Net n = net_new(d->be, &s, 1, 1, 1);
    float *a = fetch(&n, model_view(n.m->params, model_find(n.m, "layer1.0.conv1.weight")));
    float *b = fetch(&n, model_view(n.m->params, model_find(n.m, "layer1.0.conv2.weight")));
    assert_true(a[0] != b[0] && a[1] != b[1]);
}

/* The text depends on the seed alone, and its beginning not on its length. */
DEVICE_TEST(written)
{
    ModelSpec spec = small_spec("gpt-12-2-3");
    Net n = net_new(d->be, &spec, 2, 2, 1);
    uint8_t a[7], b[7] = {0}, c[7];
    generate(n.m, a, 7, 2, 5);
    generate(n.m, b, 4, 2, 5);
    assert_memory_equal(a, b, 4);
    bool differs = false;
    for (int seed = 6; seed < 16; seed++) {
        generate(n.m, c, 7, 2, (uint64_t)seed);
        for (int i = 0; i < 7; i++)
            assert_true(c[i] < 5);
        differs |= memcmp(a, c, 7) != 0;
    }
    assert_true(differs);
}
