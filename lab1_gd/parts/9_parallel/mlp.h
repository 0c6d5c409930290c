/* mlp.h: the network that part 9 splits: blocks of two dense layers, each with ReLU, and a
 * classifier. A rank owns all of it, some of its layers (a stage), or a slice of each block (a
 * shard).
 *
 * Layer l computes y = relu(x W^T + b), W [K,D]; the classifier, layer 2 blocks, has no ReLU. Of a
 * block's first layer a shard owns some rows of W, that is, some of the outputs; of the second
 * layer the same columns, so that its inputs are the outputs of the first (Megatron, Shoeybi et
 * al., arXiv 1909.08053). The classifier is small and complete on every shard.
 */
#ifndef MLP_H
#define MLP_H
#include "backend.h"

enum { MLP_LAYERS = 33, MLP_MICROS = 32 };

typedef struct MlpSpec {
    int width, blocks, classes; /* every layer has `width` inputs */
    uint64_t seed;              /* of the weights, which do not depend on the rank that owns them */
} MlpSpec;

typedef struct MlpLayer {
    int row, rows, column, columns; /* the slice of W that is here; all of it: 0, K, 0, D */
    size_t w, b;                    /* offsets of weight and bias [rows] in the flat vectors */
    bool relu;
} MlpLayer;

typedef struct Mlp {
    Backend *be;
    Stream *s;
    MlpSpec spec;
    int first, end; /* layers [first, end) are here */
    int shard, shards;
    int rows, micros; /* images per micro-batch; number of micro-batches */
    MlpLayer layer[MLP_LAYERS];
    Tensor params, grads, zeros;            /* flat; zeros [width]: in place of a bias */
    Tensor act[MLP_MICROS][MLP_LAYERS + 1]; /* act[m][l]: input of layer l [rows,D];
                                             * act[m][end]: the output */
    Tensor dact[MLP_LAYERS + 1];            /* its gradient, for one micro-batch at a time */
    Tensor label[MLP_MICROS], totals;       /* I32 [rows]; F64 [2]: sum of the losses, correct
                                             * predictions */
} Mlp;

/* the stage's first layer; stage == stages: the end */
int mlp_stage_begin(const MlpSpec *spec, int stage, int stages);
size_t mlp_count(const MlpSpec *spec); /* parameters of the whole network */

Mlp *mlp_new(Backend *be, const MlpSpec *spec, int first, int end, int shard, int shards, int rows,
             int micros);
void mlp_free(Mlp *n);

/* One layer of one micro-batch. */
/* act[layer+1] = act[layer] W^T (+ b) */
void mlp_dense_forward(Mlp *n, int micro, int layer, bool with_bias);
/* on act[layer+1], in place, if the layer has a ReLU */
void mlp_relu_forward(Mlp *n, int micro, int layer);
/* the same on dact[layer+1], in place */
void mlp_relu_backward(Mlp *n, int micro, int layer);
/* grads += …, dact[layer] = dact[layer+1] W; for layer 0 too, where a trainer would skip it, so
 * that all layers cost the same. */
void mlp_dense_backward(Mlp *n, int micro, int layer);
/* All layers that are here. mlp_loss sets dact[end]: this micro-batch is part of a batch of `batch`
 * images. */
void mlp_forward(Mlp *n, int micro);
void mlp_loss(Mlp *n, int micro, int batch);
void mlp_backward(Mlp *n, int micro);

/* Compare with the whole network's flat vector. Returns the largest |ours - whole| over the
 * parameters that are here; *largest is raised to the largest |whole|. */
double mlp_difference(const Mlp *n, const float *whole, double *largest);
float *mlp_download(const Mlp *n); /* params on the host; free() it */
#endif
