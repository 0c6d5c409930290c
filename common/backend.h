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
 *   - F32 unless a dtype is named. A backend with `mixed` also takes BF16 activations with F32
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
 * Gimpel, arXiv 1606.08415; exact, not by tanh), v sigmoid(v) (1702.03118), max(0, v). */
typedef enum { ACTIVATION_GELU, ACTIVATION_SILU, ACTIVATION_RELU } Activation;

typedef struct BackendOps {
    const char *name; /* "cpu", "cuda" */
    bool mixed;       /* takes BF16 activations, and TF32 */
    bool fp16;        /* takes F16 activations */

    /* ---- memory: new buffers are zeroed ---- */
    Buffer *(*buffer_new)(Backend *be, size_t bytes);
    void (*buffer_free)(Buffer *buf); /* NULL is fine; the work that uses it must be done */
    /* The buffer's address where the host can read and write it, else NULL. */
    void *(*buffer_host)(Buffer *buf);

    /* ---- for libraries that work on the device beside the backend (comm_nccl.c); NULL where none
     * do ---- */
    void *(*buffer_device)(Buffer *buf); /* its address on the device, as from cudaMalloc */
    void *(*stream_native)(Stream *s);   /* the device's own queue: a cudaStream_t */
    /* Host memory for the fastest upload and download (page-locked); may outlive the backend. */
    void *(*staging_new)(Backend *be, size_t bytes);
    void (*staging_free)(void *memory);

    /* Host to device; src is dense [n,h,w,c] of dst's dtype and may be reused on return; dst has no
     * halo. */
    void (*upload)(Stream *s, Tensor dst, const void *src);
    /* Device to host, dense; returns when the elements have arrived. */
    void (*download)(Stream *s, void *dst, Tensor src);
    /* Same shape and dtype; halos may differ. */
    void (*copy)(Stream *s, Tensor dst, Tensor src);
    void (*zero)(Stream *s, Tensor t); /* any dtype; not the halo */

    /* ---- queues ---- */
    /* threads: how many cores its work may use (CPU); 0, or more than the rank has: all of the
     * rank's. */
    Stream *(*stream_new)(Backend *be, int threads);
    void (*stream_free)(Stream *s);
    void (*stream_sync)(Stream *s); /* returns when all queued work is done */
    Event *(*event_new)(Backend *be);
    void (*event_free)(Event *e);
    /* The event completes when all work queued on s so far is done. */
    void (*event_record)(Event *e, Stream *s);
    /* Work queued on s from now on starts after the event has completed. */
    void (*event_wait)(Stream *s, Event *e);
    /* Time between two recorded events; waits for both. */
    double (*event_seconds)(Event *from, Event *to);

    /* ---- convolution: R 1, 2 or 3; pad = conv_pad(R): 0, 0, 1; stride 1 or 2; x [N,H,W,C], y
     * [N,P,Q,K] with P = conv_side(H, R, stride): H/stride rounded up, and for R = 2 without the
     * last row and column; w [K,C,R,R] as a matrix of K rows and C*R*R columns ---- */
    /* The halo of x and dy for which this device's R x R kernels are fastest; any other works
     * too. */
    int (*conv_halo)(Backend *be, int R);
    /* Only the shapes of y and x are used; their N is the largest batch. */
    ConvPlan *(*conv_plan_new)(Backend *be, Tensor y, Tensor x, int R, int stride);
    void (*conv_plan_free)(ConvPlan *p);
    /* NULL: nothing is gained on this device. The filters as p's convolutions want them, [K,R,R,C]
     * in y's type, without memory; NO_TENSOR: p's convolutions take w only. */
    Tensor (*conv_packed)(const ConvPlan *p);
    /* packed[i] = w[i], of plan i, all at once. The next two take packed[i] in place of w, with the
     * same result. */
    void (*conv_pack)(Stream *s, int n, ConvPlan *const *plans, const Tensor *packed,
                      const Tensor *w);
    /* y = x * w (+ residual, of y's shape, unless NO_TENSOR); and, unless NO_TENSOR, moments =
     * image_moments(y) while y is in cache. */
    void (*conv_forward)(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                         Tensor residual);
    /* dx (+)= dy * w rotated by 180 degrees. (+)= here and below: `=` where add is false (every
     * element is written), `+=` where it is true. */
    void (*conv_backward_data)(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
    /* dw += */
    void (*conv_backward_weight)(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);

    /* ---- dense layer: x [N,D], w [K,D], bias and dbias [K] or NO_TENSOR, y [N,K] ---- */
    /* y = x w^T + bias */
    void (*dense_forward)(Stream *s, Tensor y, Tensor x, Tensor w, Tensor bias);
    /* dx (+)= dy w */
    void (*dense_backward_data)(Stream *s, Tensor dx, Tensor dy, Tensor w, bool add);
    /* dw +=, dbias += */
    void (*dense_backward_weight)(Stream *s, Tensor dw, Tensor dbias, Tensor x, Tensor dy);

    /* ---- batch norm, in the order of a training step; struct above ---- */
    /* moments [N,2,C] as n=N, h=2, w=1: per image the mean over H*W, and the sum of
     * (x - mean)^2 */
    void (*image_moments)(Stream *s, Tensor moments, Tensor x);
    /* moments -> sums F64 [G,2,C]: sum x, sum x^2 over a group's images; pixels = H*W */
    void (*bn_sums)(Stream *s, Tensor sums, Tensor moments, int pixels, int group);
    /* sums -> bn->mean, bn->istd; N is this rank's alone: a group's count is images * pixels *
     * ranks. Unless update_running is false, the running statistics move once, towards the plain
     * average over the groups (a short one counts in full). */
    void (*bn_finish)(Stream *s, const BatchNorm *bn, Tensor sums, int N, int pixels, int ranks,
                      bool update_running);
    /* bn_sums and bn_finish, where no other rank's sums are added in between */
    void (*bn_statistics)(Stream *s, const BatchNorm *bn, Tensor sums, Tensor moments, int pixels,
                          bool update_running);
    /* Evaluation: row 0 of mean and istd from the running statistics; the bn_forward that follows
     * needs bn->group >= its N. Overwrites what bn_finish left for a backward pass. */
    void (*bn_running)(Stream *s, const BatchNorm *bn);
    /* y = bn(x) (+ residual, unless NO_TENSOR), then ReLU if bn->relu */
    void (*bn_forward)(Stream *s, Tensor y, const BatchNorm *bn, Tensor x, Tensor residual);
    /* g = dy, with bn->relu 0 where not y > 0 (else y is not read); xhat = (x - mean) * istd. sums
     * F64 [G,2,C]: sum g, sum g xhat. dbeta += and dgamma += the same two over all groups, of this
     * rank only, even where `sums` is then all-reduced. */
    void (*bn_backward_sums)(Stream *s, Tensor sums, const BatchNorm *bn, Tensor dgamma,
                             Tensor dbeta, Tensor dy, Tensor y, Tensor x);
    /* dx (+)= gamma istd (g - mean(g) - xhat mean(g xhat)), the means from `sums` over a group of
     * all `ranks`; dresidual (+)= g unless NO_TENSOR. add is for dx, add_residual for dresidual. */
    void (*bn_backward)(Stream *s, Tensor dx, Tensor dresidual, const BatchNorm *bn, Tensor sums,
                        Tensor dy, Tensor y, Tensor x, int ranks, bool add, bool add_residual);

    /* ---- the other layers ---- */
    void (*relu_forward)(Stream *s, Tensor y, Tensor x);
    void (*relu_backward)(Stream *s, Tensor dx, Tensor dy, Tensor y, bool add); /* dx may be dy */
    /* y = f(x + bias): bias [C] or NO_TENSOR */
    void (*act_forward)(Stream *s, Tensor y, Tensor x, Tensor bias, Activation f);
    /* dx (+)= dy f'(x + bias), of the forward pass's x; dx may be dy; NO_TENSOR: not wanted. dbias
     * [C] += the sum of dy f' over images and pixels, where there is a bias. */
    void (*act_backward)(Stream *s, Tensor dx, Tensor dbias, Tensor dy, Tensor x, Tensor bias,
                         Activation f, bool add);
    /* side x side, stride side, side 2 or 3; edges that fill no such square are dropped; which U8
     * like y, no halo: 0 … side*side - 1, the position of the maximum (of equal values the
     * first) */
    void (*maxpool_forward)(Stream *s, Tensor y, Tensor which, Tensor x, int side);
    /* The maximum takes all of dy. */
    void (*maxpool_backward)(Stream *s, Tensor dx, Tensor dy, Tensor which, int side, bool add);
    /* y [N,1,1,C]: mean over H, W */
    void (*avgpool_forward)(Stream *s, Tensor y, Tensor x);
    void (*avgpool_backward)(Stream *s, Tensor dx, Tensor dy, bool add);
    /* [N,H,W,C] -> [N, C*H*W] in PyTorch's order: c, h, w */
    void (*flatten_forward)(Stream *s, Tensor y, Tensor x);
    void (*flatten_backward)(Stream *s, Tensor dx, Tensor dy, bool add);

    /* ---- loss: softmax + cross entropy over classes, logits [N,K], label I32 [N] in [0,K), weight
     * [N] per sample or NO_TENSOR (all 1) ---- */
    /* losses [N] (or NO_TENSOR): -log p[label], unweighted; totals F64 [2] += {sum weight * loss,
     * count of argmax == label (unweighted; of equal logits the first class)};
     * dlogits (or NO_TENSOR) = scale * weight * (p - onehot): scale = 1/N gives the gradient of
     * sum(weight * loss) / N. A NaN logit gives a NaN loss and counts as wrong. smoothing, 0 … 1,
     * is the share of the label that goes to all K classes alike, in loss and gradient (Szegedy et
     * al., arXiv 1512.00567; PyTorch's label_smoothing). */
    void (*cross_entropy)(Stream *s, Tensor dlogits, Tensor losses, Tensor totals, Tensor logits,
                          Tensor label, Tensor weight, float scale, float smoothing);

    /* ---- vectors: [n], F32 (axpy: any shape) ---- */
    /* PyTorch's SGD in one pass: d = g + weight_decay w; v = momentum v + d; w -= rate (nesterov ?
     * d + momentum v : v). rate [1] lies on the device, so that a recorded step (CUDA graph) can be
     * replayed with another rate. First step: v is zero, so v = d. */
    void (*sgd)(Stream *s, Tensor w, Tensor v, Tensor g, Tensor rate, float momentum,
                float weight_decay, bool nesterov);
    /* y += a x; same shape, halos may differ */
    void (*axpy)(Stream *s, Tensor y, float a, Tensor x);
    void (*scale)(Stream *s, Tensor x, float a); /* x *= a */
    /* out F64 [1] = sum x y, in float64 in a fixed order */
    void (*dot)(Stream *s, Tensor out, Tensor x, Tensor y);

    /* ---- loss scaling (model.h); NULL where there is no F16. scale: U8 [sizeof(LossScale)]
     * ---- */
    /* x *= S: the loss's gradient, and what the gradients of weights are added to */
    void (*scale_up)(Stream *s, Tensor x, Tensor scale);
    /* g *= 1/S, a part of the gradient that is complete, or NO_TENSOR; if one of its elements is
     * then not finite, or one of an earlier part's was, g = 0. last: the pass is over, which S is
     * moved by. */
    void (*scale_down)(Stream *s, Tensor g, Tensor scale, bool last);

    /* ---- N matrices, for Muon: F32 [N,h,w] as n=N, h, w, c=1, one behind the other ---- */
    /* c[n] = a[n] b[n], each of a and b transposed first where said; c is neither of
     * them */
    void (*matmul)(Stream *s, Tensor c, Tensor a, Tensor b, bool a_transposed, bool b_transposed);
    /* Each of them gets this length: x[n] *= length / max(|x[n]|, 1e-7), |x[n]| the root of its sum
     * of squares, which is taken in a fixed order. */
    void (*to_length)(Stream *s, Tensor x, float length);

    /* ---- input: images U8 [M,H,W,C] and labels U8 [M] lie on the device ---- */
    /* x[n] = (picked image / 255 - mean[c]) * istd[c], augmented; pixels from outside and cut ones
     * are 0 after normalisation (the mean grey). label I32 [N]. pick: N entries; mean, istd: C
     * elements; all three in host memory, which may be reused on return. */
    void (*gather)(Stream *s, Tensor x, Tensor label, Tensor images, Tensor labels,
                   const Augment *pick, const float *mean, const float *istd);

    /* ---- recorded work (CUDA graphs); all four NULL if unsupported ---- */
    /* From now on work queued on s is recorded instead of done. Allowed are operations on tensors;
     * no transfer to or from the host but an upload of up to 1024 bytes, whose contents become part
     * of the recording. */
    void (*record_begin)(Stream *s);
    Recording *(*record_end)(Stream *s);
    /* Queue all of it: the same operations on the same memory. False, and nothing is queued, if
     * memory used by a recording of this backend has been freed since; then record again. */
    bool (*replay)(Stream *s, Recording *r);
    void (*recording_free)(Recording *r); /* NULL is fine */

    /* ---- for profilers: names for the work queued between the two, which nest; NULL where a
     * device has none ---- */
    void (*range_begin)(const char *name);
    void (*range_end)(void);

    void (*close)(Backend *be);
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
 * float32 or better in every precision, with one exception: in BF16 and FP16 a convolution's
 * contribution to its weight gradient may be rounded to the activations' type (cuDNN). */
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
