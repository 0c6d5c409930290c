/* norm_inputs.c: the inputs of one layer's ReLU over a training: their 15th, 50th and 85th
 * percentile on a fixed batch (Ioffe & Szegedy, arXiv 1502.03167, figure 1). With batch norm they
 * are what ghost_norm (exercise 4a) makes of the convolution's output; it must be what the network
 * itself makes of it. */
#include "check.h"
#include "eval_set.h"
#include "lab3.h"
#include "norm_study.h"
#include "quantiles.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE = 64, MOST_VALUES = 20000 };

TrainingSpec norm_spec(const NormStudy *s, const PlainPace *pace, bool norm, int ghost)
{
    const Dataset *d = s->study.lab->data;
    ModelSpec model = model_spec_for(s->model, d);
    model.no_batchnorm = !norm;
    model.ghost = ghost;
    return (TrainingSpec){.be = s->study.lab->be,
                          .data = d,
                          .model = model,
                          .images = s->images,
                          .test = s->test,
                          .batch = pace->batch,
                          .epochs = s->epochs,
                          .sgd = {s->momentum, 0, false, 0},
                          .pace = training_plain,
                          .context = pace};
}

static int layer_of(const Model *m, const char *name)
{
    for (int i = 0; i < m->nlayers; i++)
        if (!strcmp(m->layers[i].name, name))
            return i;
    die(EXIT_USAGE, "--layer=%s: %s has no such convolution followed by batch norm", name,
        m->spec.name);
}

/* As float32, whatever its type. */
static float *fetch(Model *m, Tensor t)
{
    float *v = alloc(tensor_count(t), sizeof *v);
    Tensor wide = tensor_new(m->be, F32, t.n, t.h, t.w, t.c, 0);
    m->be->op->axpy(m->s, wide, 1, t);
    m->be->op->download(m->s, v, wide);
    tensor_free(m->be, wide);
    return v;
}

/* The inputs of the ReLU behind convolution i. */
static float *relu_inputs(NormStudy *s, Model *m, int i, bool norm)
{
    Tensor x = model_activation(m, i + 1);
    float *in = fetch(m, x);
    if (!norm)
        return in;
    const Layer *l = &m->layers[i + 1];
    REQUIRE(l->kind == LAYER_BATCHNORM && l->relu && l->residual < 0,
            "--layer=%s: no batch norm with ReLU right after it", m->layers[i].name);
    float *gamma = fetch(m, model_view(m->params, &m->views[l->w])),
          *beta = fetch(m, model_view(m->params, &m->views[l->b])),
          *after = fetch(m, model_activation(m, i + 2));
    int rows = x.n * x.h * x.w;
    ghost_norm(in, in, gamma, beta, rows, x.c, rows);
    for (size_t k = 0; k < tensor_count(x); k++)
        s->own_norm = fmax(isnan(s->own_norm) ? 0 : s->own_norm, fabs(fmax(in[k], 0) - after[k]));
    free(gamma), free(beta), free(after);
    return in;
}

static void look(NormStudy *s, Model *m, const EvalSet *probe, bool norm, double at[3])
{
    static const double percent[] = {15, 50, 85};
    int i = layer_of(m, s->layer);
    model_forward(m, probe->batch[0].x, MODEL_FROZEN_STATS);
    size_t count = tensor_count(model_activation(m, i + 1)), every = count / MOST_VALUES + 1;
    float *in = relu_inputs(s, m, i, norm);
    double *some = alloc(count / every + 1, sizeof *some);
    int n = 0;
    for (size_t k = 0; k < count; k += every)
        if (isfinite(in[k]))
            some[n++] = in[k];
    sort_ascending(some, n);
    for (int p = 0; p < 3; p++)
        at[p] = n ? some[(int)(percent[p] / 100 * (n - 1))] : NAN;
    free(some);
    free(in);
}

bool norm_watch(NormStudy *s, bool norm, double (*at)[3])
{
    const Dataset *d = s->study.lab->data;
    PlainPace pace = {s->batch, s->rate[0], s->epochs, 0};
    TrainingSpec spec = norm_spec(s, &pace, norm, 0);
    Training *t = training_new(&spec, s->seed);
    int count = PROBE < d->test.count ? PROBE : d->test.count;
    EvalSet *probe = eval_set_new(spec.be, &d->test, d->mean, d->istd, NULL, count, count,
                                  model_halo(t->m));
    bool goes_on = true;
    for (int i = 0; i < NORM_LOOKS && goes_on; i++) {
        double until = s->epochs * i / (NORM_LOOKS - 1) - 1e-9;
        while (goes_on && t->seen < until && training_step(t))
            goes_on = study_goes_on(&s->study);
        look(s, t->m, probe, norm, at[i]);
    }
    eval_set_free(probe);
    training_free(t);
    return goes_on;
}
