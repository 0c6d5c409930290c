/* mlp.h: the network that part 9 splits: blocks of two dense layers, each with ReLU, and a
 * classifier. A rank holds all of it, some of its layers (a stage), or a slice of each block (a
 * shard).
 *
 * Layer l computes y = relu(x W^T + b), W [K,D]; the classifier, layer 2 blocks, goes without ReLU.
 * Of a block's first layer a shard owns some rows of W, that is some of the outputs; of the second
 * the same columns, so that its inputs are just what the first one made (Megatron, Shoeybi et al.,
 * arXiv 1909.08053). The classifier is small and whole on every shard.
 */
#ifndef MLP_H
#define MLP_H
#include "backend.h"

enum { MLP_LAYERS = 33, MLP_MICROS = 32 };

typedef struct MlpSpec {
    int width, blocks, classes; /* every layer has `width` inputs */
    uint64_t seed;              /* of the weights: the same numbers whoever holds them */
} MlpSpec;

typedef struct MlpLayer {
    int row, rows, column, columns; /* the piece of W that is here; whole: 0, K, 0, D */
    size_t w, b;                    /* where weight and bias begin in the flat vectors; bias
                                     * [rows] */
    bool relu;
} MlpLayer;

typedef struct Mlp {
    Backend *be;
    Stream *s;
    MlpSpec spec;
    int first, end; /* layers [first, end) are here */
    int shard, shards;
    int rows, micros; /* pictures per micro-batch; how many micro-batches */
    MlpLayer layer[MLP_LAYERS];
    Tensor params, grads, zeros;            /* flat; zeros [width]: instead of a bias */
    Tensor act[MLP_MICROS][MLP_LAYERS + 1]; /* act[m][l]: input of layer l [rows,D];
                                             * act[m][end]: the output */
    Tensor dact[MLP_LAYERS + 1];            /* its gradient, of one micro-batch at a time */
    Tensor label[MLP_MICROS], totals;       /* I32 [rows]; F64 [2]: sum of the loss, number
                                             * correct */
} Mlp;

int mlp_layers(const MlpSpec *spec); /* 2 blocks + 1 */
/* its first layer; stage == stages: the end */
int mlp_stage_begin(const MlpSpec *spec, int stage, int stages);
size_t mlp_count(const MlpSpec *spec); /* parameters of the whole network */

Mlp *mlp_new(Backend *be, const MlpSpec *spec, int first, int end, int shard, int shards, int rows,
             int micros);
void mlp_free(Mlp *n);

/* One layer of one micro-batch. */
/* act[layer+1] = act[layer] W^T (+ b) */
void mlp_dense_forward(Mlp *n, int micro, int layer, bool with_bias);
/* of act[layer+1], in place, if the layer has it */
void mlp_relu_forward(Mlp *n, int micro, int layer);
/* of dact[layer+1], in place */
void mlp_relu_backward(Mlp *n, int micro, int layer);
/* grads += …, dact[layer] = dact[layer+1] W: of layer 0 too, which a trainer would leave out, so
 * that all layers cost the same. */
void mlp_dense_backward(Mlp *n, int micro, int layer);
/* All layers that are here, whole; the loss, of a batch of `batch` pictures of which this is a
 * part: dact[end]. */
void mlp_forward(Mlp *n, int micro);
void mlp_loss(Mlp *n, int micro, int batch);
void mlp_backward(Mlp *n, int micro);

/* The piece of the whole network's flat vector that is here, for comparing: largest |ours - whole|,
 * and of |whole|. */
double mlp_apart(const Mlp *n, const float *whole, double *largest);
float *mlp_download(const Mlp *n); /* params on the host; free() it */
#endif
