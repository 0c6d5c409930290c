/* reference_net.c: see reference_net.h. */
#include "reference_net.h"
#include "check.h"
#include <string.h>

static Shape output_shape(const Layer *l, Shape x)
{
    switch (l->kind) {
    case LAYER_CONV: return conv_shape(x, l->out, l->kernel, l->stride).y;
    case LAYER_MAXPOOL: return pool_shape(x, l->kernel);
    case LAYER_AVGPOOL: return (Shape){x.n, 1, 1, x.c};
    case LAYER_FLATTEN: return (Shape){x.n, 1, 1, x.h * x.w * x.c};
    case LAYER_DENSE:
    case LAYER_EMBEDDING:
    case LAYER_ATTENTION: return (Shape){x.n, x.h, x.w, l->out};
    default: return x;
    }
}

static double *param(const RefNet *r, int view) { return r->params + r->m->views[view].at; }
/* A dense layer's weights may be another layer's. */
static int weights_of(const Layer *l) { return l->w < 0 ? l->tied : l->w; }
static double *optional(const RefNet *r, double *flat, int view)
{
    return view < 0 ? NULL : flat + r->m->views[view].at;
}
static double *dparam(const RefNet *r, int view) { return r->grads + r->m->views[view].at; }

RefNet *refnet_new(const Net *n)
{
    RefNet *r = keep(alloc(1, sizeof *r));
    const Model *m = n->m;
    int L = m->nlayers;
    *r = (RefNet){.m = m,
                  .N = n->N,
                  .label = keep(alloc(tensor_count(n->label), sizeof(int))),
                  .params = fetch_double(n, m->params),
                  .grads = zeros(tensor_count(m->params)),
                  .shape = keep(alloc(L + 1, sizeof(Shape))),
                  .act = keep(alloc(L + 1, sizeof(double *))),
                  .grad = keep(alloc(L + 1, sizeof(double *))),
                  .which = keep(alloc(L, sizeof(int *))),
                  .ones = keep(alloc(L, sizeof(double *))),
                  .unused = keep(alloc(L, sizeof(double *))),
                  .norm = keep(alloc(L, sizeof(Norm)))};
    n->op->download(m->s, r->label, n->label);
    r->shape[0] = (Shape){n->N, m->spec.h, m->spec.w, m->spec.c};
    r->act[0] = fetch_double(n, n->x);
    r->grad[0] = zeros(shape_count(r->shape[0]));
    for (int i = 0; i < L; i++) {
        const Layer *l = &m->layers[i];
        Shape y = r->shape[i + 1] = output_shape(l, r->shape[l->in]);
        r->act[i + 1] = zeros(shape_count(y));
        r->grad[i + 1] = zeros(shape_count(y));
        r->which[i] = keep(alloc(shape_count(y), sizeof(int)));
        if (l->kind == LAYER_BATCHNORM) {
            int group = m->spec.ghost ? m->spec.ghost : n->N;
            r->ones[i] = zeros(y.c);
            r->unused[i] = zeros(y.c);
            for (int c = 0; c < y.c; c++)
                r->ones[i][c] = 1;
            Norm norm = {y,
                         group,
                         l->relu,
                         l->eps,
                         l->fixed ? r->ones[i] : param(r, l->w),
                         param(r, l->fixed ? l->w : l->b),
                         NULL,
                         NULL};
            norm.mean = zeros((size_t)norm_groups(&norm) * y.c);
            norm.var = zeros((size_t)norm_groups(&norm) * y.c);
            r->norm[i] = norm;
        }
    }
    return r;
}

static void forward(RefNet *r, int i)
{
    const Layer *l = &r->m->layers[i];
    Shape s = r->shape[l->in];
    double *y = r->act[i + 1], *x = r->act[l->in],
           *residual = l->residual < 0 ? NULL : r->act[l->residual];
    ConvShape c = conv_shape(s, l->out, l->kernel, l->stride ? l->stride : 1);
    switch (l->kind) {
    case LAYER_CONV: ref_conv_forward(y, x, param(r, l->w), residual, &c); break;
    case LAYER_BATCHNORM:
        ref_bn_statistics(&r->norm[i], x);
        ref_bn_forward(y, &r->norm[i], x, residual);
        break;
    case LAYER_RELU: ref_relu_forward(y, x, shape_count(s)); break;
    case LAYER_MAXPOOL: ref_maxpool_forward(y, r->which[i], x, s, l->kernel); break;
    case LAYER_AVGPOOL: ref_avgpool_forward(y, x, s); break;
    case LAYER_FLATTEN: ref_flatten_forward(y, x, s); break;
    case LAYER_DENSE:
        ref_dense_forward(y, x, param(r, weights_of(l)), optional(r, r->params, l->b),
                          s.n * s.h * s.w, s.c, l->out);
        for (size_t j = 0; j < shape_count(r->shape[i + 1]); j++)
            y[j] = y[j] * l->scale + (residual ? residual[j] : 0);
        break;
    case LAYER_ACTIVATION: ref_act_forward(y, x, optional(r, r->params, l->w), s, l->f); break;
    case LAYER_EMBEDDING:
        ref_embedding_forward(y, x, param(r, l->w), param(r, l->b), r->shape[i + 1]);
        break;
    case LAYER_LAYERNORM:
        ref_layernorm_forward(y, x, param(r, l->w), param(r, l->b), l->eps, s);
        break;
    case LAYER_ATTENTION: ref_attention_forward(y, x, r->shape[i + 1], l->heads); break;
    }
}

static void backward(RefNet *r, int i)
{
    const Layer *l = &r->m->layers[i];
    Shape s = r->shape[l->in];
    double *dx = r->grad[l->in], *dy = r->grad[i + 1], *x = r->act[l->in], *y = r->act[i + 1];
    double *dresidual = l->residual < 0 ? NULL : r->grad[l->residual];
    ConvShape c = conv_shape(s, l->out, l->kernel, l->stride ? l->stride : 1);
    switch (l->kind) {
    case LAYER_CONV:
        ref_conv_backward_data(dx, dy, param(r, l->w), &c);
        if (!l->fixed)
            ref_conv_backward_weight(dparam(r, l->w), x, dy, &c);
        for (size_t j = 0; dresidual && j < shape_count(c.y); j++)
            dresidual[j] += dy[j];
        break;
    case LAYER_BATCHNORM:
        ref_bn_backward(dx, dresidual, l->fixed ? r->unused[i] : dparam(r, l->w),
                        dparam(r, l->fixed ? l->w : l->b), &r->norm[i], dy, y, x);
        break;
    case LAYER_RELU: ref_relu_backward(dx, dy, y, shape_count(s)); break;
    case LAYER_MAXPOOL: ref_maxpool_backward(dx, dy, r->which[i], s, l->kernel); break;
    case LAYER_AVGPOOL: ref_avgpool_backward(dx, dy, s); break;
    case LAYER_FLATTEN: ref_flatten_backward(dx, dy, s); break;
    case LAYER_DENSE:
        for (size_t j = 0; j < shape_count(r->shape[i + 1]); j++) {
            if (dresidual)
                dresidual[j] += dy[j];
            dy[j] *= l->scale;
        }
        ref_dense_backward_data(dx, dy, param(r, weights_of(l)), s.n * s.h * s.w, s.c, l->out);
        ref_dense_backward_weight(dparam(r, weights_of(l)), optional(r, r->grads, l->b), x, dy,
                                  s.n * s.h * s.w, s.c, l->out);
        break;
    case LAYER_ACTIVATION:
        ref_act_backward(dx, optional(r, r->grads, l->w), dy, x, optional(r, r->params, l->w), s,
                         l->f);
        break;
    case LAYER_EMBEDDING:
        ref_embedding_backward(dparam(r, l->w), dparam(r, l->b), x, dy, r->shape[i + 1]);
        break;
    case LAYER_LAYERNORM:
        ref_layernorm_backward(dx, dparam(r, l->w), dparam(r, l->b), dy, x, param(r, l->w), l->eps,
                               s);
        break;
    case LAYER_ATTENTION: ref_attention_backward(dx, dy, x, r->shape[i + 1], l->heads); break;
    }
}

double refnet_loss(RefNet *r)
{
    int L = r->m->nlayers;
    int labels = r->N * model_positions(r->m);
    double totals[2] = {0, 0}, *losses = zeros(labels);
    for (int i = 0; i < L; i++)
        forward(r, i);
    ref_cross_entropy(r->grad[L], losses, totals, r->act[L], r->label, NULL, 1.0 / labels,
                      r->m->smoothing, labels, r->shape[L].c);
    end_now(losses);
    return totals[0] / labels;
}

double refnet_gradient(RefNet *r)
{
    int L = r->m->nlayers;
    double loss = refnet_loss(r);
    memset(r->grads, 0, sizeof(double) * tensor_count(r->m->params));
    for (int a = 0; a < L; a++)
        memset(r->grad[a], 0, sizeof(double) * shape_count(r->shape[a]));
    for (int i = L - 1; i >= 0; i--)
        backward(r, i);
    return loss;
}
