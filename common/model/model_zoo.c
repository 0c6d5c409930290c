/* model_zoo.c: the networks of the course, each as the list of its layers. */
#include "check.h"
#include "model_build.h"
#include "number.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of GPTs: the standard deviation of GPT-2's initial weights; the largest width (no layer then has
 * more channels than a device takes), the most layers. */
static const float GPT_STD = 0.02f;
enum { GPT_WIDEST = 1024, GPT_LAYERS = 48 };

/* "gpt-64-2-4", "gpt-64-2-4-post": layer norms before the halves of a block, or behind them. */
typedef struct GptName {
    int width, layers, heads;
    bool post;
} GptName;

/* conv, batch norm, ReLU; or, without batch norm, conv and ReLU. A residual is added before the
 * ReLU. Names: <prefix>conv<i>, <prefix>bn<i>. */
static int conv_bn(Model *m, int x, const char *prefix, int i, int out, int stride, bool relu,
                   int residual)
{
    char conv[48], norm[48];
    snprintf(conv, sizeof conv, "%sconv%d", prefix, i);
    snprintf(norm, sizeof norm, "%sbn%d", prefix, i);
    if (!m->spec.no_batchnorm)
        return model_batchnorm(m, model_conv(m, x, conv, out, 3, stride, NONE), norm, relu,
                               residual);
    int y = model_conv(m, x, conv, out, 3, stride, residual);
    return relu ? model_relu(m, y) : y;
}

static void mlp(Model *m)
{
    static const int usual[] = {256, 128, 0};
    const int *hidden = m->spec.hidden[0] ? m->spec.hidden : usual;
    int x = 0, layers = 1;
    char name[16];
    for (; layers <= 8 && hidden[layers - 1]; layers++) {
        snprintf(name, sizeof name, "fc%d", layers);
        x = model_relu(m, model_dense(m, x, name, hidden[layers - 1]));
    }
    snprintf(name, sizeof name, "fc%d", layers);
    model_dense(m, x, name, m->spec.classes);
}

static void cnn(Model *m)
{
    int x = conv_bn(m, 0, "", 1, 32, 1, true, NONE);
    x = model_maxpool(m, conv_bn(m, x, "", 2, 32, 1, true, NONE), 2);
    x = conv_bn(m, x, "", 3, 64, 1, true, NONE);
    x = model_maxpool(m, conv_bn(m, x, "", 4, 64, 1, true, NONE), 2);
    model_dense(m, x, "fc", m->spec.classes);
}

/* y = relu(x' + bn(conv(relu(bn(conv(x)))))), x' = x or, where the shape changes, bn(conv1x1(x))
 * (He et al., arXiv 1512.03385). */
static int basic_block(Model *m, int x, int in, const char *prefix, int out, int stride)
{
    char name[48];
    int h = conv_bn(m, x, prefix, 1, out, stride, true, NONE), skip = m->spec.no_skip ? NONE : x;
    if (!m->spec.no_skip && (stride != 1 || in != out)) {
        snprintf(name, sizeof name, "%sdownsample.0", prefix);
        skip = model_conv(m, x, name, out, 1, stride, NONE);
        snprintf(name, sizeof name, "%sdownsample.1", prefix);
        if (!m->spec.no_batchnorm)
            skip = model_batchnorm(m, skip, name, false, NONE);
    }
    return conv_bn(m, h, prefix, 2, out, 1, true, skip);
}

/* The pre-activation block of wide residual nets: h = relu(bn(x)); y = x' +
 * conv(relu(bn(conv(h)))), x' = x or conv1x1(h) (Zagoruyko & Komodakis, arXiv 1605.07146). */
static int wide_block(Model *m, int x, int in, const char *prefix, int out, int stride)
{
    char name[5][48];
    static const char *parts[] = {"bn1", "conv1", "bn2", "conv2", "downsample.0"};
    for (int i = 0; i < 5; i++)
        snprintf(name[i], sizeof name[i], "%s%s", prefix, parts[i]);
    bool plain = m->spec.no_batchnorm, change = stride != 1 || in != out;
    int h = plain ? model_relu(m, x) : model_batchnorm(m, x, name[0], true, NONE),
        skip = m->spec.no_skip ? NONE : x;
    if (!m->spec.no_skip && change)
        skip = model_conv(m, h, name[4], out, 1, stride, NONE);
    int c = model_conv(m, h, name[1], out, 3, stride, NONE);
    c = plain ? model_relu(m, c) : model_batchnorm(m, c, name[2], true, NONE);
    return model_conv(m, c, name[3], out, 3, 1, skip);
}

typedef int (*Block)(Model *m, int x, int in, const char *prefix, int out, int stride);

/* Three stages of `blocks` blocks, width, 2 width and 4 width channels; the second and third halve
 * the image. */
static int stages(Model *m, int x, Block block, int blocks, int width)
{
    int in = 16;
    for (int stage = 0; stage < 3; stage++)
        for (int b = 0; b < blocks; b++) {
            char prefix[32];
            snprintf(prefix, sizeof prefix, "layer%d.%d.", stage + 1, b);
            x = block(m, x, in, prefix, width << stage, stage > 0 && b == 0 ? 2 : 1);
            in = width << stage;
        }
    return x;
}

static void resnet(Model *m, int depth)
{
    int x = conv_bn(m, 0, "", 1, 16, 1, true, NONE);
    x = stages(m, x, basic_block, (depth - 2) / 6, 16);
    model_dense(m, model_avgpool(m, x), "fc", m->spec.classes);
}

static void wrn16(Model *m, int widen)
{
    int x = stages(m, model_conv(m, 0, "conv1", 16, 3, 1, NONE), wide_block, 2, 16 * widen);
    x = m->spec.no_batchnorm ? model_relu(m, x) : model_batchnorm(m, x, "bn", true, NONE);
    model_dense(m, model_avgpool(m, x), "fc", m->spec.classes);
}

/* norm(x), then f. */
static int norm_act(Model *m, int x, const char *prefix, int i, Activation f)
{
    char name[48];
    snprintf(name, sizeof name, "%snorm%d", prefix, i);
    if (!m->spec.no_batchnorm)
        x = model_norm_without_gamma(m, x, name, 1e-12f, 0.4f);
    return model_activation_of(m, x, f, NULL);
}

/* Jordan's network for CIFAR-10 (arXiv 2404.00498), with W = 64: fixed 2x2 filters that whiten the
 * image (first_weights.h), three groups of conv, pool, norm, act, conv, norm, act; logits / inputs.
 * It has no residual connections. */
static void airbench(Model *m, int width, Activation f)
{
    int x = model_fixed_conv(m, 0, "whiten", 2 * 4 * m->spec.c, 2);
    x = model_activation_of(m, x, f, "whiten");
    for (int group = 1; group <= 3; group++) {
        char prefix[32], conv[48];
        int out = group == 1 ? width : 4 * width;
        snprintf(prefix, sizeof prefix, "layer%d.", group);
        snprintf(conv, sizeof conv, "%sconv1", prefix);
        x = model_maxpool(m, model_conv(m, x, conv, out, 3, 1, NONE), 2);
        x = norm_act(m, x, prefix, 1, f);
        snprintf(conv, sizeof conv, "%sconv2", prefix);
        x = norm_act(m, model_conv(m, x, conv, out, 3, 1, NONE), prefix, 2, f);
    }
    model_mean_head(m, model_maxpool(m, x, 3), "head", m->spec.classes);
}

/* The standard deviation of the initial weights of a layer with `in` inputs: GPT-2's, smaller where
 * the outputs of `halves` layers add up; for post-norm larger, without which it hardly learns. */
static float gpt_std(const GptName *g, int in, int halves)
{
    return g->post ? 1 / sqrtf((float)in) : GPT_STD / sqrtf((float)halves);
}

/* Pre-norm: x + attn(ln_1(x)), then x + mlp(ln_2(x)). Post-norm: ln_1(x + attn(x)), then
 * ln_2(x + mlp(x)) (Vaswani et al., arXiv 1706.03762). */
static int gpt_block(Model *m, int x, int layer, const GptName *g)
{
    char name[6][48];
    static const char *parts[] = {"ln_1", "attn.c_attn", "attn.c_proj",
                                  "ln_2", "mlp.c_fc",    "mlp.c_proj"};
    for (int i = 0; i < 6; i++)
        snprintf(name[i], sizeof name[i], "h.%d.%s", layer, parts[i]);
    int width = g->width;
    for (int half = 0; half < 2; half++) {
        char(*own)[48] = name + 3 * half;
        int in = x, h = g->post ? x : model_layernorm(m, x, own[0]);
        h = model_linear(m, h, own[1], (half ? 4 : 3) * width, gpt_std(g, width, 1), NONE);
        h = half ? model_activation_of(m, h, ACTIVATION_GELU_TANH, NULL)
                 : model_attention(m, h, g->heads);
        x = model_linear(m, h, own[2], width, gpt_std(g, half ? 4 * width : width, 2 * g->layers),
                         m->spec.no_skip ? NONE : in);
        if (g->post)
            x = model_layernorm(m, x, own[0]);
    }
    return x;
}

/* GPT-2 (Radford et al., 2019) without dropout, its names and initial weights; the context is as
 * long as a sample. Parameters have the names of Hugging Face's GPT2Model, and the shapes of
 * PyTorch's Linear, [out,in]: its Conv1D weights (c_attn, c_proj, c_fc) are their transposes. The
 * logits' weights are wte's. A post-norm network has no ln_f, since its last layer is a norm. As
 * around every dense layer, activations are float32 in any precision; a GPU's tensor cores multiply
 * in TF32, a CPU's dots in BF16.
 *
 * Tokens come as the loader makes them of bytes, (v / 255 - mean) istd: with mean 0 and istd 255
 * these are whole numbers again, exactly. */
static void gpt(Model *m, const GptName *g)
{
    const ModelSpec *s = &m->spec;
    REQUIRE(s->h == 1 && s->c == 1, "model %s reads text, not images of %dx%dx%d", s->name, s->h,
            s->w, s->c);
    REQUIRE(s->w <= MAX_CONTEXT, "model %s: a context of %d tokens: expected at most %d", s->name,
            s->w, MAX_CONTEXT);
    int x = model_embedding(m, 0, "wte", "wpe", g->width, GPT_STD), wte = m->layers[0].w;
    for (int layer = 0; layer < g->layers; layer++)
        x = gpt_block(m, x, layer, g);
    model_tied_linear(m, g->post ? x : model_layernorm(m, x, "ln_f"), "lm_head", wte);
}

/* "resnet20" matches ("resnet", 8, 164, &20); nothing may follow the number, and "resnet020" is not
 * a second name for it. */
static bool numbered(const char *name, const char *prefix, int low, int high, int *number)
{
    size_t length = strlen(prefix);
    uint64_t found;
    if (strncmp(name, prefix, length) || name[length] == '0' ||
        !number_natural(&found, name + length, (uint64_t)high) || found < (uint64_t)low)
        return false;
    *number = (int)found;
    return true;
}

/* "airbench-64", "airbench-64-silu". */
static bool airbench_named(const char *name, int *width, Activation *f)
{
    static const char *const tails[] = {"", "-silu", "-relu"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(name), tail = strlen(tails[i]);
        char head[32];
        if (length <= tail || length - tail >= sizeof head ||
            strcmp(name + length - tail, tails[i]))
            continue;
        snprintf(head, sizeof head, "%.*s", (int)(length - tail), name);
        *f = (Activation)i;
        if (numbered(head, "airbench-", 1, 512, width))
            return true;
    }
    return false;
}

/* "gpt-128-4-4", "gpt-128-4-4-post". Once a name has that form, what is wrong with its numbers is
 * said here. */
static bool gpt_named(const char *name, GptName *g)
{
    static const char *const what[] = {"width", "layers", "heads"};
    const char *rest = name;
    int number[3];
    for (int i = 0; i < 3; i++, rest += strcspn(rest, "-")) {
        char part[32], before[] = "gpt-";
        const char *start = i == 0 ? before : before + 3;
        uint64_t found;
        if (strncmp(rest, start, strlen(start)))
            return false;
        rest += strlen(start);
        snprintf(part, sizeof part, "%.*s", (int)strcspn(rest, "-"), rest);
        if ((part[0] == '0' && part[1]) || !number_natural(&found, part, UINT64_MAX))
            return false;
        number[i] = found < INT_MAX ? (int)found : INT_MAX;
    }
    *g = (GptName){number[0], number[1], number[2], !strcmp(rest, "-post")};
    if (*rest && !g->post)
        return false;
    static const int most[] = {GPT_WIDEST, GPT_LAYERS, GPT_WIDEST};
    for (int i = 0; i < 3; i++)
        REQUIRE(number[i] >= 1 && number[i] <= most[i], "model %s: %s of %d: expected 1 to %d",
                name, what[i], number[i], most[i]);
    REQUIRE(g->width % g->heads == 0, "model %s: a width of %d cannot be split into %d heads", name,
            g->width, g->heads);
    REQUIRE(g->width / g->heads <= MAX_HEAD,
            "model %s: heads of %d channels: at most %d: take more heads", name,
            g->width / g->heads, MAX_HEAD);
    return true;
}

bool model_zoo(Model *m)
{
    Activation f;
    GptName g;
    int number;
    const char *name = m->spec.name;
    if (!strcmp(name, "linear"))
        model_dense(m, 0, "fc", m->spec.classes);
    else if (!strcmp(name, "mlp"))
        mlp(m);
    else if (!strcmp(name, "cnn"))
        cnn(m);
    else if (numbered(name, "resnet", 8, 164, &number) && number % 6 == 2)
        resnet(m, number);
    else if (numbered(name, "wrn16-", 1, 20, &number))
        wrn16(m, number);
    else if (airbench_named(name, &number, &f))
        airbench(m, number, f);
    else if (gpt_named(name, &g))
        gpt(m, &g);
    else
        return false;
    return true;
}

ModelSpec model_spec_for(const char *name, const Dataset *d)
{
    REQUIRE(images_positions(&d->train) == 1 || !strncmp(name, "gpt-", 4),
            "--data %s, --model %s: this network reads images; leave --model out, or give "
            "gpt-D-L-H",
            d->name, name);
    return (ModelSpec){
        .name = name, .h = d->train.h, .w = d->train.w, .c = d->train.c, .classes = d->classes};
}
