/* model.c: building a network: the list of layers, the flat vectors and their views, initial weights.
 * Passes: model_pass.c. */
#include "model.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "model_build.h"
#include "rng.h"

/* ---- the list of layers ---- */

static Layer *append(Model *m, LayerKind kind, const char *name, int in, Shape out)
{
    ASSERT(m->nlayers < MAX_LAYERS);
    REQUIRE(out.h > 0 && out.w > 0 && out.c > 0, "model %s: pictures of %dx%d are too small for it", m->spec.name, m->spec.h,
            m->spec.w);
    Layer *l = &m->layers[m->nlayers++];
    *l = (Layer){.kind = kind, .in = in, .residual = NONE, .out = out.c, .w = NONE, .b = NONE, .s = NONE};
    snprintf(l->name, sizeof l->name, "%s", name);
    m->plan->shape[m->nlayers] = out;
    return l;
}

static int view(View *views, int *count, const char *layer, const char *part, int dims, const int shape[])
{
    View *v = &views[*count], *before = v - 1;
    *v = (View){.at = *count ? before->at + before->count : 0, .count = 1, .dims = dims, .decay = dims > 1};
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
    Layer *l = append(m, LAYER_CONV, name, in, (Shape){(x.h + stride - 1) / stride, (x.w + stride - 1) / stride, out});
    l->kernel = kernel;
    l->stride = stride;
    l->residual = residual;
    l->w = weight(m, name, "weight", 4, (int[]){out, x.c, kernel, kernel});
    return m->nlayers;
}

int model_batchnorm(Model *m, int in, const char *name, bool relu, int residual)
{
    Shape x = m->plan->shape[in];
    Layer *l = append(m, LAYER_BATCHNORM, name, in, x);
    l->relu = relu;
    l->residual = residual;
    l->w = weight(m, name, "weight", 1, &x.c);
    l->b = weight(m, name, "bias", 1, &x.c);
    l->s = view(m->state_views, &m->nstate, name, "running_mean", 1, &x.c);
    view(m->state_views, &m->nstate, name, "running_var", 1, &x.c);
    return m->nlayers;
}

int model_dense(Model *m, int in, const char *name, int out)
{
    Shape x = m->plan->shape[in];
    if (x.h * x.w > 1) {
        x = (Shape){1, 1, x.h * x.w * x.c};
        append(m, LAYER_FLATTEN, "flatten", in, x);
        in = m->nlayers;
    }
    Layer *l = append(m, LAYER_DENSE, name, in, (Shape){1, 1, out});
    l->w = weight(m, name, "weight", 2, (int[]){out, x.c});
    l->b = weight(m, name, "bias", 1, &out);
    return m->nlayers;
}

int model_relu(Model *m, int in)
{
    append(m, LAYER_RELU, "relu", in, m->plan->shape[in]);
    return m->nlayers;
}

int model_maxpool(Model *m, int in)
{
    Shape x = m->plan->shape[in];
    append(m, LAYER_MAXPOOL, "maxpool", in, (Shape){x.h / 2, x.w / 2, x.c});
    return m->nlayers;
}

int model_avgpool(Model *m, int in)
{
    append(m, LAYER_AVGPOOL, "avgpool", in, (Shape){1, 1, m->plan->shape[in].c});
    return m->nlayers;
}

/* ---- memory for a batch, planned once ---- */

/* The border that activation a needs: what the convolutions that read it ask for. */
static int halo_of(Model *m, int a)
{
    int halo = 0;
    for (int i = 0; i < m->nlayers; i++)
        if (m->layers[i].kind == LAYER_CONV && m->layers[i].in == a) {
            int h = m->be->op->conv_halo(m->be, m->layers[i].kernel);
            halo = h > halo ? h : halo;
        }
    return halo;
}

/* The border that the gradient of activation a needs: what the convolution that made a asks for on its way back. */
static int grad_halo(Model *m, int a)
{
    const Layer *l = &m->layers[a - 1];
    return l->kind == LAYER_CONV ? m->be->op->conv_halo(m->be, l->kernel) : 0;
}

/* The layer that is the first of the backward pass to write the gradient of activation a: a's last reader, else the
 * loss. */
static int first_writer(const Model *m, int a)
{
    for (int i = m->nlayers - 1; i >= a; i--)
        if (m->layers[i].in == a || m->layers[i].residual == a)
            return i;
    return m->nlayers;
}

/* Give every activation's gradient a slot. It lives from its first writer's turn to its producer's; then another
 * gradient of the same shape takes the slot over (of the same shape and halo, so that the border stays zero). */
static void plan_gradients(Model *m)
{
    struct ModelPlan *p = m->plan;
    int free_below[MAX_LAYERS]; /* slot k is free again for layers below this one */
    for (int a = m->nlayers; a >= 1; a--) {
        Shape x = p->shape[a];
        int halo = grad_halo(m, a), k = 0;
        for (; k < p->slots; k++) {
            Tensor t = p->slot[k];
            if (t.h == x.h && t.w == x.w && t.c == x.c && t.halo == halo && first_writer(m, a) < free_below[k])
                break;
        }
        if (k == p->slots)
            p->slot[p->slots++] = tensor_new(m->be, F32, m->batch, x.h, x.w, x.c, halo);
        free_below[k] = a - 1;
        p->grad[a] = p->slot[k];
    }
}

static void plan_norm(Model *m, int i)
{
    struct ModelPlan *p = m->plan;
    const Layer *l = &m->layers[i];
    int C = l->out, group = m->spec.ghost ? m->spec.ghost : m->batch, G = (m->batch + group - 1) / group;
    p->norm[i] = (BatchNorm){
        .gamma = model_view(m->params, &m->views[l->w]), .beta = model_view(m->params, &m->views[l->b]),
        .running_mean = model_view(m->state, &m->state_views[l->s]),
        .running_var = model_view(m->state, &m->state_views[l->s + 1]),
        .mean = tensor_new(m->be, F32, G, 1, 1, C, 0), .istd = tensor_new(m->be, F32, G, 1, 1, C, 0),
        .group = group, .relu = l->relu, .eps = 1e-5f, .momentum = 0.1f};
}

static void plan_activations(Model *m)
{
    struct ModelPlan *p = m->plan;
    Backend *be = m->be;
    int widest = 1;
    p->halo = halo_of(m, 0);
    p->act[0] = (Tensor){NULL, 0, F32, m->batch, m->spec.h, m->spec.w, m->spec.c, p->halo};
    for (int i = 0; i < m->nlayers; i++) {
        Layer *l = &m->layers[i];
        Shape y = p->shape[i + 1];
        p->act[i + 1] = tensor_new(be, F32, m->batch, y.h, y.w, y.c, halo_of(m, i + 1));
        if (l->kind == LAYER_CONV)
            p->conv[i] = be->op->conv_plan_new(be, p->act[i + 1], p->act[l->in], l->kernel, l->stride);
        if (l->kind == LAYER_MAXPOOL)
            p->which[i] = tensor_new(be, U8, m->batch, y.h, y.w, y.c, 0);
        if (l->kind == LAYER_BATCHNORM) {
            plan_norm(m, i);
            widest = l->out > widest ? l->out : widest;
        }
    }
    p->moments = tensor_new(be, F32, m->batch, 2, 1, widest, 0);
    p->sums = tensor_new(be, F64, m->batch, 2, 1, widest, 0);
}

/* ---- life ---- */

static Tensor flat(Model *m, const View *views, int count)
{
    return count ? tensor_new(m->be, F32, (int)(views[count - 1].at + views[count - 1].count), 1, 1, 1, 0) : NO_TENSOR;
}

Model *model_new(Backend *be, const ModelSpec *spec, int batch)
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
    REQUIRE(model_zoo(m), "model '%s': expected linear, mlp, cnn, resnetD (D = 8, 14, 20, … 56 …) or wrn16-K (K = 1 to 20)",
            spec->name);
    m->params = flat(m, m->views, m->nviews);
    m->grads = flat(m, m->views, m->nviews);
    m->state = flat(m, m->state_views, m->nstate);
    plan_activations(m);
    plan_gradients(m);
    m->logits = m->plan->act[m->nlayers];
    return m;
}

void model_free(Model *m)
{
    if (!m)
        return;
    struct ModelPlan *p = m->plan;
    for (int i = 0; i < m->nlayers; i++) {
        tensor_free(m->be, p->act[i + 1]);
        tensor_free(m->be, p->which[i]);
        tensor_free(m->be, p->norm[i].mean);
        tensor_free(m->be, p->norm[i].istd);
        if (p->conv[i])
            m->be->op->conv_plan_free(p->conv[i]);
    }
    for (int k = 0; k < p->slots; k++)
        tensor_free(m->be, p->slot[k]);
    tensor_free(m->be, p->moments);
    tensor_free(m->be, p->sums);
    tensor_free(m->be, m->params);
    tensor_free(m->be, m->grads);
    tensor_free(m->be, m->state);
    m->be->op->stream_free(m->s);
    free(p);
    free(m->layers);
    free(m->views);
    free(m->state_views);
    free(m);
}

/* ---- initial weights ---- */

static void draw(float *w, const Layer *l, const View *v, bool bias, Rng *r)
{
    int fan_in = v->count / v->shape[0];
    double spread = l->kind == LAYER_CONV ? sqrt(2.0 / (l->out * l->kernel * l->kernel)) : 1 / sqrt(fan_in);
    for (int i = 0; i < v->count; i++)
        if (l->kind == LAYER_BATCHNORM)
            w[i] = bias ? 0 : 1;
        else
            w[i] = (float)(spread * (l->kind == LAYER_CONV ? rng_normal(r) : 2 * rng_uniform(r) - 1));
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
        if (l->kind == LAYER_DENSE) { /* the bias is drawn like the weights, with their fan-in */
            double spread = 1 / sqrt(m->views[l->w].shape[1]);
            for (int k = 0; k < l->out; k++)
                w[m->views[l->b].at + k] = (float)(spread * (2 * rng_uniform(&r) - 1));
        }
        if (l->kind == LAYER_BATCHNORM) {
            draw(w + m->views[l->b].at, l, &m->views[l->b], true, &r);
            for (int c = 0; c < l->out; c++)
                state[m->state_views[l->s + 1].at + c] = 1;
        }
    }
    m->be->op->upload(m->s, m->params, w);
    if (m->state.buf)
        m->be->op->upload(m->s, m->state, state);
    m->be->op->stream_sync(m->s); /* before the host's copies go */
    free(w);
    free(state);
}

/* ---- looking at it ---- */

Tensor model_view(Tensor flat_vector, const View *v) { return tensor_slice(flat_vector, v->at, v->count); }
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
