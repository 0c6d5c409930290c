/* model_layers.c: a network as a list of layers over flat vectors: appending a layer of each kind,
 * with the views of its parameters, and finding them again.
 */
#include "check.h"
#include "model.h"
#include "model_build.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

static Layer *append(Model *m, LayerKind kind, const char *name, int in, Shape out)
{
    ASSERT(m->nlayers < MAX_LAYERS);
    REQUIRE(out.h > 0 && out.w > 0 && out.c > 0, "model %s: images of %dx%d are too small for it",
            m->spec.name, m->spec.h, m->spec.w);
    REQUIRE((double)out.h * out.w * out.c <= INT_MAX,
            "model %s: images of %dx%d are too large for it", m->spec.name, m->spec.h, m->spec.w);
    Layer *l = &m->layers[m->nlayers++];
    *l = (Layer){.kind = kind,
                 .in = in,
                 .residual = NONE,
                 .out = out.c,
                 .w = NONE,
                 .b = NONE,
                 .s = NONE,
                 .tied = NONE};
    snprintf(l->name, sizeof l->name, "%s", name);
    m->plan->shape[m->nlayers] = out;
    return l;
}

size_t view_elements(const View *views, int count)
{
    return count ? views[count - 1].at + (size_t)views[count - 1].count : 0;
}

/* The sizes of layers are multiplied here: in double, because nothing may overflow. */
static int view(View *views, int *count, const char *layer, const char *part, int dims,
                const int shape[])
{
    View *v = &views[*count];
    *v = (View){.at = view_elements(views, *count), .count = 1, .dims = dims, .decay = dims > 1};
    double sum = 1;
    for (int d = 0; d < dims; d++)
        sum *= shape[d];
    sum += (double)v->at;
    REQUIRE(sum <= INT_MAX,
            "%s.%s: the network would have %.4g parameters (%.3g GB); the limit is %d: choose "
            "a smaller network, or smaller hidden layers",
            layer, part, sum, sum * sizeof(float) / 1e9, INT_MAX);
    snprintf(v->name, sizeof v->name, "%s.%s", layer, part);
    for (int d = 0; d < dims; d++) {
        v->shape[d] = shape[d];
        v->count *= shape[d];
    }
    return (*count)++;
}

static int weight(Model *m, const char *layer, const char *part, int dims, const int shape[])
{
    return view(m->views, &m->nviews, layer, part, dims, shape);
}

int model_conv(Model *m, int in, const char *name, int out, int kernel, int stride, int residual)
{
    Shape x = m->plan->shape[in];
    Layer *l = append(m, LAYER_CONV, name, in,
                      (Shape){conv_side(x.h, kernel, stride), conv_side(x.w, kernel, stride), out});
    l->kernel = kernel;
    l->stride = stride;
    l->residual = residual;
    l->w = weight(m, name, "weight", 4, (int[]){out, x.c, kernel, kernel});
    return m->nlayers;
}

int model_fixed_conv(Model *m, int in, const char *name, int out, int kernel)
{
    int y = model_conv(m, in, name, out, kernel, 1, NONE);
    Layer *l = &m->layers[m->nlayers - 1];
    l->fixed = true;
    m->views[l->w].decay = false;
    return y;
}

/* The layer without its trained parameters. */
static Layer *norm(Model *m, int in, const char *name, float eps, float momentum)
{
    Shape x = m->plan->shape[in];
    Layer *l = append(m, LAYER_BATCHNORM, name, in, x);
    l->eps = eps;
    l->momentum = momentum;
    l->s = view(m->state_views, &m->nstate, name, "running_mean", 1, &x.c);
    view(m->state_views, &m->nstate, name, "running_var", 1, &x.c);
    return l;
}

int model_batchnorm(Model *m, int in, const char *name, bool relu, int residual)
{
    Layer *l = norm(m, in, name, 1e-5f, 0.1f);
    l->relu = relu;
    l->residual = residual;
    l->w = weight(m, name, "weight", 1, &l->out);
    l->b = weight(m, name, "bias", 1, &l->out);
    return m->nlayers;
}

int model_norm_without_gamma(Model *m, int in, const char *name, float eps, float momentum)
{
    Layer *l = norm(m, in, name, eps, momentum);
    l->fixed = true;
    l->w = weight(m, name, "bias", 1, &l->out);
    return m->nlayers;
}

int model_activation_of(Model *m, int in, Activation f, const char *bias)
{
    Layer *l = append(m, LAYER_ACTIVATION, "", in, m->plan->shape[in]);
    l->f = f;
    if (bias)
        l->w = weight(m, bias, "bias", 1, &l->out);
    return m->nlayers;
}

static Layer *dense(Model *m, int in, const char *name, int out)
{
    Shape x = m->plan->shape[in];
    if (x.h * x.w > 1) {
        x = (Shape){1, 1, x.h * x.w * x.c};
        append(m, LAYER_FLATTEN, "flatten", in, x);
        in = m->nlayers;
    }
    Layer *l = append(m, LAYER_DENSE, name, in, (Shape){1, 1, out});
    l->w = weight(m, name, "weight", 2, (int[]){out, x.c});
    l->scale = 1;
    return l;
}

int model_dense(Model *m, int in, const char *name, int out)
{
    dense(m, in, name, out)->b = weight(m, name, "bias", 1, &out);
    return m->nlayers;
}

int model_mean_head(Model *m, int in, const char *name, int out)
{
    Layer *l = dense(m, in, name, out);
    l->scale = 1.0f / (float)m->views[l->w].shape[1];
    return m->nlayers;
}

int model_relu(Model *m, int in)
{
    append(m, LAYER_RELU, "relu", in, m->plan->shape[in]);
    return m->nlayers;
}

int model_maxpool(Model *m, int in, int side)
{
    Shape x = m->plan->shape[in];
    append(m, LAYER_MAXPOOL, "maxpool", in, (Shape){x.h / side, x.w / side, x.c})->kernel = side;
    return m->nlayers;
}

int model_avgpool(Model *m, int in)
{
    append(m, LAYER_AVGPOOL, "avgpool", in, (Shape){1, 1, m->plan->shape[in].c});
    return m->nlayers;
}

/* ---- of a language model ---- */

int model_embedding(Model *m, int in, const char *tokens, const char *positions, int width,
                    float std)
{
    Shape x = m->plan->shape[in];
    Layer *l = append(m, LAYER_EMBEDDING, tokens, in, (Shape){1, x.w, width});
    l->std = std;
    l->w = weight(m, tokens, "weight", 2, (int[]){m->spec.classes, width});
    l->b = weight(m, positions, "weight", 2, (int[]){x.w, width});
    return m->nlayers;
}

int model_layernorm(Model *m, int in, const char *name)
{
    Layer *l = append(m, LAYER_LAYERNORM, name, in, m->plan->shape[in]);
    l->eps = 1e-5f;
    l->w = weight(m, name, "weight", 1, &l->out);
    l->b = weight(m, name, "bias", 1, &l->out);
    return m->nlayers;
}

int model_attention(Model *m, int in, int heads)
{
    Shape x = m->plan->shape[in];
    append(m, LAYER_ATTENTION, "attention", in, (Shape){1, x.w, x.c / 3})->heads = heads;
    return m->nlayers;
}

int model_linear(Model *m, int in, const char *name, int out, float std, int residual)
{
    Shape x = m->plan->shape[in];
    Layer *l = append(m, LAYER_DENSE, name, in, (Shape){x.h, x.w, out});
    l->scale = 1;
    l->std = std;
    l->residual = residual;
    l->w = weight(m, name, "weight", 2, (int[]){out, x.c});
    l->b = weight(m, name, "bias", 1, &out);
    return m->nlayers;
}

int model_tied_linear(Model *m, int in, const char *name, int tied)
{
    Shape x = m->plan->shape[in];
    Layer *l = append(m, LAYER_DENSE, name, in, (Shape){x.h, x.w, m->views[tied].shape[0]});
    l->scale = 1;
    l->tied = tied;
    return m->nlayers;
}

/* ---- queries ---- */

Tensor model_view(Tensor flat_vector, const View *v)
{
    return tensor_slice(flat_vector, v->at, v->count);
}
int model_halo(const Model *m) { return m->plan->halo; }

const View *model_find(const Model *m, const char *name)
{
    for (int i = 0; i < m->nviews; i++)
        if (!strcmp(m->views[i].name, name))
            return &m->views[i];
    for (int i = 0; i < m->nstate; i++)
        if (!strcmp(m->state_views[i].name, name))
            return &m->state_views[i];
    return NULL;
}

int model_positions(const Model *m)
{
    Shape y = m->plan->shape[m->nlayers];
    return y.h * y.w;
}

double model_flops(const Model *m)
{
    double flops = 0;
    for (int i = 0; i < m->nlayers; i++) {
        const Layer *l = &m->layers[i];
        Shape y = m->plan->shape[i + 1];
        if (l->kind == LAYER_CONV || l->kind == LAYER_DENSE)
            flops += 2.0 * m->views[l->w == NONE ? l->tied : l->w].count * y.h * y.w;
        if (l->kind == LAYER_ATTENTION)
            flops += 2.0 * y.w * (y.w + 1) * y.c;
    }
    return flops;
}
