/* model_plan.c: a network's memory for a batch, planned once: activations, their gradients,
 * convolutions' plans. Planned means shapes without buffers: how much memory they take is known
 * before any is taken.
 */
#include "check.h"
#include "model_build.h"
#include <stdlib.h>

/* The halo of activation a: the largest that a convolution reading it needs. */
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

/* The halo of the gradient of activation a: that of the convolution that made a, for its backward
 * pass. */
static int grad_halo(Model *m, int a)
{
    const Layer *l = &m->layers[a - 1];
    return l->kind == LAYER_CONV ? m->be->op->conv_halo(m->be, l->kernel) : 0;
}

static bool dense_reads(const Model *m, int a)
{
    for (int i = a; i < m->nlayers; i++)
        if (m->layers[i].kind == LAYER_DENSE && m->layers[i].in == a)
            return true;
    return false;
}

/* The type of activation a and its gradient: between convolutions the backend's; F32 for input
 * images and around dense layers. */
static DType type_of(const Model *m, int a)
{
    if (a == 0 || dense_reads(m, a))
        return F32;
    const Layer *l = &m->layers[a - 1];
    switch (layer_kinds[l->kind].type) {
    case OF_DEVICE: return m->be->activations;
    case OF_INPUT: return type_of(m, l->in);
    default: return F32;
    }
}

/* [batch,h,w,c], without a buffer yet. */
static Tensor planned(const Model *m, DType dtype, Shape x, int halo)
{
    return (Tensor){NULL, 0, dtype, m->batch, x.h, x.w, x.c, halo};
}

/* The layer that is the first of the backward pass to write the gradient of activation a: a's last
 * reader, else the loss. */
static int first_writer(const Model *m, int a)
{
    for (int i = m->nlayers - 1; i >= a; i--)
        if (m->layers[i].in == a || m->layers[i].residual == a)
            return i;
    return m->nlayers;
}

/* Give every activation's gradient a slot. It lives from its first writer's turn to its producer's;
 * then another gradient of the same shape takes the slot over (of the same shape, type and halo, so
 * that the border stays zero). */
static void plan_gradients(Model *m)
{
    struct ModelPlan *p = m->plan;
    int free_below[MAX_LAYERS]; /* slot k is free for layers below this one */
    for (int a = m->nlayers; a >= 1; a--) {
        Shape x = p->shape[a];
        int halo = grad_halo(m, a), k = 0;
        for (; k < p->slots; k++) {
            Tensor t = p->slot[k];
            if (t.h == x.h && t.w == x.w && t.c == x.c && t.dtype == type_of(m, a) &&
                t.halo == halo && first_writer(m, a) < free_below[k])
                break;
        }
        if (k == p->slots)
            p->slot[p->slots++] = planned(m, type_of(m, a), x, halo);
        free_below[k] = a - 1;
        p->slot_of[a] = k;
    }
}

static void plan_norm(Model *m, int i)
{
    struct ModelPlan *p = m->plan;
    const Layer *l = &m->layers[i];
    bool ghost = m->spec.ghost > 0 && m->spec.ghost < m->batch;
    int group = ghost ? m->spec.ghost : m->batch, G = (m->batch + group - 1) / group;
    Tensor each = tensor_matrix(NULL, 0, F32, G, l->out);
    p->norm[i] = (BatchNorm){.mean = each,
                             .istd = each,
                             .group = group,
                             .relu = l->relu,
                             .eps = l->eps,
                             .momentum = l->momentum};
}

static void plan_activations(Model *m)
{
    struct ModelPlan *p = m->plan;
    int widest = 1, without_gamma = 0;
    p->halo = halo_of(m, 0);
    p->act[0] = planned(m, F32, p->shape[0], p->halo);
    for (int i = 0; i < m->nlayers; i++) {
        Layer *l = &m->layers[i];
        Shape y = p->shape[i + 1];
        p->act[i + 1] = planned(m, type_of(m, i + 1), y, halo_of(m, i + 1));
        if (l->kind == LAYER_MAXPOOL)
            p->which[i] = planned(m, U8, y, 0);
        if (l->kind == LAYER_LAYERNORM)
            p->saved[i] = planned(m, F32, (Shape){y.h, y.w, 2}, 0);
        if (l->kind == LAYER_ATTENTION)
            p->saved[i] = planned(m, F32, (Shape){l->heads, y.w, 2}, 0);
        if (l->kind == LAYER_BATCHNORM) {
            plan_norm(m, i);
            widest = l->out > widest ? l->out : widest;
            if (l->fixed && l->out > without_gamma)
                without_gamma = l->out;
        }
    }
    p->moments = planned(m, F32, (Shape){2, 1, widest}, 0);
    p->sums = planned(m, F64, (Shape){2, 1, widest}, 0);
    p->ones = p->unused = tensor_vector(NULL, 0, F32, without_gamma);
}

void model_plan(Model *m)
{
    plan_activations(m);
    plan_gradients(m);
}

static double bytes_of(Tensor t) { return (double)tensor_span(t) * (double)dtype_size(t.dtype); }

double model_batch_bytes(const Model *m)
{
    const struct ModelPlan *p = m->plan;
    double bytes = bytes_of(p->moments) + bytes_of(p->sums) + 2 * bytes_of(p->ones);
    for (int i = 0; i < m->nlayers; i++)
        bytes += bytes_of(p->act[i + 1]) + bytes_of(p->which[i]) + bytes_of(p->saved[i]) +
                 2 * bytes_of(p->norm[i].mean);
    for (int k = 0; k < p->slots; k++)
        bytes += bytes_of(p->slot[k]);
    return bytes;
}

double model_activation_bytes(const Model *m, int a) { return bytes_of(m->plan->act[a]); }

/* ---- taking the memory ---- */

static void take(Backend *be, Tensor *t)
{
    if (t->n)
        *t = tensor_new(be, t->dtype, t->n, t->h, t->w, t->c, t->halo);
}

static void take_norm(Model *m, int i)
{
    BatchNorm *norm = &m->plan->norm[i];
    const Layer *l = &m->layers[i];
    take(m->be, &norm->mean);
    take(m->be, &norm->istd);
    norm->gamma = l->fixed ? tensor_slice(m->plan->ones, 0, l->out)
                           : model_view(m->params, &m->views[l->w]);
    norm->beta = model_view(m->params, &m->views[l->fixed ? l->w : l->b]);
    norm->running_mean = model_view(m->state, &m->state_views[l->s]);
    norm->running_var = model_view(m->state, &m->state_views[l->s + 1]);
}

static void take_ones(Model *m)
{
    struct ModelPlan *p = m->plan;
    float *ones = alloc((size_t)p->ones.n + 1, sizeof *ones);
    for (int c = 0; c < p->ones.n; c++)
        ones[c] = 1;
    take(m->be, &p->ones);
    take(m->be, &p->unused);
    if (p->ones.n)
        m->be->op->upload(m->s, p->ones, ones);
    m->be->op->stream_sync(m->s);
    free(ones);
}

static void take_loss_scale(Model *m)
{
    if (m->be->precision != PRECISION_FP16)
        return;
    m->plan->loss_scale = tensor_new(m->be, U8, sizeof(LossScale), 1, 1, 1, 0);
    model_first_loss_scale(m);
}

void model_first_loss_scale(Model *m)
{
    static const LossScale first = {.scale = LOSS_SCALE_FIRST};
    if (m->plan->loss_scale.buf)
        m->be->op->upload(m->s, m->plan->loss_scale, &first);
}

static void take_conv(Model *m, int i)
{
    struct ModelPlan *p = m->plan;
    const BackendOps *op = m->be->op;
    const Layer *l = &m->layers[i];
    p->conv[i] = op->conv_plan_new(m->be, p->act[i + 1], p->act[l->in], l->kernel, l->stride);
    if (op->conv_packed)
        p->filters[i] = op->conv_packed(p->conv[i]);
    take(m->be, &p->filters[i]);
}

void model_reserve(Model *m)
{
    struct ModelPlan *p = m->plan;
    Backend *be = m->be;
    take_ones(m);
    take_loss_scale(m);
    for (int i = 0; i < m->nlayers; i++) {
        take(be, &p->act[i + 1]);
        take(be, &p->which[i]);
        take(be, &p->saved[i]);
        if (m->layers[i].kind == LAYER_CONV)
            take_conv(m, i);
        if (m->layers[i].kind == LAYER_BATCHNORM)
            take_norm(m, i);
    }
    for (int k = 0; k < p->slots; k++)
        take(be, &p->slot[k]);
    for (int a = 1; a <= m->nlayers; a++)
        p->grad[a] = p->slot[p->slot_of[a]];
    take(be, &p->moments);
    take(be, &p->sums);
}

void model_activation_drop(Model *m, int a)
{
    bool computed = a >= 1 && a <= m->nlayers; /* 0 is the caller's */
    ASSERT(computed);
    m->be->op->stream_sync(m->s); /* what uses it must be done */
    tensor_free(m->be, m->plan->act[a]);
    m->plan->act[a].buf = NULL;
}

void model_activation_take(Model *m, int a)
{
    bool computed = a >= 1 && a <= m->nlayers;
    ASSERT(computed && !m->plan->act[a].buf);
    take(m->be, &m->plan->act[a]);
}

bool model_may_cut(const Model *m, int i)
{
    bool parted = i < m->nlayers && m->layers[i].kind == LAYER_BATCHNORM && i > 0 &&
                  m->layers[i - 1].kind == LAYER_CONV;
    for (int k = i; k < m->nlayers; k++) {
        const Layer *l = &m->layers[k];
        parted |= l->in < i || (l->residual != NONE && l->residual < i);
    }
    return !parted;
}

void model_plan_free(Model *m)
{
    struct ModelPlan *p = m->plan;
    for (int i = 0; i < m->nlayers; i++) {
        tensor_free(m->be, p->act[i + 1]);
        tensor_free(m->be, p->held[i + 1]);
        tensor_free(m->be, p->which[i]);
        tensor_free(m->be, p->saved[i]);
        tensor_free(m->be, p->filters[i]);
        tensor_free(m->be, p->norm[i].mean);
        tensor_free(m->be, p->norm[i].istd);
        if (p->conv[i])
            m->be->op->conv_plan_free(p->conv[i]);
    }
    for (int k = 0; k < p->slots; k++)
        tensor_free(m->be, p->slot[k]);
    tensor_free(m->be, p->moments);
    tensor_free(m->be, p->sums);
    tensor_free(m->be, p->loss_scale);
    tensor_free(m->be, p->evaluation);
    tensor_free(m->be, p->ones);
    tensor_free(m->be, p->unused);
    free(p);
}
