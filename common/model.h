/* model.h: a network: a list of layers over one flat vector of parameters.
 *
 * All parameters lie in ONE vector, `params`, all gradients in ONE vector of the same layout,
 * `grads`. So in this course an all-reduce is one call, a bucket is a slice, an optimiser is a
 * loop, a checkpoint is a dump and a direction in a loss landscape is a vector. A View names one
 * slice ("layer1.0.conv1.weight", [16,16,3,3]). Names, shapes and the order of a slice's elements
 * are PyTorch's (torchvision's names for ResNets); the slices follow the order of the layers (in a
 * ResNet block downsample before conv2, unlike torchvision's). Batch norm's running statistics are
 * not trained; they lie in a third vector, `state`.
 *
 * Layer i reads activation `in` (0 is the input batch, i+1 is layer i's output) and may add
 * activation `residual`. The backward pass walks the list from its end. Memory for a batch of up to
 * `batch` images is planned once, in model_new.
 *
 * A sample of text is an "image" of 1 x T pixels with one channel, the token's number, and has T
 * labels, one per position; a dense layer of a language model works on each position alike. What is
 * said of N images then holds for N*T positions, where it is about labels, losses and logits.
 */
#ifndef MODEL_H
#define MODEL_H
#include "backend.h"
#include "data.h"

/* The kinds of layers: LAYER_KIND, its passes NAME_forward and NAME_backward (model_pass.c), the
 * type of its output, its name for people. */
#define LAYER_KINDS(KIND) \
    KIND(CONV, conv, OF_DEVICE, "convolution") \
    KIND(BATCHNORM, batchnorm, OF_INPUT, "norm") \
    KIND(RELU, relu, OF_INPUT, "ReLU") \
    KIND(MAXPOOL, maxpool, OF_INPUT, "pooling") \
    KIND(AVGPOOL, avgpool, ALWAYS_F32, "pooling") \
    KIND(FLATTEN, flatten, ALWAYS_F32, "flatten") \
    KIND(DENSE, dense, ALWAYS_F32, "dense") \
    /* GELU, SiLU or ReLU, of its input or of that plus a bias */ \
    KIND(ACTIVATION, activation, OF_INPUT, "activation") \
    KIND(EMBEDDING, embedding, ALWAYS_F32, "embedding") \
    KIND(LAYERNORM, layernorm, OF_INPUT, "layer norm") \
    KIND(ATTENTION, attention, OF_INPUT, "attention")
#define LAYER_KIND(KIND, ...) LAYER_##KIND,
typedef enum { LAYER_KINDS(LAYER_KIND) } LayerKind;

/* A named slice of a flat vector. */
typedef struct View {
    char name[64]; /* "layer1.0.conv1.weight" */
    size_t at;     /* first element in the flat vector */
    int count;     /* elements: the product of shape */
    int dims, shape[4];
    bool decay; /* weights of conv and dense layers: true; biases, gamma, beta, and filters that
                 * are not trained: false (for optimisers that exempt them; SGD here decays all) */
} View;

/* What a training keeps beside the weights and a checkpoint holds, too (checkpoint.h): a velocity,
 * a second moment, the residuals of error feedback. A list of them ends with {0}. */
typedef struct NamedVector {
    const char *name;  /* in the file; no other vector's, and no layer's */
    Tensor flat;       /* F32 [n]; with ranks: [ranks * n] */
    const View *views; /* its slices, "NAME.conv1.weight" in the file; NULL: one tensor NAME [n] */
    int nviews;
    int ranks; /* 0: the same on every rank. P: each rank has its own, rank r's n elements at r * n:
                * "NAME.rank0.conv1.weight", or "NAME.rank0" */
} NamedVector;

typedef struct Layer {
    LayerKind kind;
    char name[48];
    int in, residual;        /* activations; residual (conv, batch norm, dense): added to the
                              * output, before ReLU; -1: none */
    int out, kernel, stride; /* output channels; kernel size; stride */
    bool relu;               /* batch norm: followed by ReLU in the same pass */
    int w, b;                /* indices into views: weight / gamma, bias / beta; -1: none. What has
                              * but one of the two has it in w: beta where gamma is fixed, an
                              * activation's bias. Embedding: of tokens, of positions */
    int tied;                /* dense, without w: the view of another layer's that are its weights,
                              * too; -1: none */
    int heads;               /* of LAYER_ATTENTION */
    bool fixed;              /* conv: its filters are not trained, their gradient stays 0; batch
                              * norm: gamma is 1, and no parameter */
    float eps, momentum;     /* batch norm's; layer norm's eps */
    float std;    /* of initial weights N(0, std^2), with biases 0; 0: as model_init says */
    float scale;  /* dense: of its output; 1, but for logits in "airbench-W" */
    Activation f; /* of LAYER_ACTIVATION */
    int s;        /* batch norm: index of running_mean in state_views; running_var follows */
} Layer;

/* A network to build. Zero values mean the default. */
typedef struct ModelSpec {
    const char *name;     /* "linear" "mlp" "cnn" "resnet8" "resnet20" "resnet56" … (6n+2)
                           * "wrn16-K" "airbench-W" "airbench-W-silu" "airbench-W-relu"; of text
                           * "gpt-D-L-H" (width D, L layers, H heads), and "gpt-D-L-H-post", whose
                           * norms come after attention and MLP, not before them */
    int h, w, c, classes; /* of an image; of text 1, T tokens, 1, and the vocabulary's size */
    int hidden[8];        /* mlp: sizes of its hidden layers, ended by 0; empty: {256, 128} */
    bool no_skip;         /* residual nets without their residual connections */
    bool no_batchnorm;    /* no batch norm: conv layers still have no bias, ReLU stays */
    int ghost;            /* ghost batch norm: images per group; 0: this rank's whole batch */
} ModelSpec;

/* That network for a data set's images; one for images on text ends the run. */
ModelSpec model_spec_for(const char *name, const Dataset *d);

typedef struct Model Model;

/* Called between the two halves of every batch norm, forward (not MODEL_EVAL) and backward, with
 * its sums F64 [G,2,C] (backend.h): all-reduce them in place, on s, to synchronise batch norm over
 * ranks. */
typedef void (*StatsHook)(void *context, Tensor sums, Stream *s);
/* Called during model_backward, once per layer with parameters, when all work on elements [first,
 * first + count) of grads is queued on s: the moment to start their all-reduce. The slices come
 * from the vector's end to its start, without gaps, and together cover it. */
typedef void (*GradHook)(void *context, size_t first, int count, Stream *s);
/* Called when all work of one layer, forward or backward, is queued on s: to time or draw it; as
 * before_hook before any of it is: its parameters may arrive here. */
typedef void (*LayerHook)(void *context, int layer, bool backward, Stream *s);
/* Called in model_backward before a layer's own backward pass, when all work on x and dy is queued
 * on s: x, the layer's input, and dy, the gradient of the loss in its output, complete, both of
 * this batch's N images and valid until the hook returns. What it changes in dy, on s, the layer's
 * gradients and all layers below follow; so does what a residual connection that ends in it passes
 * on. (A dense layer's gradients are dW = dyᵀ x, dbias = the sum of dy over the images; with a
 * scale of its own dy is the gradient before it. A fixed layer on the images gets no dy.) */
typedef void (*TensorHook)(void *context, int layer, Tensor x, Tensor dy, Stream *s);

struct Model {
    Backend *be;
    Stream *s; /* all its work is queued here */
    ModelSpec spec;
    int batch;                   /* largest N */
    Tensor params, grads, state; /* flat F32 vectors (state may be NO_TENSOR) */
    View *views, *state_views;   /* of params and grads; of state */
    int nviews, nstate;
    Layer *layers;
    int nlayers;
    Tensor logits; /* [N,classes] of the last model_forward, of text [N,1,T,classes]; until the
                    * next */
    /* Of the labels, in every model_loss with a gradient (backend.h, cross_entropy); 0: none. Set
     * it before the first model_gradient, which may be recorded. */
    float smoothing;
    /* Synchronised batch norm over stats_ranks ranks, all with the same N; NULL, NULL, 1: off. */
    StatsHook stats_hook;
    void *stats_context;
    int stats_ranks;
    GradHook grad_hook;
    void *grad_context;
    LayerHook layer_hook, before_hook;
    void *layer_context; /* of both */
    /* Where each view's elements lie, [nviews]; NULL: in params, in grads. For those who bring a
     * layer's parameters only when it needs them (before_hook); then params and grads may be
     * NO_TENSOR: free what model_new took first. */
    Tensor *params_at, *grads_at;
    TensorHook tensor_hook;
    void *tensor_context;
    struct ModelPlan *plan; /* activations, their gradients, conv plans: model.c */
};

typedef enum {
    MODEL_TRAIN,       /* batch statistics, running statistics updated, activations kept for
                        * backward */
    MODEL_EVAL,        /* running statistics; nothing kept: no backward after it */
    MODEL_FROZEN_STATS /* batch statistics and backward as in training, running statistics
                        * untouched (landscapes, gradient checks) */
} ModelMode;

/* Build it on a device, all parameters 0. An unknown name or impossible size ends the run (exit 2).
 * batch: the largest N. The model creates its own stream, m->s. */
Model *model_new(Backend *be, const ModelSpec *spec, int batch);
/* The same, without its memory: whether it could be built, before other work is done. */
void model_check(Backend *be, const ModelSpec *spec, int batch);
void model_free(Model *m); /* NULL is fine */

/* Initial weights from the seed: conv He normal (std sqrt(2 / (K R R)) for K output channels, arXiv
 * 1502.01852), dense weights and biases U(-1/sqrt D, 1/sqrt D) for D inputs, gamma 1, beta and an
 * activation's bias 0, running mean 0 and variance 1. A GPT's as GPT-2's: weights and embeddings
 * N(0, 0.02^2), those that end in a residual connection divided by sqrt(2 L), biases 0. (Starts
 * that know more: first_weights.h.) */
void model_init(Model *m, uint64_t seed);

/* x F32 [N,H,W,C], N <= batch, halo model_halo(); result in m->logits. Keep x: model_backward reads
 * it again. */
void model_forward(Model *m, Tensor x, ModelMode mode);
int model_halo(const Model *m); /* the halo that x must have */

/* How many labels a sample has: 1, or a text's T. */
int model_positions(const Model *m);

/* Loss of m->logits against label I32 [N], of text [N,T]: adds {sum of weight * loss, correct
 * answers} to `totals` F64 [2] on the device. weight [N] per sample or NO_TENSOR (all 1). gradient:
 * also prepare the backward pass of (sum of weight * loss) / N, the MEAN loss, of text / (N T); N
 * is the batch just run, not the sum of the weights. */
void model_loss(Model *m, Tensor totals, Tensor label, Tensor weight, bool gradient);

/* To look at: activation a of the last pass (0: its input; i + 1: what layer i made), [N,H,W,C];
 * until the next one. */
Tensor model_activation(const Model *m, int a);

/* After model_loss(…, true), until model_backward: the gradient in m->logits [N,classes]. An
 * exercise may change it (label smoothing). */
Tensor model_loss_gradient(const Model *m);

/* hold: from the next model_forward on, every ReLU passes the elements that it passed in the last
 * one, regardless of their signs now: a network without kinks that equals this one near those
 * weights. For second derivatives by differences of gradients. Batches must be as large as the last
 * one. Max pooling still chooses its maxima. false: ReLU again. */
void model_hold_relu(Model *m, bool hold);

void model_zero_grads(Model *m);
/* Once after model_loss(…, true): grads += d(mean loss)/d(params).
 *
 * In FP16, and in no other precision, with loss scaling (Micikevicius et al., arXiv 1710.03740),
 * since F16 knows nothing between 0 and 6e-8: the loss's gradient is multiplied by S, a power of
 * two, and grads, when complete, by 1/S. If an element is then not finite, grads become 0 and S is
 * halved; after 2,000 passes in a row without that it is doubled (from 65536, between 1 and 2^24).
 * S lies in the device's memory and the host decides nothing, so a step can be recorded.
 *   - Nobody else sees scaled values: not model_loss_gradient, not a hook that looks at grads. What
 *     would, a tensor_hook or a stats_hook, ends the run here (exit 2).
 *   - With a grad_hook, a layer_hook or grads_at each layer's gradients are scaled back before the
 *     hook is called: those before the first one that is not finite are right and stay, all that
 *     come later in that pass are 0.
 *   - What had been added to grads before (several batches per step) goes, too.
 *   - Each rank has its own S: one whose gradient is not finite adds 0 to the ranks' sum, and no
 *     other rank learns of it. Parameters stay the same on all ranks.
 *   - The update with a gradient of 0 is done: momentum and weight decay still apply. (PyTorch's
 *     GradScaler skips it.)
 *   - A loss that is NaN, because the training diverges, gives such a gradient at any S.
 *   - A checkpoint does not hold S. */
void model_backward(Model *m);
Tensor model_loss_scale(const Model *m); /* U8 [sizeof(LossScale)]; NO_TENSOR but in FP16 */

/* A step's gradient in one call: model_zero_grads, model_forward (MODEL_TRAIN), model_loss (no
 * weights), model_backward. Where the device supports it, the work for a batch at the same address
 * (a loader reuses its buffers) is recorded once and then replayed, which costs the host next to
 * nothing. Models with hooks are not recorded. */
void model_gradient(Model *m, Tensor totals, Tensor x, Tensor label);

/* What follows a step's gradient: queues its work on m->s, the same for every batch, and does
 * nothing else, since in a replay it is not called. What changes from step to step (a learning
 * rate) it reads from the device's memory. */
typedef struct StepPart {
    void (*queue)(void *context, Model *m); /* NULL: nothing */
    void *context;
} StepPart;
/* A whole step: model_gradient, then `after`, recorded together. */
void model_step(Model *m, Tensor totals, Tensor x, Tensor label, StepPart after);

/* model_forward (MODEL_EVAL) and model_loss (no weights, no gradient), recorded the same way.
 * totals must be the same in every call, or each is recorded again. */
void model_evaluate(Model *m, Tensor totals, Tensor x, Tensor label);

/* ---- the passes in parts, to keep fewer activations and compute the others again (activation
 * checkpointing; Chen et al., arXiv 1604.06174). Activations 1 … nlayers have memory of their own;
 * their gradients share theirs. ---- */
/* Layers first … end - 1, from activation `first` on, which must be there, as must those that they
 * write. x: the batch, of model_forward, with which a pass begins at first = 0; a second time over
 * the same layers MODEL_FROZEN_STATS. */
void model_forward_part(Model *m, Tensor x, int first, int end, ModelMode mode);
/* After model_loss, from the last part to the first. */
void model_backward_part(Model *m, int first, int end);
/* May a part end before layer i: is activation i, of all those up to it, the only one that later
 * layers read? (Never between a convolution and its batch norm.) */
bool model_may_cut(const Model *m, int i);
/* Free the memory of activation a, 1 … nlayers, and allocate it again; its contents are lost. */
void model_activation_drop(Model *m, int a);
void model_activation_take(Model *m, int a);
double model_activation_bytes(const Model *m, int a);
/* All that the passes over a batch take: activations, their gradients, statistics. */
double model_batch_bytes(const Model *m);

/* The slice v of params, grads or a velocity (v of state_views: of state). */
Tensor model_view(Tensor flat, const View *v);
/* In views, then state_views; NULL: not found. */
const View *model_find(const Model *m, const char *name);
/* Of one image's forward pass: 2 x the multiply-adds of its convolutions and dense layers, and of
 * attention's two products up to each position. */
double model_flops(const Model *m);
#endif
