/* model.c: a network's life: its flat vectors, and initial weights. Its layers: model_zoo.c, from
 * those of model_layers.c. Memory for a batch: model_plan.c. The passes: model_pass.c.
 */
#include "model.h"
#include "check.h"
#include "model_build.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>

static Tensor flat(Model *m, const View *views, int count)
{
    return count ? tensor_new(m->be, F32, (int)view_elements(views, count), 1, 1, 1, 0) : NO_TENSOR;
}

/* Before anything is allocated: parameters, their gradients, a copy on the host; packed filters;
 * the batch. */
static void require_memory(const Model *m)
{
    double params = (double)view_elements(m->views, m->nviews),
           state = (double)view_elements(m->state_views, m->nstate),
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
            "1 to 20), airbench-W (W = 1 to 512; also airbench-W-silu, airbench-W-relu) or, for "
            "text, gpt-D-L-H (width, layers, heads; also gpt-D-L-H-post)",
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
    model_recordings_free(m);
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
    if (l->std > 0) {
        for (int i = 0; i < v->count; i++)
            w[i] = (float)(l->std * rng_normal(r));
        return;
    }
    int fan_in = v->count / v->shape[0];
    double spread = l->kind == LAYER_CONV ? sqrt(2.0 / (l->out * l->kernel * l->kernel))
                                          : 1 / sqrt(fan_in);
    for (int i = 0; i < v->count; i++)
        if (l->kind == LAYER_BATCHNORM || l->kind == LAYER_LAYERNORM)
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
        if (l->kind == LAYER_EMBEDDING)
            draw(w + m->views[l->b].at, l, &m->views[l->b], true, &r);
        if (l->kind == LAYER_DENSE && l->b != NONE &&
            l->std == 0) { /* the bias is drawn like the weights, with their fan-in */
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
