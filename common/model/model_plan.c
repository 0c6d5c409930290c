/* model_plan.c: a network's memory for a batch, planned once: activations, their gradients,
 * convolutions' plans. */
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
    switch (l->kind) {
    case LAYER_CONV: return m->be->activations;
    case LAYER_AVGPOOL:
    case LAYER_FLATTEN:
    case LAYER_DENSE: return F32;
    default: return type_of(m, l->in);
    }
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
            p->slot[p->slots++] = tensor_new(m->be, type_of(m, a), m->batch, x.h, x.w, x.c, halo);
        free_below[k] = a - 1;
        p->grad[a] = p->slot[k];
    }
}

static void plan_norm(Model *m, int i)
{
    struct ModelPlan *p = m->plan;
    const Layer *l = &m->layers[i];
    int C = l->out, group = m->spec.ghost ? m->spec.ghost : m->batch,
        G = (m->batch + group - 1) / group;
    p->norm[i] = (BatchNorm){.gamma = model_view(m->params, &m->views[l->w]),
                             .beta = model_view(m->params, &m->views[l->b]),
                             .running_mean = model_view(m->state, &m->state_views[l->s]),
                             .running_var = model_view(m->state, &m->state_views[l->s + 1]),
                             .mean = tensor_new(m->be, F32, G, 1, 1, C, 0),
                             .istd = tensor_new(m->be, F32, G, 1, 1, C, 0),
                             .group = group,
                             .relu = l->relu,
                             .eps = 1e-5f,
                             .momentum = 0.1f};
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
        p->act[i + 1] = tensor_new(be, type_of(m, i + 1), m->batch, y.h, y.w, y.c,
                                   halo_of(m, i + 1));
        if (l->kind == LAYER_CONV)
            p->conv[i] = be->op->conv_plan_new(be, p->act[i + 1], p->act[l->in], l->kernel,
                                               l->stride);
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

void model_plan(Model *m)
{
    plan_activations(m);
    plan_gradients(m);
}

void model_plan_free(Model *m)
{
    struct ModelPlan *p = m->plan;
    model_recordings_free(m);
    for (int i = 0; i < m->nlayers; i++) {
        tensor_free(m->be, p->act[i + 1]);
        tensor_free(m->be, p->held[i + 1]);
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
    free(p);
}
