/* mlp.c: see mlp.h. */
#include "mlp.h"
#include "check.h"
#include "lab1.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>

static int layers_of(const MlpSpec *spec) { return 2 * spec->blocks + 1; }

/* The blocks' layers as evenly as possible; the classifier belongs to the last stage. */
int mlp_stage_begin(const MlpSpec *spec, int stage, int stages)
{
    return stage == stages ? layers_of(spec) : 2 * spec->blocks * stage / stages;
}

static int outputs(const MlpSpec *spec, int layer)
{
    return layer == 2 * spec->blocks ? spec->classes : spec->width;
}

/* The offset of a layer in the whole network's flat vector: weight, then bias. */
static size_t whole_at(const MlpSpec *spec, int layer)
{
    return (size_t)layer * (spec->width + 1) * spec->width;
}

size_t mlp_count(const MlpSpec *spec)
{
    return whole_at(spec, 2 * spec->blocks) + (size_t)(spec->width + 1) * spec->classes;
}

/* ---- what is here ---- */

static MlpLayer layer_of(const Mlp *n, int l, size_t at)
{
    MlpLayer layer = {.rows = outputs(&n->spec, l),
                      .columns = n->spec.width,
                      .relu = l < 2 * n->spec.blocks};
    bool cut = layer.relu && n->shards > 1;
    if (cut && l % 2 == 0)
        column_shard(&layer.row, &layer.rows, n->spec.width, n->shard, n->shards);
    else if (cut)
        column_shard(&layer.column, &layer.columns, n->spec.width, n->shard, n->shards);
    layer.w = at;
    layer.b = at + (size_t)layer.rows * layer.columns;
    return layer;
}

static Tensor weight(const Mlp *n, Tensor flat, int l)
{
    return tensor_matrix(flat.buf, n->layer[l].w, F32, n->layer[l].rows, n->layer[l].columns);
}

static Tensor bias(const Mlp *n, Tensor flat, int l)
{
    return tensor_vector(flat.buf, n->layer[l].b, F32, n->layer[l].rows);
}

/* Row `row` of layer l's whole weight, and its bias last: [D + 1]. He normal weights (arXiv
 * 1502.01852); small biases. */
static void draw_row(const MlpSpec *spec, int l, int row, float *values)
{
    Rng r = rng_at(spec->seed, RNG_WEIGHTS, (uint32_t)l, (uint64_t)row);
    for (int i = 0; i < spec->width; i++)
        values[i] = rng_normal(&r) * sqrtf(2.0f / spec->width);
    values[spec->width] = 0.01f * rng_normal(&r);
}

static void init(Mlp *n)
{
    float *all = alloc((size_t)n->params.n, sizeof *all),
          *row = alloc((size_t)n->spec.width + 1, sizeof *row);
    for (int l = n->first; l < n->end; l++) {
        const MlpLayer *layer = &n->layer[l];
        for (int k = 0; k < layer->rows; k++) {
            draw_row(&n->spec, l, layer->row + k, row);
            for (int d = 0; d < layer->columns; d++)
                all[layer->w + (size_t)k * layer->columns + d] = row[layer->column + d];
            all[layer->b + k] = row[n->spec.width];
        }
    }
    n->be->op->upload(n->s, n->params, all);
    free(all);
    free(row);
}

/* Before anything is allocated: `count` parameters and their gradients, all activations. */
static void require_memory(const Mlp *n, size_t count)
{
    double bytes = 2.0 * sizeof(float) * (double)count;
    for (int l = n->first; l <= n->end; l++) {
        double width = l < n->end ? n->layer[l].columns : n->layer[l - 1].rows;
        bytes += sizeof(float) * width * n->rows * (n->micros + 1);
    }
    char *what = format_new("%d layers of %d for %d images", n->end - n->first, n->spec.width,
                            n->rows * n->micros);
    backend_require(n->be, bytes, what, "lower --batch, --width or --blocks");
    free(what);
}

Mlp *mlp_new(Backend *be, const MlpSpec *spec, int first, int end, int shard, int shards, int rows,
             int micros)
{
    ASSERT(end <= MLP_LAYERS && micros <= MLP_MICROS && rows >= 1);
    Mlp *n = alloc(1, sizeof *n);
    *n = (Mlp){.be = be,
               .s = be->op->stream_new(be, 0),
               .spec = *spec,
               .first = first,
               .end = end,
               .shard = shard,
               .shards = shards,
               .rows = rows,
               .micros = micros};
    size_t count = 0;
    for (int l = first; l < end; l++) {
        n->layer[l] = layer_of(n, l, count);
        count = n->layer[l].b + (size_t)n->layer[l].rows;
    }
    require_memory(n, count);
    n->params = tensor_new(be, F32, (int)count, 1, 1, 1, 0);
    n->grads = tensor_new(be, F32, (int)count, 1, 1, 1, 0);
    n->zeros = tensor_new(be, F32, spec->width, 1, 1, 1, 0);
    n->totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    for (int l = first; l <= end; l++) {
        int width = l < end ? n->layer[l].columns : n->layer[l - 1].rows;
        n->dact[l] = tensor_new(be, F32, rows, 1, 1, width, 0);
        for (int m = 0; m < micros; m++)
            n->act[m][l] = tensor_new(be, F32, rows, 1, 1, width, 0);
    }
    for (int m = 0; m < micros; m++)
        n->label[m] = tensor_new(be, I32, rows, 1, 1, 1, 0);
    init(n);
    return n;
}

void mlp_free(Mlp *n)
{
    for (int l = n->first; l <= n->end; l++) {
        tensor_free(n->be, n->dact[l]);
        for (int m = 0; m < n->micros; m++)
            tensor_free(n->be, n->act[m][l]);
    }
    for (int m = 0; m < n->micros; m++)
        tensor_free(n->be, n->label[m]);
    tensor_free(n->be, n->totals);
    tensor_free(n->be, n->zeros);
    tensor_free(n->be, n->grads);
    tensor_free(n->be, n->params);
    n->be->op->stream_free(n->s);
    free(n);
}

/* ---- layer by layer ---- */

void mlp_dense_forward(Mlp *n, int micro, int l, bool with_bias)
{
    n->be->op->dense_forward(n->s, n->act[micro][l + 1], n->act[micro][l], weight(n, n->params, l),
                             with_bias ? bias(n, n->params, l)
                                       : tensor_slice(n->zeros, 0, n->layer[l].rows));
}

void mlp_relu_forward(Mlp *n, int micro, int l)
{
    if (n->layer[l].relu)
        n->be->op->relu_forward(n->s, n->act[micro][l + 1], n->act[micro][l + 1]);
}

void mlp_relu_backward(Mlp *n, int micro, int l)
{
    if (n->layer[l].relu)
        n->be->op->relu_backward(n->s, n->dact[l + 1], n->dact[l + 1], n->act[micro][l + 1], false);
}

void mlp_dense_backward(Mlp *n, int micro, int l)
{
    const BackendOps *op = n->be->op;
    op->dense_backward_weight(n->s, weight(n, n->grads, l), bias(n, n->grads, l), n->act[micro][l],
                              n->dact[l + 1]);
    op->dense_backward_data(n->s, n->dact[l], n->dact[l + 1], weight(n, n->params, l), false);
}

void mlp_forward(Mlp *n, int micro)
{
    for (int l = n->first; l < n->end; l++) {
        mlp_dense_forward(n, micro, l, true);
        mlp_relu_forward(n, micro, l);
    }
}

void mlp_loss(Mlp *n, int micro, int batch)
{
    n->be->op->cross_entropy(n->s, n->dact[n->end], NO_TENSOR, n->totals, n->act[micro][n->end],
                             n->label[micro], NO_TENSOR, 1.0f / batch, 0);
}

void mlp_backward(Mlp *n, int micro)
{
    for (int l = n->end - 1; l >= n->first; l--) {
        mlp_relu_backward(n, micro, l);
        mlp_dense_backward(n, micro, l);
    }
}

/* ---- comparing ---- */

float *mlp_download(const Mlp *n)
{
    float *values = alloc((size_t)n->params.n, sizeof *values);
    n->be->op->download(n->s, values, n->params);
    return values;
}

double mlp_difference(const Mlp *n, const float *whole, double *largest)
{
    float *mine = mlp_download(n);
    double difference = 0;
    for (int l = n->first; l < n->end; l++) {
        const MlpLayer *y = &n->layer[l];
        const float *w = whole + whole_at(&n->spec, l),
                    *b = w + (size_t)n->spec.width * outputs(&n->spec, l);
        for (int k = 0; k < y->rows; k++) {
            for (int d = 0; d < y->columns; d++) {
                double there = w[(size_t)(y->row + k) * n->spec.width + y->column + d];
                double off = fabs(mine[y->w + (size_t)k * y->columns + d] - there);
                difference = off > difference || isnan(off) ? off : difference;
                *largest = fmax(*largest, fabs(there));
            }
            double off = fabs(mine[y->b + k] - b[y->row + k]);
            difference = off > difference || isnan(off) ? off : difference;
        }
    }
    free(mine);
    return difference;
}
