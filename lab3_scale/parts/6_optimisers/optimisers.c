/* optimisers.c: see optimisers.h. */
#include "optimisers.h"
#include "check.h"
#include "exercise.h"
#include "lab3.h"
#include <stdlib.h>
#include <string.h>

const char *optimiser_name(OptimiserKind kind)
{
    static const char *const names[OPTIMISERS] = {"momentum", "Nesterov", "LARS",
                                                  "LARC",     "Adam",     "AdamW",
                                                  "LAMB",     "NovoGrad", "Muon"};
    return names[kind];
}

OptimiserSpec optimiser_default(OptimiserKind kind)
{
    OptimiserSpec s = {.kind = kind, .momentum = 0.9, .trust = 0.02, .aside = 0.1};
    s.beta2 = kind == OPTIMISER_NOVOGRAD ? 0.98 : 0.999;
    s.epsilon = kind == OPTIMISER_LAMB ? 1e-6 : 1e-8;
    if (kind == OPTIMISER_MUON)
        s.momentum = 0.95;
    return s;
}

const char *optimiser_missing(const OptimiserSpec *s)
{
    static const char *const own[OPTIMISERS] = {"6a_momentum", "6b_nesterov", "6c_lars",
                                                "6d_larc",     "6e_adam",     "6e_adam",
                                                "6f_lamb",     "6g_novograd", "6h_muon"};
    bool adams = s->kind == OPTIMISER_LAMB || s->kind == OPTIMISER_MUON,
         momentums = s->kind == OPTIMISER_LARS || s->kind == OPTIMISER_LARC;
    const char *const called[] = {own[s->kind], /* and for biases: */
                                  adams       ? "6e_adam"
                                  : momentums ? "6a_momentum"
                                              : NULL,
                                  s->smoothing > 0 ? "6i_smooth_labels" : NULL,
                                  s->keep > 0 ? "6j_average_weights" : NULL};
    for (unsigned i = 0; i < sizeof called / sizeof *called; i++)
        if (called[i] && exercise_missing(called[i]))
            return called[i];
    return NULL;
}

/* What an optimiser keeps for one model. */
typedef struct Optimiser {
    const OptimiserSpec *spec;
    int n, step;
    float *w, *g;          /* the model's own on a CPU; else copies */
    bool copies;           /* … to free */
    float *first, *second; /* [n] */
    float *average;        /* [n]; NULL: none */
    float *dlogits;        /* with smoothing: room for a batch's, */
    int32_t *label;        /* and its labels */
    int table;             /* the view of a language model's embedding of tokens; -1: none */
} Optimiser;

/* Biases, and batch norm's parameters: none of the layer-wise optimisers is meant for them. */
static void update_vector(Optimiser *o, const View *v, double rate)
{
    const OptimiserSpec *s = o->spec;
    float *w = o->w + v->at, *a = o->first + v->at, *b = o->second + v->at;
    const float *g = o->g + v->at;
    AdamOptions adams = {s->momentum, s->beta2, s->epsilon, 0, true};
    switch (s->kind) {
    case OPTIMISER_NESTEROV: nesterov(w, a, g, v->count, rate, s->momentum, 0); break;
    case OPTIMISER_ADAM:
    case OPTIMISER_ADAMW:
    case OPTIMISER_LAMB: adam(w, a, b, g, v->count, o->step, rate, &adams); break;
    case OPTIMISER_NOVOGRAD: novograd(w, a, b, g, v->count, o->step, rate, &adams); break;
    case OPTIMISER_MUON:
        adams.beta1 = 0.9;
        adam(w, a, b, g, v->count, o->step, s->aside * rate, &adams);
        break;
    default: momentum(w, a, g, v->count, rate, s->momentum, 0);
    }
}

/* A dense layer's matrix, or a convolution's filters, one per row. */
static void update_matrix(Optimiser *o, const View *v, double rate)
{
    const OptimiserSpec *s = o->spec;
    float *w = o->w + v->at, *a = o->first + v->at, *b = o->second + v->at;
    const float *g = o->g + v->at;
    int n = v->count, rows = v->shape[0];
    double mu = s->momentum, decay = s->decay;
    AdamOptions adams = {mu, s->beta2, s->epsilon, decay, s->kind == OPTIMISER_ADAMW};
    switch (s->kind) {
    case OPTIMISER_MOMENTUM: momentum(w, a, g, n, rate, mu, decay); break;
    case OPTIMISER_NESTEROV: nesterov(w, a, g, n, rate, mu, decay); break;
    case OPTIMISER_LARS: lars(w, a, g, n, rate, mu, decay, s->trust); break;
    case OPTIMISER_LARC: larc(w, a, g, n, rate, mu, decay, s->trust); break;
    case OPTIMISER_ADAM:
    case OPTIMISER_ADAMW: adam(w, a, b, g, n, o->step, rate, &adams); break;
    case OPTIMISER_LAMB: lamb(w, a, b, g, n, o->step, rate, &adams); break;
    case OPTIMISER_NOVOGRAD: novograd(w, a, b, g, n, o->step, rate, &adams); break;
    default: muon(w, a, g, rows, n / rows, rate, mu, decay);
    }
}

/* Muon leaves the token embedding, a table of one vector per row, to Adam (Jordan et al., 2024). */
static bool is_matrix(const Optimiser *o, const Model *m, int view)
{
    return m->views[view].decay && (o->spec->kind != OPTIMISER_MUON || view != o->table);
}

static void run_update(void *context, Model *m, double rate)
{
    Optimiser *o = context;
    const BackendOps *op = m->be->op;
    op->stream_sync(m->s);
    if (o->copies) {
        op->download(m->s, o->w, m->params);
        op->download(m->s, o->g, m->grads);
    }
    o->step++;
    for (int i = 0; i < m->nviews; i++)
        (is_matrix(o, m, i) ? update_matrix : update_vector)(o, &m->views[i], rate);
    if (o->average) {
        average_weights(o->average, o->w, o->n, o->step, o->spec->keep);
        if (o->step == o->spec->updates)
            memcpy(o->w, o->average, sizeof(float) * (size_t)o->n);
    }
    if (o->copies)
        op->upload(m->s, m->params, o->w);
}

/* model_gradient() with smoothed labels; the sums in totals are the plain loss's. */
static void run_gradient(void *context, Model *m, Tensor totals, const Batch *b)
{
    Optimiser *o = context;
    const BackendOps *op = m->be->op;
    model_zero_grads(m);
    model_forward(m, b->x, MODEL_TRAIN);
    model_loss(m, totals, b->label, NO_TENSOR, true);
    Tensor dlogits = model_loss_gradient(m);
    op->download(m->s, o->dlogits, dlogits);
    op->download(m->s, o->label, b->label);
    smooth_labels(o->dlogits, o->label, b->x.n * model_positions(m), m->spec.classes,
                  o->spec->smoothing);
    op->upload(m->s, dlogits, o->dlogits);
    model_backward(m);
}

/* The vector where the host can reach it; NULL on a GPU. */
static float *host(Model *m, Tensor t)
{
    float *all = m->be->op->buffer_host(t.buf);
    return all ? all + t.at : NULL;
}

static Method make(void *context, Model *m)
{
    Optimiser *o = alloc(1, sizeof *o);
    size_t n = tensor_count(m->params);
    *o = (Optimiser){.spec = context, .n = (int)n, .table = -1};
    if (m->layers[0].kind == LAYER_EMBEDDING)
        o->table = m->layers[0].w;
    o->w = host(m, m->params);
    o->g = host(m, m->grads);
    o->copies = !o->w;
    if (o->copies) {
        o->w = alloc(n, sizeof(float));
        o->g = alloc(n, sizeof(float));
    }
    o->first = alloc(n, sizeof(float));
    o->second = alloc(n, sizeof(float));
    o->average = o->spec->keep > 0 ? alloc(n, sizeof(float)) : NULL;
    size_t labels = (size_t)m->batch * model_positions(m);
    o->dlogits = alloc(labels * m->spec.classes, sizeof(float));
    o->label = alloc(labels, sizeof(int32_t));
    return (Method){.gradient = {o->spec->smoothing > 0 ? run_gradient : NULL, o},
                    .update = {run_update, o}};
}

static void end(void *context, Model *m, const Method *method)
{
    Optimiser *o = method->update.context;
    if (o->copies) {
        free(o->w);
        free(o->g);
    }
    free(o->first);
    free(o->second);
    free(o->average);
    free(o->dlogits);
    free(o->label);
    free(o);
}

MethodMaker optimiser_maker(const OptimiserSpec *spec)
{
    return (MethodMaker){make, end, (void *)(uintptr_t)spec};
}
