/* backend.h: what a device can do. The contract between the models and the hardware.
 *
 * A Backend is one device: some cores of this machine's CPU (backend_cpu.c) or one GPU
 * (backend_cuda.c). All work is queued on a Stream and done in the stream's order; on a CPU a
 * stream works at once, so every call returns when its work is done.
 *
 * Conventions of every operation
 *   - Arguments: the stream, then outputs, then inputs, then sizes and switches. Tensors are views
 *     (tensor.h); shapes are in brackets.
 *   - Activations are NHWC, any halo; weights are as PyTorch stores them: convolution W[K,C,R,S] (K
 *     filters over C channels of R x S), dense W[K,D]; vectors (gamma, beta, bias) are [C].
 *     Weights, statistics and sums never have a halo.
 *   - F32 unless a dtype is named. A backend with `bf16` also takes BF16 activations with F32
 *     weights, one with `fp16` F16 ones.
 *   - N, the batch, may be smaller than the N planned for (the last batch of an epoch).
 *   - `+=` in a comment: the result is added to the output. Gradients of weights always add (zero
 *     them once per step). For gradients of activations a `bool add` argument chooses: an
 *     activation that two layers read gets two contributions.
 *   - The caller guarantees the shapes: a wrong one ends the run through ASSERT (check.h). Nothing
 *     here returns an error: no memory left or a failure of the device ends the run, too, on a
 *     GPU perhaps only in the next call that waits (download, stream_sync).
 *   - Convolutions of one Backend share scratch memory: one thread at a time may call them,
 *     whatever the stream.
 *   - Same inputs, same threads: same bits. No operation but *_new and *_plan_new allocates.
 */
#ifndef BACKEND_H
#define BACKEND_H
#include "tensor.h"

typedef struct Backend Backend;
typedef struct Stream Stream;       /* a queue of work */
typedef struct Event Event;         /* a mark in a stream: to wait for, to time */
typedef struct Recording Recording; /* recorded work, queued again in one call */
typedef struct ConvPlan ConvPlan;   /* one convolution's shapes, and what a device prepares for
                                     * them; keeps no weights */

/* Batch normalisation (Ioffe & Szegedy, arXiv 1502.03167): y = gamma * (x - mean) * istd + beta per
 * channel, mean and variance over a group's pixels. The batch is cut into G = ceil(N / group)
 * groups of consecutive images, each with its own statistics: group >= N is the plain batch norm, a
 * smaller one is ghost batch norm (Hoffer et al., arXiv 1705.08741). Statistics travel as SUMS in
 * float64, so that ranks can add theirs (an all-reduce of `sums` between bn_sums and bn_finish, or
 * bn_backward_sums and bn_backward): synchronised batch norm. `ranks` is then the number of ranks
 * whose sums were added (1: only ours); all must have the same N. */
typedef struct BatchNorm {
    Tensor gamma, beta;               /* [C], parameters */
    Tensor running_mean, running_var; /* [C], used by evaluation; var is unbiased, as in PyTorch */
    Tensor mean, istd;   /* [G,C], of the last forward pass; istd = 1 / sqrt(var + eps) */
    int group;           /* images per group, >= 1 */
    bool relu;           /* y = max(0, .) at the end of the forward pass */
    bool y_of_x;         /* backward: y is what bn_forward made of this x, and nothing was added:
                          * its signs may be computed from x again, which saves reading it */
    float eps, momentum; /* 1e-5, and 0.1: running = 0.9 running + 0.1 new */
} BatchNorm;

/* One image's augmentation: which image, and its transformation. Drawn on the host (loader.h),
 * applied by `gather`. */
typedef struct Augment {
    int32_t image;        /* index in the data set */
    int16_t dy, dx;       /* shift: output pixel (h,w) is pixel (h + dy, w + dx) of the image
                           * (mirrored first, if flip), and outside it the mean grey, or see
                           * `reflect` */
    int16_t flip;         /* 1: mirrored left to right, before the shift */
    int16_t cut_y, cut_x; /* top-left corner of the square that cutout greys, in output pixels
                           * (after the shift); may lie outside */
    int16_t cut;          /* its side, 0: none */
    int16_t reflect;      /* 1: outside the image lies what is as far inside, the edge not counted
                           * (PyTorch's reflect padding); |dy| < H, |dx| < W */
} Augment;

/* Smooth activations, of the element v: v Phi(v) with the normal distribution's Phi (Hendrycks &
 * Gimpel, arXiv 1606.08415; exact, not by tanh), v sigmoid(v) (1702.03118), max(0, v); and GPT-2's
 * GELU, with Phi(v) replaced by (1 + tanh(sqrt(2/pi) (v + 0.044715 v^3))) / 2 (PyTorch's
 * approximate="tanh"). */
typedef enum {
    ACTIVATION_GELU,
    ACTIVATION_SILU,
    ACTIVATION_RELU,
    ACTIVATION_GELU_TANH,
    ACTIVATIONS
} Activation;
/* Of attention: tokens of a sample, channels of a head; at most. */
enum { MAX_CONTEXT = 1024, MAX_HEAD = 128 };

typedef struct BackendOps {
    const char *name; /* "cpu", "cuda" */
    bool tf32;        /* multiplies in TF32 */
    bool bf16, fp16;  /* takes BF16, F16 activations */

#define OP(type, name, ...) type (*name)(__VA_ARGS__);
#include "backend_ops.h"
} BackendOps;

/* S, by which a loss is multiplied in FP16, as it lies in a device's memory. */
typedef struct LossScale {
    float scale;
    uint32_t good;     /* passes since the last change */
    uint32_t overflow; /* 1: this pass had an element that is not finite */
} LossScale;
#define LOSS_SCALE_FIRST 0x1p16f
#define LOSS_SCALE_LEAST 1.0f
#define LOSS_SCALE_MOST 0x1p24f
enum { LOSS_SCALE_GOOD = 2000 };

/* How values are stored and multiplied. Sums, weights, statistics and gradients of weights are
 * float32 or better in every precision, with two exceptions: in BF16 and FP16 a convolution's
 * contribution to its weight gradient may be rounded to the activations' type (cuDNN); and in BF16
 * a CPU that multiplies bfloat16 may round the transformed factors of Winograd's method, or x of a
 * first layer (cpu_conv.h), and rounds the factors of dense layers and of attention
 * (cpu_product.h). */
typedef enum {
    PRECISION_FP32,
    PRECISION_TF32, /* matrix products on the tensor cores: factors rounded to 10 mantissa bits */
    PRECISION_BF16, /* BF16 activations between convolutions, their gradients, and filter copies */
    PRECISION_FP16  /* the same in F16: 10 mantissa bits for BF16's 7, but from 6e-8 to 65504 alone:
                     * the loss is scaled (model.h) */
} Precision;

struct Backend {
    const BackendOps *op;
    int threads;           /* cores that this rank's work may use */
    Precision precision;   /* backend_precision; FP32 at first */
    DType activations;     /* of a network's activations: F32; BF16, F16: as precision says */
    char description[384]; /* for people: "CPU, 2 threads, AMD EPYC"; on a GPU it also counts the
                            * convolutions that cuDNN does, as they are planned */
    /* To count memory: called when tensor_new has made a buffer, with its bytes, and by tensor_free
     * before it goes, with 0. NULL: off. */
    void (*memory_hook)(void *context, const Buffer *buf, size_t bytes);
    void *memory_context;
};

/* A convolution's padding, and the side of its output. */
static inline int conv_pad(int R) { return R % 2 ? R / 2 : 0; }
static inline int conv_side(int side, int R, int stride)
{
    return side + 2 * conv_pad(R) < R ? 0 : (side + 2 * conv_pad(R) - R) / stride + 1;
}

/* Streams know their backend, so that an operation needs only the stream. */
struct Stream {
    Backend *be;
    int threads;
};

/* Open a device. kind: "auto" (a GPU where one can be used, else the CPU), "cpu", "cuda".
 * local_rank of local_size: this process among the processes on this machine. On a CPU it takes the
 * local_rank-th of local_size equal parts of the available cores and, where local_size > 1, is
 * pinned to them; on GPUs, GPU number local_rank modulo their count. threads: how many the CPU's
 * work uses, 0: one per core; with a virtual clock (timer.h) it is one, on the CPU, and anything
 * else ends the run (exit 2). A missing device ends the run with status 77. */
Backend *backend_open(const char *kind, int local_rank, int local_size, int threads);
/* name: "fp32", "tf32", "bf16", "fp16". Call it right after backend_open: models read it when they
 * are made. A device without that precision ends the run (exit 2). */
void backend_precision(Backend *be, const char *name);
void backend_close(Backend *be); /* free its buffers, streams and plans first; NULL is fine */

/* memory_require (memory.h), where the device's memory is this process's: on a CPU. */
void backend_require(const Backend *be, double bytes, const char *what, const char *smaller);
/* A tensor in a new zeroed buffer. One that is too large ends the run (exit 2). tensor_free frees
 * the whole buffer, so never give it a view of another tensor; NO_TENSOR is fine. */
Tensor tensor_new(Backend *be, DType dtype, int n, int h, int w, int c, int halo);
void tensor_free(Backend *be, Tensor t);
#endif
