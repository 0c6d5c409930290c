/* model_pass.c: the forward pass walks the list of layers from its start, the backward pass from
 * its end. */
#include "check.h"
#include "model_build.h"
#include "observer.h"

/* The part of a planned tensor that the current batch of n images uses. */
static Tensor act(const Model *m, int a) { return tensor_first(m->plan->act[a], m->plan->n); }
static Tensor grad(const Model *m, int a) { return tensor_first(m->plan->grad[a], m->plan->n); }
static Tensor param(const Model *m, int view)
{
    return m->params_at ? m->params_at[view] : model_view(m->params, &m->views[view]);
}
static Tensor dparam(const Model *m, int view)
{
    return m->grads_at ? m->grads_at[view] : model_view(m->grads, &m->views[view]);
}
/* Layer i's batch norm, with its parameters where they lie now. */
static BatchNorm norm_of(const Model *m, int i)
{
    BatchNorm bn = m->plan->norm[i];
    const Layer *l = &m->layers[i];
    if (!l->fixed)
        bn.gamma = param(m, l->w);
    bn.beta = param(m, l->fixed ? l->w : l->b);
    return bn;
}
static Tensor optional(const Model *m, int a) { return a == NONE ? NO_TENSOR : act(m, a); }
static Tensor optional_param(const Model *m, int v) { return v == NONE ? NO_TENSOR : param(m, v); }
static Tensor optional_dparam(const Model *m, int v)
{
    return v == NONE ? NO_TENSOR : dparam(m, v);
}

/* The activation whose signs a ReLU's backward pass uses. */
static Tensor gate(const Model *m, int a)
{
    return m->plan->holding ? tensor_first(m->plan->held[a], m->plan->n) : act(m, a);
}

/* Max pooling's positions. */
static Tensor which(const Model *m, int i) { return tensor_first(m->plan->which[i], m->plan->n); }
static Tensor saved(const Model *m, int i) { return tensor_first(m->plan->saved[i], m->plan->n); }

/* The input batch, or the same flattened. */
static bool is_input(const Model *m, int a)
{
    return a == 0 || (a == 1 && m->layers[0].kind == LAYER_FLATTEN);
}

/* Weights as matrices [K, everything else]. */
static Tensor matrix(Tensor vector, int rows)
{
    vector.c = vector.n / rows;
    vector.n = rows;
    return vector;
}

/* Each position is a sample of its own: [N*H*W,C]. */
static Tensor rows(Tensor t)
{
    t.n *= t.h * t.w;
    t.h = t.w = 1;
    return t;
}

/* A dense layer's weights, its own or another layer's; as a matrix: they, or their gradient. */
static int weights_of(const Layer *l) { return l->w == NONE ? l->tied : l->w; }
static Tensor dense_matrix(const Layer *l, Tensor weights)
{
    ASSERT(given(weights));
    return matrix(weights, l->out);
}
static Tensor dense_weights(const Model *m, const Layer *l)
{
    return dense_matrix(l, param(m, weights_of(l)));
}

static Tensor moments(const Model *m, int C) /* [n,2,C] */
{
    return (Tensor){m->plan->moments.buf, 0, F32, m->plan->n, 2, 1, C, 0};
}

static Tensor sums(const Model *m, const BatchNorm *bn, int C) /* F64 [G,2,C] */
{
    return (
        Tensor){m->plan->sums.buf, 0, F64, (m->plan->n + bn->group - 1) / bn->group, 2, 1, C, 0};
}

static const char *name_of(const Layer *l)
{
    return l->name[0] ? l->name : layer_kinds[l->kind].name;
}

/* ---- a convolution's weights ---- */

/* Layer i's, packed for this pass or not. */
static Tensor filters(const Model *m, int i)
{
    const Layer *l = &m->layers[i];
    return m->plan->packed && given(m->plan->filters[i]) ? m->plan->filters[i]
                                                         : matrix(param(m, l->w), l->out);
}

/* All at once, where all are there before the first layer's pass. */
static void pack_filters(Model *m, bool all_here)
{
    ConvPlan *plans[MAX_LAYERS];
    Tensor to[MAX_LAYERS], from[MAX_LAYERS];
    int n = 0;
    m->plan->packed = false;
    for (int i = 0; i < m->nlayers && all_here; i++)
        if (given(m->plan->filters[i])) {
            plans[n] = m->plan->conv[i];
            to[n] = m->plan->filters[i];
            from[n++] = filters(m, i);
        }
    m->plan->packed = n > 0;
    if (n > 0)
        m->be->op->conv_pack(m->s, n, plans, to, from);
}

/* ---- forward ---- */

static void conv_forward(Model *m, int i, ModelMode mode)
{
    const Layer *l = &m->layers[i];
    bool feeds_norm = i + 1 < m->nlayers && m->layers[i + 1].kind == LAYER_BATCHNORM &&
                      m->layers[i + 1].in == i + 1;
    Tensor mom = feeds_norm && mode != MODEL_EVAL ? moments(m, l->out) : NO_TENSOR;
    m->be->op->conv_forward(m->s, m->plan->conv[i], act(m, i + 1), mom, act(m, l->in),
                            filters(m, i), optional(m, l->residual));
}

/* Of x, whose moments are there; with the other ranks' where the hook adds their sums. */
static void norm_statistics(Model *m, const BatchNorm *bn, Tensor sum, Tensor x, bool update)
{
    const BackendOps *op = m->be->op;
    int pixels = x.h * x.w;
    if (!m->stats_hook) {
        op->bn_statistics(m->s, bn, sum, moments(m, x.c), pixels, update);
        return;
    }
    op->bn_sums(m->s, sum, moments(m, x.c), pixels, bn->group);
    m->stats_hook(m->stats_context, sum, m->s);
    op->bn_finish(m->s, bn, sum, x.n, pixels, m->stats_ranks, update);
}

static void batchnorm_forward(Model *m, int i, ModelMode mode)
{
    const BackendOps *op = m->be->op;
    const Layer *l = &m->layers[i];
    BatchNorm bn = norm_of(m, i);
    Tensor x = act(m, l->in);
    if (mode == MODEL_EVAL) {
        bn.group = m->batch;
        op->bn_running(m->s, &bn);
    } else {
        Tensor sum = sums(m, &bn, l->out);
        /* conv_forward computed them */
        bool have_moments = i > 0 && l->in == i && m->layers[i - 1].kind == LAYER_CONV;
        if (!have_moments)
            op->image_moments(m->s, moments(m, l->out), x);
        norm_statistics(m, &bn, sum, x, mode == MODEL_TRAIN);
    }
    bool held = bn.relu && m->plan->holding;
    bn.relu &= !held;
    op->bn_forward(m->s, act(m, i + 1), &bn, x, optional(m, l->residual));
    if (held)
        op->relu_backward(m->s, act(m, i + 1), act(m, i + 1), gate(m, i + 1), false);
}

static void relu_forward(Model *m, int i, ModelMode mode)
{
    Tensor y = act(m, i + 1), x = act(m, m->layers[i].in);
    if (m->plan->holding)
        /* the same elements pass, with new values */
        m->be->op->relu_backward(m->s, y, x, gate(m, i + 1), false);
    else
        m->be->op->relu_forward(m->s, y, x);
}

/* A matrix times a number. */
static void scale(Model *m, Tensor t, float by)
{
    if (by != 1)
        m->be->op->scale(m->s, tensor_vector(t.buf, t.at, F32, t.n * t.c), by);
}

static void dense_forward(Model *m, int i, ModelMode mode)
{
    const Layer *l = &m->layers[i];
    Tensor y = rows(act(m, i + 1));
    m->be->op->dense_forward(m->s, y, rows(act(m, l->in)), dense_weights(m, l),
                             optional_param(m, l->b));
    scale(m, y, l->scale);
    if (l->residual != NONE)
        m->be->op->axpy(m->s, act(m, i + 1), 1, act(m, l->residual));
}

static void maxpool_forward(Model *m, int i, ModelMode mode)
{
    const Layer *l = &m->layers[i];
    m->be->op->maxpool_forward(m->s, act(m, i + 1), which(m, i), act(m, l->in), l->kernel);
}

static void avgpool_forward(Model *m, int i, ModelMode mode)
{
    m->be->op->avgpool_forward(m->s, act(m, i + 1), act(m, m->layers[i].in));
}

static void flatten_forward(Model *m, int i, ModelMode mode)
{
    m->be->op->flatten_forward(m->s, act(m, i + 1), act(m, m->layers[i].in));
}

static void activation_forward(Model *m, int i, ModelMode mode)
{
    const Layer *l = &m->layers[i];
    m->be->op->act_forward(m->s, act(m, i + 1), act(m, l->in), optional_param(m, l->w), l->f);
}

static void embedding_forward(Model *m, int i, ModelMode mode)
{
    const Layer *l = &m->layers[i];
    m->be->op->embedding_forward(m->s, act(m, i + 1), act(m, l->in),
                                 matrix(param(m, l->w), m->spec.classes),
                                 matrix(param(m, l->b), m->spec.w));
}

static void layernorm_forward(Model *m, int i, ModelMode mode)
{
    const Layer *l = &m->layers[i];
    m->be->op->layernorm_forward(m->s, act(m, i + 1), saved(m, i), act(m, l->in), param(m, l->w),
                                 param(m, l->b), l->eps);
}

static void attention_forward(Model *m, int i, ModelMode mode)
{
    const Layer *l = &m->layers[i];
    m->be->op->attention_forward(m->s, act(m, i + 1), saved(m, i), act(m, l->in), l->heads);
}

static void layer_forward(Model *m, int i, ModelMode mode)
{
#define FORWARD(KIND, name, ...) name##_forward,
    static void (*const forward[])(Model *, int, ModelMode) = {LAYER_KINDS(FORWARD)};
    forward[m->layers[i].kind](m, i, mode);
}

static void before(Model *m, int i, bool backward)
{
    if (m->before_hook)
        m->before_hook(m->layer_context, i, backward, m->s);
}

void model_forward_part(Model *m, Tensor x, int first, int end, ModelMode mode)
{
    Shape s = m->plan->shape[0];
    ASSERT(first >= 0 && first < end && end <= m->nlayers);
    ASSERT(x.n >= 1 && x.n <= m->batch && x.h == s.h && x.w == s.w && x.c == s.c && x.dtype == F32);
    ASSERT(!m->plan->holding || x.n == m->plan->held_n);
    m->plan->n = x.n;
    m->plan->act[0] = x;
    range_begin(m->be, "forward");
    pack_filters(m, first == 0 && end == m->nlayers && !m->before_hook && !m->params_at);
    for (int i = first; i < end; i++) {
        range_begin(m->be, name_of(&m->layers[i]));
        before(m, i, false);
        layer_forward(m, i, mode);
        range_end(m->be);
        if (m->layer_hook)
            m->layer_hook(m->layer_context, i, false, m->s);
    }
    range_end(m->be);
    if (end == m->nlayers)
        m->logits = act(m, m->nlayers);
}

void model_forward(Model *m, Tensor x, ModelMode mode)
{
    model_forward_part(m, x, 0, m->nlayers, mode);
}

Tensor model_activation(const Model *m, int a)
{
    ASSERT(a >= 0 && a <= m->nlayers);
    return act(m, a);
}

void model_hold_relu(Model *m, bool hold)
{
    for (int i = 0; hold && i < m->nlayers; i++) {
        const Layer *l = &m->layers[i];
        Shape y = m->plan->shape[i + 1];
        Tensor *held = &m->plan->held[i + 1];
        if (l->kind != LAYER_RELU && !(l->kind == LAYER_BATCHNORM && l->relu))
            continue;
        if (!held->buf)
            *held = tensor_new(m->be, m->plan->act[i + 1].dtype, m->batch, y.h, y.w, y.c, 0);
        m->be->op->copy(m->s, tensor_first(*held, m->plan->n), act(m, i + 1));
    }
    m->plan->holding = hold;
    m->plan->held_n = m->plan->n;
}

void model_loss(Model *m, Tensor totals, Tensor label, Tensor weight, bool gradient)
{
    if (gradient) {
        m->plan->label = label;
        m->plan->weight = weight;
    }
    Tensor dlogits = gradient ? grad(m, m->nlayers) : NO_TENSOR;
    m->be->op->cross_entropy(m->s, dlogits, NO_TENSOR, totals, m->logits, label, weight,
                             1.0f / (m->plan->n * model_positions(m)), gradient ? m->smoothing : 0);
}

Tensor model_loss_gradient(const Model *m) { return grad(m, m->nlayers); }

/* ---- backward ---- */

/* Add the gradient of activation `from` to that of `to`: the way back through a residual
 * connection. */
static void residual_backward(Model *m, int to, int from)
{
    if (m->plan->touched[to])
        m->be->op->axpy(m->s, grad(m, to), 1, grad(m, from));
    else
        m->be->op->copy(m->s, grad(m, to), grad(m, from));
    m->plan->touched[to] = true;
}

static void conv_backward(Model *m, int i, bool add)
{
    const BackendOps *op = m->be->op;
    const Layer *l = &m->layers[i];
    Tensor dy = grad(m, i + 1);
    if (!l->fixed)
        op->conv_backward_weight(m->s, m->plan->conv[i], matrix(dparam(m, l->w), l->out),
                                 act(m, l->in), dy);
    if (l->in > 0) /* the input needs no gradient */
        op->conv_backward_data(m->s, m->plan->conv[i], grad(m, l->in), dy, filters(m, i), add);
}

static void batchnorm_backward(Model *m, int i, bool add)
{
    const BackendOps *op = m->be->op;
    const Layer *l = &m->layers[i];
    BatchNorm norm = norm_of(m, i), *bn = &norm;
    Tensor x = act(m, l->in), y = bn->relu ? gate(m, i + 1) : act(m, i + 1), dy = grad(m, i + 1),
           sum = sums(m, bn, l->out);
    Tensor dresidual = l->residual == NONE ? NO_TENSOR : grad(m, l->residual);
    norm.y_of_x = l->residual == NONE && !m->plan->holding;
    Tensor dgamma = l->fixed ? tensor_slice(m->plan->unused, 0, l->out) : dparam(m, l->w);
    op->bn_backward_sums(m->s, sum, bn, dgamma, dparam(m, l->fixed ? l->w : l->b), dy, y, x);
    if (m->stats_hook)
        m->stats_hook(m->stats_context, sum, m->s);
    op->bn_backward(m->s, grad(m, l->in), dresidual, bn, sum, dy, y, x, m->stats_ranks, add,
                    l->residual != NONE && m->plan->touched[l->residual]);
}

static void dense_backward(Model *m, int i, bool add)
{
    const BackendOps *op = m->be->op;
    const Layer *l = &m->layers[i];
    Tensor dy = rows(grad(m, i + 1));
    scale(m, dy, l->scale);
    op->dense_backward_weight(m->s, dense_matrix(l, dparam(m, weights_of(l))),
                              optional_dparam(m, l->b), rows(act(m, l->in)), dy);
    if (!is_input(m, l->in)) /* the input needs no gradient */
        op->dense_backward_data(m->s, rows(grad(m, l->in)), dy, dense_weights(m, l), add);
}

/* The output of fixed filters on the images needs no gradient. */
static void activation_backward(Model *m, int i, bool add)
{
    const Layer *l = &m->layers[i], *below = l->in > 0 ? &m->layers[l->in - 1] : NULL;
    bool wanted = below && !(below->kind == LAYER_CONV && below->fixed && below->in == 0);
    m->be->op->act_backward(m->s, wanted ? grad(m, l->in) : NO_TENSOR, optional_dparam(m, l->w),
                            grad(m, i + 1), act(m, l->in), optional_param(m, l->w), l->f, add);
}

static void relu_backward(Model *m, int i, bool add)
{
    m->be->op->relu_backward(m->s, grad(m, m->layers[i].in), grad(m, i + 1), gate(m, i + 1), add);
}

static void maxpool_backward(Model *m, int i, bool add)
{
    const Layer *l = &m->layers[i];
    m->be->op->maxpool_backward(m->s, grad(m, l->in), grad(m, i + 1), which(m, i), l->kernel, add);
}

static void avgpool_backward(Model *m, int i, bool add)
{
    m->be->op->avgpool_backward(m->s, grad(m, m->layers[i].in), grad(m, i + 1), add);
}

static void flatten_backward(Model *m, int i, bool add)
{
    if (m->layers[i].in > 0) /* the input needs no gradient */
        m->be->op->flatten_backward(m->s, grad(m, m->layers[i].in), grad(m, i + 1), add);
}

/* Tokens need no gradient. */
static void embedding_backward(Model *m, int i, bool add)
{
    const Layer *l = &m->layers[i];
    m->be->op->embedding_backward(m->s, matrix(dparam(m, l->w), m->spec.classes),
                                  matrix(dparam(m, l->b), m->spec.w), act(m, l->in),
                                  grad(m, i + 1));
}

static void layernorm_backward(Model *m, int i, bool add)
{
    const Layer *l = &m->layers[i];
    m->be->op->layernorm_backward(m->s, grad(m, l->in), dparam(m, l->w), dparam(m, l->b),
                                  saved(m, i), grad(m, i + 1), act(m, l->in), param(m, l->w), add);
}

static void attention_backward(Model *m, int i, bool add)
{
    const Layer *l = &m->layers[i];
    m->be->op->attention_backward(m->s, grad(m, l->in), saved(m, i), grad(m, i + 1), act(m, i + 1),
                                  act(m, l->in), l->heads, add);
}

static void layer_backward(Model *m, int i)
{
#define BACKWARD(KIND, name, ...) name##_backward,
    static void (*const backward[])(Model *, int, bool) = {LAYER_KINDS(BACKWARD)};
    bool *touched = &m->plan->touched[m->layers[i].in];
    backward[m->layers[i].kind](m, i, *touched);
    *touched = true;
}

/* ---- loss scaling (model.h) ---- */

Tensor model_loss_scale(const Model *m) { return m->plan->loss_scale; }

/* Does anybody look at a layer's gradients before the pass is over? Then each layer's are scaled
 * back as soon as they are complete, else all by one kernel. */
static bool looked_at(const Model *m)
{
    return m->grad_hook || m->layer_hook || m->grads_at || OBSERVED(gradient);
}

/* Layer i's gradients, in one slice or two: where nothing else is said, its bias lies right behind
 * its weight. Tied weights are scaled up before the first layer adds to their gradient, and down
 * after the last, the embedding. */
static int slices_of(const Model *m, int i, bool up, Tensor slice[2])
{
    const Layer *l = &m->layers[i];
    bool embedding = l->kind == LAYER_EMBEDDING;
    if (weights_of(l) == NONE || (l->tied != NONE && !up))
        return 0;
    slice[0] = dparam(m, up && embedding ? l->b : weights_of(l));
    if (up && embedding)
        return 1;
    if (l->b == NONE)
        return 1;
    slice[1] = dparam(m, l->b);
    if (m->grads_at)
        return 2;
    slice[0].n += slice[1].n;
    return 1;
}

static void scale_layer(Model *m, int i, bool up)
{
    Tensor slice[2], scale = m->plan->loss_scale;
    if (!given(scale) || !looked_at(m) || (up && m->plan->zeroed))
        return;
    for (int k = slices_of(m, i, up, slice) - 1; k >= 0; k--)
        if (up)
            m->be->op->scale_up(m->s, slice[k], scale);
        else
            m->be->op->scale_down(m->s, slice[k], scale, false);
}

/* A backward pass begins: the loss's gradient times S, and what gradients are added to. */
static void scale_loss(Model *m)
{
    Tensor scale = m->plan->loss_scale;
    if (!given(scale))
        return;
    REQUIRE(!m->tensor_hook && !m->stats_hook,
            "--precision=fp16: %s would see gradients times a loss scale that every rank has for "
            "itself: use --precision=bf16 or fp32",
            m->stats_hook ? "synchronised batch norm" : "what reads a layer's dy");
    m->be->op->scale_up(m->s, grad(m, m->nlayers), scale);
    if (!looked_at(m) && !m->plan->zeroed)
        m->be->op->scale_up(m->s, m->grads, scale);
}

/* It is over: what is not yet scaled back is, and S moves. */
static void settle_scale(Model *m)
{
    Tensor scale = m->plan->loss_scale;
    if (given(scale))
        m->be->op->scale_down(m->s, looked_at(m) ? NO_TENSOR : m->grads, scale, true);
    m->plan->zeroed = false;
}

/* Call the hooks: a layer's gradients are final, its weight and, right behind it, its bias. */
static void announce(Model *m, int i)
{
    const Layer *l = &m->layers[i];
    scale_layer(m, i, false);
    if (m->layer_hook)
        m->layer_hook(m->layer_context, i, true, m->s);
    if (l->w == NONE)
        return;
    int count = m->views[l->w].count + (l->b == NONE ? 0 : m->views[l->b].count);
    OBSERVE(gradient, m, m->views[l->w].at, count);
    if (m->grad_hook)
        m->grad_hook(m->grad_context, m->views[l->w].at, count, m->s);
}

void model_zero_grads(Model *m) { m->be->op->zero(m->s, m->grads); }

void model_backward_part(Model *m, int first, int end)
{
    for (int a = 0; a <= m->nlayers && end == m->nlayers; a++)
        m->plan->touched[a] = false;
    if (end == m->nlayers) {
        OBSERVE(backward_begin, m);
        scale_loss(m);
    }
    range_begin(m->be, "backward");
    for (int i = end - 1; i >= first; i--) {
        range_begin(m->be, name_of(&m->layers[i]));
        before(m, i, true);
        scale_layer(m, i, true);
        if (m->tensor_hook)
            m->tensor_hook(m->tensor_context, i, act(m, m->layers[i].in), grad(m, i + 1), m->s);
        layer_backward(m, i);
        if (m->layers[i].kind != LAYER_BATCHNORM && m->layers[i].residual != NONE)
            residual_backward(m, m->layers[i].residual, i + 1);
        range_end(m->be);
        announce(m, i);
        if (m->layers[i].kind == LAYER_BATCHNORM && m->layers[i].residual != NONE)
            m->plan->touched[m->layers[i].residual] = true;
    }
    range_end(m->be);
    if (first > 0)
        return;
    settle_scale(m);
    OBSERVE(backward_end, m, act(m, 0), m->plan->label, m->plan->weight);
}

void model_backward(Model *m) { model_backward_part(m, 0, m->nlayers); }
