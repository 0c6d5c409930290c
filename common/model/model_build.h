/* model_build.h: building a network's list of layers. Private to model*.c.
 *
 * Each function appends one layer and returns the activation that it produces, so that a network
 * reads like its formula:
 *     int y = model_conv(m, x, "conv1", 16, 3, 1, NONE);
 */
#ifndef MODEL_BUILD_H
#define MODEL_BUILD_H
#include "model.h"

enum { NONE = -1, MAX_LAYERS = 512, MAX_RECORDINGS = 64 };

typedef struct Shape {
    int h, w, c;
} Shape;

/* model_record.c: the work on a batch: its addresses and sizes, and what follows. */
typedef struct StepWork {
    Tensor x, label, totals;
    bool evaluates;
    StepPart after;
} StepWork;
/* Its recording; NULL: seen once. */
typedef struct RecordedStep {
    StepWork work;
    Recording *recording;
} RecordedStep;

struct ModelPlan {
    Shape shape[MAX_LAYERS + 1];  /* of every activation; 0 is the input */
    Tensor act[MAX_LAYERS + 1];   /* [batch,h,w,c]; act[0] is the caller's x of the last forward
                                   * pass */
    Tensor grad[MAX_LAYERS + 1];  /* its gradient, in one of `slots` */
    bool touched[MAX_LAYERS + 1]; /* backward: has grad had a contribution? */
    Tensor slot[MAX_LAYERS];      /* gradients are short-lived: activations share slots, one after
                                   * the other */
    int slots, slot_of[MAX_LAYERS + 1];
    ConvPlan *conv[MAX_LAYERS];
    Tensor filters[MAX_LAYERS]; /* packed as conv[i] wants them; NO_TENSOR: it takes the weights */
    bool packed;                /* do `filters` hold the weights of this pass? */
    BatchNorm norm[MAX_LAYERS];
    Tensor ones, unused;         /* F32 [widest]: gamma where it is fixed, and what is then its
                                  * gradient; n = 0: unused */
    Tensor which[MAX_LAYERS];    /* max pooling: which of the square */
    Tensor saved[MAX_LAYERS];    /* layer norm, attention: for the backward pass (backend_ops.h) */
    Tensor held[MAX_LAYERS + 1]; /* of a ReLU's output: the activations whose signs it keeps;
                                  * NO_TENSOR: none */
    bool holding;                /* model_hold_relu */
    int held_n;                  /* images in held */
    Tensor label, weight;        /* of the last model_loss with a gradient */
    Tensor moments, sums;        /* batch norm's, shared by all layers, for the widest */
    Tensor loss_scale;           /* U8 [sizeof(LossScale)]; NO_TENSOR: only FP16 has one */
    bool zeroed;                 /* the gradients are 0 for certain: they need no scale_up */
    int halo;                    /* of act[0] */
    int n;                       /* images in the last forward pass */
    RecordedStep recorded[MAX_RECORDINGS];
    int oldest;        /* the next to be replaced */
    Tensor evaluation; /* evaluate.c's totals, F64 [2]; NO_TENSOR: not yet */
};

/* By LayerKind: the type of its output (the backend's, its input's, float32), and its name. */
typedef enum { OF_DEVICE, OF_INPUT, ALWAYS_F32 } OutputType;
static const struct {
    OutputType type;
    const char *name;
} layer_kinds[] = {
#define KIND(KIND, passes, type, name) {type, name},
    LAYER_KINDS(KIND)
#undef KIND
};

/* model_layers.c: each appends a layer. */
size_t view_elements(const View *views, int count); /* of a flat vector of these views */
/* kernel x kernel, stride 1 or 2, no bias; residual: an activation to add, or NONE */
int model_conv(Model *m, int in, const char *name, int out, int kernel, int stride, int residual);
int model_batchnorm(Model *m, int in, const char *name, bool relu, int residual);
/* flattens its input first where needed */
int model_dense(Model *m, int in, const char *name, int out);
int model_relu(Model *m, int in);
/* Filters that are not trained: kernel x kernel, stride 1. */
int model_fixed_conv(Model *m, int in, const char *name, int out, int kernel);
/* gamma 1, and no parameter */
int model_norm_without_gamma(Model *m, int in, const char *name, float eps, float momentum);
/* bias: NULL, or the layer's name before ".bias": f(x + bias) */
int model_activation_of(Model *m, int in, Activation f, const char *bias);
/* no bias; the sums are divided by the number of inputs */
int model_mean_head(Model *m, int in, const char *name, int out);
int model_maxpool(Model *m, int in, int side);
/* Of a language model, where activations are [N,1,T,C]. Its input, tokens: `width` channels for
 * each token of spec.classes, plus those of its position. */
int model_embedding(Model *m, int in, const char *tokens, const char *positions, int width,
                    float std);
int model_layernorm(Model *m, int in, const char *name);
/* of queries, keys and values, 3C channels, to C */
int model_attention(Model *m, int in, int heads);
/* a dense layer at each position; residual: an activation to add, or NONE */
int model_linear(Model *m, int in, const char *name, int out, float std, int residual);
/* the same with the weights of view `tied`, without bias */
int model_tied_linear(Model *m, int in, const char *name, int tied);
int model_avgpool(Model *m, int in);

/* model_plan.c: fill in m->plan for the layers (the memory that it takes: model_batch_bytes); take
 * it, once m->params and m->state exist; free it. */
void model_plan(Model *m);
void model_reserve(Model *m);
void model_plan_free(Model *m);
void model_first_loss_scale(Model *m); /* FP16's S, as a training begins */

/* A named range of queued work for the device's profiler; ranges nest. */
static inline void range_begin(const Backend *be, const char *name)
{
    if (be->op->range_begin)
        be->op->range_begin(name);
}
static inline void range_end(const Backend *be)
{
    if (be->op->range_end)
        be->op->range_end();
}

/* model_record.c */
void model_recordings_free(Model *m);

/* model_zoo.c: append the layers of m->spec.name; false: unknown network. */
bool model_zoo(Model *m);
#endif
