/* factors.c: two remedies that need more than the gradient, and hook into the backward pass.
 *
 * Factors: the gradient of a dense layer's weights is a product, dW = dyᵀ x, whose inner
 * dimension is the batch size. With a small batch, send x and dy: every rank
 * multiplies them itself. It is exact, but x and dy must be gathered: their bytes grow with P.
 *
 * Minimal effort back-propagation (meProp; Sun et al., arXiv 1706.06197): of a hidden layer's dy
 * only the units with the largest sums of magnitudes over the batch stay, the others become 0, and
 * with them their rows of dW. So does part of what layers below get to see: this one changes the
 * gradient itself.
 */
#include "check.h"
#include "compressor.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const View *weights(const Compressor *c, int layer)
{
    return &c->m->views[c->m->layers[layer].w];
}

/* With a bias: one without goes as it is. */
static bool is_dense(const Compressor *c, int layer)
{
    return c->m->layers[layer].kind == LAYER_DENSE && c->m->layers[layer].b >= 0;
}

/* A layer's parameters: weights, and right behind them the bias. */
static int parameters(const Compressor *c, int layer)
{
    const Layer *l = &c->m->layers[layer];
    if (l->w < 0)
        return 0;
    return c->m->views[l->w].count + (l->b < 0 ? 0 : c->m->views[l->b].count);
}

static float *packet_at(const Compressor *c, int layer)
{
    return (float *)c->wire.mine + c->at[layer];
}

/* At the update's start. */
static void open_packet(Compressor *c)
{
    if (c->bytes == 0)
        memset(c->at, 0, sizeof c->at);
}

/* A layer's elements in the packet, from here on. */
static float *append(Compressor *c, int layer, size_t floats)
{
    c->at[layer] = c->bytes / 4;
    c->bytes += 4 * floats;
    ASSERT(c->bytes <= c->wire.room);
    return packet_at(c, layer);
}

/* The gradient of what the hook did not deal with, as it is. */
static void append_rest(Compressor *c, const float *g, const bool *done)
{
    for (int i = 0; i < c->m->nlayers; i++)
        if (!done[i] && parameters(c, i) > 0) {
            size_t n = (size_t)parameters(c, i);
            memcpy(append(c, i, n), g + c->m->views[c->m->layers[i].w].at, n * 4);
        }
}

/* g = the sum of those parts over the ranks. */
static void add_rest(Compressor *c, float *g, const bool *done)
{
    for (int i = 0; i < c->m->nlayers; i++)
        for (int r = 0; r < c->wire.comm->size && !done[i]; r++) {
            const float *x = (float *)(c->wire.all + (size_t)r * c->bytes) + c->at[i];
            int n = parameters(c, i);
            float *y = n > 0 ? g + c->m->views[c->m->layers[i].w].at : NULL;
            for (int k = 0; k < n; k++)
                y[k] = r == 0 ? x[k] : y[k] + x[k];
        }
}

/* g = the mean over the ranks: of the layers that are done what add() adds for each rank, its own
 * again, because all ranks must add up in one order; of the others as it is. */
static void exchange_layers(Compressor *c, float *g, const bool *done,
                            void (*add)(Compressor *c, float *g, int layer, int rank))
{
    wire_gather(&c->wire, c->bytes);
    for (int i = 0; i < c->m->nlayers; i++) {
        if (done[i])
            memset(g + weights(c, i)->at, 0, (size_t)parameters(c, i) * sizeof *g);
        for (int k = 0; k < c->wire.comm->size && done[i]; k++)
            add(c, g, i, k);
    }
    add_rest(c, g, done);
    c->m->be->op->scale(c->m->s, c->m->grads, 1.0f / (float)c->wire.comm->size);
    c->bytes = 0;
}

static void nothing_left(Remedy *r, float *e, const float *a)
{
    memset(e, 0, (size_t)r->n * sizeof *e);
}

/* ---- factors ---- */

/* Of which layers: those where they are shorter. */
static void by_factors(const Compressor *c, bool *done)
{
    for (int i = 0; i < c->m->nlayers; i++)
        done[i] = is_dense(c, i) &&
                  (size_t)c->samples * (weights(c, i)->shape[0] + weights(c, i)->shape[1]) <
                      (size_t)weights(c, i)->count;
}

static void keep_factors(void *context, int layer, Tensor x, Tensor dy, Stream *s)
{
    Compressor *c = context;
    double began = link_now();
    bool done[LAYERS_MOST];
    c->samples = dy.n;
    by_factors(c, done);
    open_packet(c);
    if (done[layer]) {
        float *to = append(c, layer, tensor_count(x) + tensor_count(dy));
        c->m->be->op->download(s, to, x);
        c->m->be->op->download(s, to + tensor_count(x), dy);
    }
    c->hook_seconds += link_now() - began;
}

static void append_unfactored(Remedy *r, const float *a)
{
    bool done[LAYERS_MOST];
    by_factors(of(r), done);
    append_rest(of(r), a, done);
}

/* A layer's gradient += rank r's product. */
static void add_product(Compressor *c, float *g, int layer, int r)
{
    const View *w = weights(c, layer), *b = &c->m->views[c->m->layers[layer].b];
    int K = w->shape[0], D = w->shape[1], N = c->samples;
    size_t at = (size_t)r * c->bytes / 4 + c->at[layer];
    Buffer *all = c->wire.packets.buf, *grads = c->m->grads.buf;
    c->m->be->op->dense_backward_weight(c->m->s,
                                        tensor_matrix(grads, c->m->grads.at + w->at, F32, K, D),
                                        model_view(c->m->grads, b),
                                        tensor_matrix(all, at, F32, N, D),
                                        tensor_matrix(all, at + (size_t)N * D, F32, N, K));
}

static void multiply_factors(Remedy *r, float *g)
{
    bool done[LAYERS_MOST];
    by_factors(of(r), done);
    exchange_layers(of(r), g, done, add_product);
}

void open_factors(Compressor *c)
{
    REQUIRE(c->m->nlayers <= LAYERS_MOST, "factors are for networks of at most %d layers",
            LAYERS_MOST);
    c->m->tensor_hook = keep_factors;
    c->m->tensor_context = c;
    c->remedy.compress = append_unfactored;
    c->remedy.residual = nothing_left;
    c->remedy.exchange = multiply_factors;
}

/* ---- minimal effort ---- */

/* Of which layers: the hidden ones. */
static bool is_hidden(const Compressor *c, int layer)
{
    return is_dense(c, layer) && layer + 1 < c->m->nlayers;
}

static void hidden_layers(const Compressor *c, bool *done)
{
    for (int i = 0; i < c->m->nlayers; i++)
        done[i] = is_hidden(c, i);
}

/* Of dy [N][K] the columns in `top` stay. */
static void keep_columns(float *dy, int N, int K, const Sparse *top)
{
    float *row = alloc(K, sizeof *row);
    for (int n = 0; n < N; n++) {
        for (int k = 0; k < top->count; k++)
            row[top->at[k]] = dy[n * K + top->at[k]];
        memcpy(dy + (size_t)n * K, row, (size_t)K * sizeof *row);
    }
    free(row);
}

static void keep_largest(void *context, int layer, Tensor x, Tensor dy, Stream *s)
{
    Compressor *c = context;
    double began = link_now();
    open_packet(c);
    if (is_hidden(c, layer)) {
        int N = dy.n, K = dy.c, k = (int)ceil(c->spec->keep * K);
        float *values = host_floats(c->m, dy), *sums = alloc(K, sizeof *sums),
              *to = append(c, layer, (size_t)k * (2 + (size_t)weights(c, layer)->shape[1]));
        for (int n = 0; n < N; n++)
            for (int j = 0; j < K; j++)
                sums[j] += fabsf(values[n * K + j]);
        Sparse top = {.at = (int32_t *)to, .value = to + k};
        top_k(&top, sums, K, k);
        keep_columns(values, N, K, &top);
        c->rows_kept[layer] = k;
        free(sums);
    }
    c->hook_seconds += link_now() - began;
}

/* A hidden layer in the packet: k indices, k biases, k rows. */
static void append_rows(Remedy *r, const float *a)
{
    Compressor *c = of(r);
    bool done[LAYERS_MOST];
    hidden_layers(c, done);
    for (int i = 0; i < c->m->nlayers; i++) {
        if (!done[i])
            continue;
        const View *w = weights(c, i);
        int k = c->rows_kept[i], D = w->shape[1];
        float *to = packet_at(c, i);
        const int32_t *at = (int32_t *)to;
        for (int j = 0; j < k; j++) {
            to[k + j] = a[w->at + w->count + at[j]];
            memcpy(to + 2 * k + (size_t)j * D, a + w->at + (size_t)at[j] * D, (size_t)D * 4);
        }
    }
    append_rest(c, a, done);
}

static void add_rows(Compressor *c, float *g, int layer, int r)
{
    const View *w = weights(c, layer);
    int k = c->rows_kept[layer], D = w->shape[1];
    const float *from = (float *)(c->wire.all + (size_t)r * c->bytes) + c->at[layer];
    const int32_t *at = (int32_t *)from;
    for (int j = 0; j < k; j++) {
        float *row = g + w->at + (size_t)at[j] * D;
        g[w->at + w->count + at[j]] += from[k + j];
        for (int i = 0; i < D; i++)
            row[i] += from[2 * k + (size_t)j * D + i];
    }
}

static void exchange_rows(Remedy *r, float *g)
{
    bool done[LAYERS_MOST];
    hidden_layers(of(r), done);
    exchange_layers(of(r), g, done, add_rows);
}

void open_minimal(Compressor *c)
{
    REQUIRE(c->m->nlayers <= LAYERS_MOST, "minimal effort is for networks of at most %d layers",
            LAYERS_MOST);
    c->m->tensor_hook = keep_largest;
    c->m->tensor_context = c;
    c->remedy.compress = append_rows;
    c->remedy.residual = nothing_left;
    c->remedy.exchange = exchange_rows;
}
