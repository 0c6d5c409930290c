/* model.c: building a network: the list of layers, the flat vectors and their views, initial
 * weights. Memory for a batch: model_plan.c. The passes: model_pass.c.
 */
#include "model.h"
#include "check.h"
#include "model_build.h"
#include "rng.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list of layers ---- */

static Layer *append(Model *m, LayerKind kind, const char *name, int in, Shape out)
{
    ASSERT(m->nlayers < MAX_LAYERS);
    REQUIRE(out.h > 0 && out.w > 0 && out.c > 0, "model %s: images of %dx%d are too small for it",
            m->spec.name, m->spec.h, m->spec.w);
    REQUIRE((double)out.h * out.w * out.c <= INT_MAX,
            "model %s: images of %dx%d are too large for it", m->spec.name, m->spec.h, m->spec.w);
    Layer *l = &m->layers[m->nlayers++];
    *l = (Layer){
        .kind = kind, .in = in, .residual = NONE, .out = out.c, .w = NONE, .b = NONE, .s = NONE};
    snprintf(l->name, sizeof l->name, "%s", name);
    m->plan->shape[m->nlayers] = out;
    return l;
}

/* Elements of a flat vector of these views. */
static size_t total(const View *views, int count)
{
    return count ? views[count - 1].at + (size_t)views[count - 1].count : 0;
}

/* The sizes of layers are multiplied here: in double, because nothing may overflow. */
static int view(View *views, int *count, const char *layer, const char *part, int dims,
                const int shape[])
{
    View *v = &views[*count];
    *v = (View){.at = total(views, *count), .count = 1, .dims = dims, .decay = dims > 1};
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

/* ---- life ---- */

static Tensor flat(Model *m, const View *views, int count)
{
    return count ? tensor_new(m->be, F32, (int)total(views, count), 1, 1, 1, 0) : NO_TENSOR;
}

/* Before anything is allocated: parameters, their gradients, a copy on the host; packed filters;
 * the batch. */
static void require_memory(const Model *m)
{
    double params = (double)total(m->views, m->nviews),
           state = (double)total(m->state_views, m->nstate),
           packed = m->be->op->conv_packed ? params : 0;
    char *what = format_new("a model %s of %.4g parameters for batches of %d", m->spec.name, params,
                            m->batch);
    backend_require(m->be, sizeof(float) * (3 * params + 2 * state + packed) + model_batch_bytes(m),
                    what, "lower the batch size, or choose a smaller network");
    free(what);
}

/* Layers, views and shapes; no tensor has a buffer yet. */
static Model *planned(Backend *be, const ModelSpec *spec, int batch)
{
    REQUIRE(batch >= 1 && batch <= 1 << 20, "batch of %d: expected 1 to 1048576", batch);
    REQUIRE(spec->ghost >= 0, "ghost batch of %d: expected 0 (off) or more", spec->ghost);
    ASSERT(spec->h > 0 && spec->w > 0 && spec->c > 0 && spec->classes > 1);
    Model *m = alloc(1, sizeof *m);
    *m = (Model){.be = be, .spec = *spec, .batch = batch, .stats_ranks = 1};
    m->s = be->op->stream_new(be, 0);
    m->plan = alloc(1, sizeof *m->plan);
    m->layers = alloc(MAX_LAYERS, sizeof(Layer));
    m->views = alloc(2 * MAX_LAYERS, sizeof(View));
    m->state_views = alloc(2 * MAX_LAYERS, sizeof(View));
    m->plan->shape[0] = (Shape){spec->h, spec->w, spec->c};
    REQUIRE(model_zoo(m),
            "model '%s': expected linear, mlp, cnn, resnetD (D = 8, 14, 20, … 56 …), wrn16-K (K = "
            "1 to 20) or airbench-W (W = 1 to 512; also airbench-W-silu, airbench-W-relu)",
            spec->name);
    model_plan(m);
    require_memory(m);
    return m;
}

Model *model_new(Backend *be, const ModelSpec *spec, int batch)
{
    Model *m = planned(be, spec, batch);
    m->params = flat(m, m->views, m->nviews);
    m->grads = flat(m, m->views, m->nviews);
    m->state = flat(m, m->state_views, m->nstate);
    model_reserve(m);
    m->logits = m->plan->act[m->nlayers];
    return m;
}

void model_check(Backend *be, const ModelSpec *spec, int batch)
{
    model_free(planned(be, spec, batch));
}

void model_free(Model *m)
{
    if (!m)
        return;
    model_plan_free(m);
    tensor_free(m->be, m->params);
    tensor_free(m->be, m->grads);
    tensor_free(m->be, m->state);
    m->be->op->stream_free(m->s);
    free(m->layers);
    free(m->views);
    free(m->state_views);
    free(m);
}

/* ---- initial weights ---- */

static void draw(float *w, const Layer *l, const View *v, bool bias, Rng *r)
{
    if (l->kind == LAYER_ACTIVATION || (l->kind == LAYER_BATCHNORM && l->fixed))
        return; /* 0 */
    int fan_in = v->count / v->shape[0];
    double spread = l->kind == LAYER_CONV ? sqrt(2.0 / (l->out * l->kernel * l->kernel))
                                          : 1 / sqrt(fan_in);
    for (int i = 0; i < v->count; i++)
        if (l->kind == LAYER_BATCHNORM)
            w[i] = bias ? 0 : 1;
        else
            w[i] = (float)(spread *
                           (l->kind == LAYER_CONV ? rng_normal(r) : 2 * rng_uniform(r) - 1));
}

void model_init(Model *m, uint64_t seed)
{
    float *w = alloc(m->params.n, sizeof(float)), *state = alloc(m->state.n + 1, sizeof(float));
    for (int i = 0; i < m->nlayers; i++) {
        const Layer *l = &m->layers[i];
        if (l->w == NONE)
            continue;
        Rng r = rng_at(seed, RNG_WEIGHTS, l->w, 0);
        draw(w + m->views[l->w].at, l, &m->views[l->w], false, &r);
        if (l->kind == LAYER_DENSE &&
            l->b != NONE) { /* the bias is drawn like the weights, with their fan-in */
            double spread = 1 / sqrt(m->views[l->w].shape[1]);
            for (int k = 0; k < l->out; k++)
                w[m->views[l->b].at + k] = (float)(spread * (2 * rng_uniform(&r) - 1));
        }
        if (l->kind == LAYER_BATCHNORM) {
            if (!l->fixed)
                draw(w + m->views[l->b].at, l, &m->views[l->b], true, &r);
            for (int c = 0; c < l->out; c++)
                state[m->state_views[l->s + 1].at + c] = 1;
        }
    }
    m->be->op->upload(m->s, m->params, w);
    if (m->state.buf)
        m->be->op->upload(m->s, m->state, state);
    model_first_loss_scale(m);    /* a second training must not depend on the first */
    m->be->op->stream_sync(m->s); /* before the host's copies are freed */
    free(w);
    free(state);
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

double model_flops(const Model *m)
{
    double flops = 0;
    for (int i = 0; i < m->nlayers; i++) {
        const Layer *l = &m->layers[i];
        Shape y = m->plan->shape[i + 1];
        if (l->kind == LAYER_CONV || l->kind == LAYER_DENSE)
            flops += 2.0 * m->views[l->w].count * y.h * y.w;
    }
    return flops;
}
