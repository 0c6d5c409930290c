/* backend_ops.h: the operations of a device, each declared here and nowhere else. Conventions and
 * types: backend.h.
 *
 * An operation is KIND_OP(result, name, parameters…), where the kind says who has it:
 *   DEVICE_OP  every device: memory and queues
 *   KERNEL_OP  every device: what computes; on a CPU once per instruction set (cpu_kernels.c)
 *   GPU_OP     GPUs only; NULL on a CPU
 * A file that includes this list first defines what an operation becomes: OP for all kinds, or
 * KIND_OP for one. So it becomes the members of BackendOps, the prototypes of cpu_NAME and
 * cuda_NAME (cpu.h, cuda_backend.h), and the devices' tables. An implementation that is missing
 * does not link.
 */
#ifndef OP
#define OP(...)
#endif
#ifndef DEVICE_OP
#define DEVICE_OP OP
#endif
#ifndef KERNEL_OP
#define KERNEL_OP OP
#endif
#ifndef GPU_OP
#define GPU_OP OP
#endif

/* ---- memory: new buffers are zeroed ---- */
DEVICE_OP(Buffer *, buffer_new, Backend *be, size_t bytes)
/* NULL is fine; the work that uses it must be done */
DEVICE_OP(void, buffer_free, Buffer *buf)
/* The buffer's address where the host can read and write it, else NULL. */
DEVICE_OP(void *, buffer_host, Buffer *buf)

/* ---- for libraries that work on the device beside the backend (comm_nccl.c); NULL where none
 * do ---- */
/* its address on the device, as from cudaMalloc */
GPU_OP(void *, buffer_device, Buffer *buf)
/* the device's own queue: a cudaStream_t */
GPU_OP(void *, stream_native, Stream *s)
/* Host memory for the fastest upload and download (page-locked); may outlive the backend. */
GPU_OP(void *, staging_new, Backend *be, size_t bytes)
GPU_OP(void, staging_free, void *memory)

/* Host to device; src is dense [n,h,w,c] of dst's dtype and may be reused on return; dst has no
 * halo. */
DEVICE_OP(void, upload, Stream *s, Tensor dst, const void *src)
/* Device to host, dense; returns when the elements have arrived. */
DEVICE_OP(void, download, Stream *s, void *dst, Tensor src)
/* Same shape and dtype; halos may differ. */
DEVICE_OP(void, copy, Stream *s, Tensor dst, Tensor src)
/* any dtype; not the halo */
DEVICE_OP(void, zero, Stream *s, Tensor t)

/* ---- queues ---- */
/* threads: how many cores its work may use (CPU); 0, or more than the rank has: all of the
 * rank's. */
DEVICE_OP(Stream *, stream_new, Backend *be, int threads)
DEVICE_OP(void, stream_free, Stream *s)
/* returns when all queued work is done */
DEVICE_OP(void, stream_sync, Stream *s)
DEVICE_OP(Event *, event_new, Backend *be)
DEVICE_OP(void, event_free, Event *e)
/* The event completes when all work queued on s so far is done. */
DEVICE_OP(void, event_record, Event *e, Stream *s)
/* Work queued on s from now on starts after the event has completed. */
DEVICE_OP(void, event_wait, Stream *s, Event *e)
/* Time between two recorded events; waits for both. */
DEVICE_OP(double, event_seconds, Event *from, Event *to)

/* ---- convolution: R 1, 2 or 3; pad = conv_pad(R): 0, 0, 1; stride 1 or 2; x [N,H,W,C], y
 * [N,P,Q,K] with P = conv_side(H, R, stride): H/stride rounded up, and for R = 2 without the
 * last row and column; w [K,C,R,R] as a matrix of K rows and C*R*R columns ---- */
/* The halo of x and dy for which this device's R x R kernels are fastest; any other works too. */
KERNEL_OP(int, conv_halo, Backend *be, int R)
/* Only the shapes of y and x are used; their N is the largest batch. */
KERNEL_OP(ConvPlan *, conv_plan_new, Backend *be, Tensor y, Tensor x, int R, int stride)
KERNEL_OP(void, conv_plan_free, ConvPlan *p)
/* NULL: nothing is gained on this device. The filters as p's convolutions want them, [K,R,R,C]
 * in y's type, without memory; NO_TENSOR: p's convolutions take w only. */
GPU_OP(Tensor, conv_packed, const ConvPlan *p)
/* packed[i] = w[i], of plan i, all at once. The next two take packed[i] in place of w, with the
 * same result. */
GPU_OP(void, conv_pack, Stream *s, int n, ConvPlan *const *plans, const Tensor *packed,
       const Tensor *w)
/* y = x * w (+ residual, of y's shape, unless NO_TENSOR); and, unless NO_TENSOR, moments =
 * image_moments(y) while y is in cache. */
KERNEL_OP(void, conv_forward, Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
          Tensor residual)
/* dx (+)= dy * w rotated by 180 degrees. (+)= here and below: `=` where add is false (every
 * element is written), `+=` where it is true. */
KERNEL_OP(void, conv_backward_data, Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w,
          bool add)
/* dw += */
KERNEL_OP(void, conv_backward_weight, Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)

/* ---- dense layer: x [N,D], w [K,D], bias and dbias [K] or NO_TENSOR, y [N,K] ---- */
/* y = x w^T + bias */
KERNEL_OP(void, dense_forward, Stream *s, Tensor y, Tensor x, Tensor w, Tensor bias)
/* dx (+)= dy w */
KERNEL_OP(void, dense_backward_data, Stream *s, Tensor dx, Tensor dy, Tensor w, bool add)
/* dw +=, dbias += */
KERNEL_OP(void, dense_backward_weight, Stream *s, Tensor dw, Tensor dbias, Tensor x, Tensor dy)

/* ---- batch norm, in the order of a training step; BatchNorm in backend.h ---- */
/* moments [N,2,C] as n=N, h=2, w=1: per image the mean over H*W, and the sum of (x - mean)^2 */
KERNEL_OP(void, image_moments, Stream *s, Tensor moments, Tensor x)
/* moments -> sums F64 [G,2,C]: sum x, sum x^2 over a group's images; pixels = H*W */
KERNEL_OP(void, bn_sums, Stream *s, Tensor sums, Tensor moments, int pixels, int group)
/* sums -> bn->mean, bn->istd; N is this rank's alone: a group's count is images * pixels *
 * ranks. Unless update_running is false, the running statistics move once, towards the plain
 * average over the groups (a short one counts in full). */
KERNEL_OP(void, bn_finish, Stream *s, const BatchNorm *bn, Tensor sums, int N, int pixels,
          int ranks, bool update_running)
/* bn_sums and bn_finish, where no other rank's sums are added in between */
KERNEL_OP(void, bn_statistics, Stream *s, const BatchNorm *bn, Tensor sums, Tensor moments,
          int pixels, bool update_running)
/* Evaluation: row 0 of mean and istd from the running statistics; the bn_forward that follows
 * needs bn->group >= its N. Overwrites what bn_finish left for a backward pass. */
KERNEL_OP(void, bn_running, Stream *s, const BatchNorm *bn)
/* y = bn(x) (+ residual, unless NO_TENSOR), then ReLU if bn->relu */
KERNEL_OP(void, bn_forward, Stream *s, Tensor y, const BatchNorm *bn, Tensor x, Tensor residual)
/* g = dy, with bn->relu 0 where not y > 0 (else y is not read); xhat = (x - mean) * istd. sums
 * F64 [G,2,C]: sum g, sum g xhat. dbeta += and dgamma += the same two over all groups, of this
 * rank only, even where `sums` is then all-reduced. */
KERNEL_OP(void, bn_backward_sums, Stream *s, Tensor sums, const BatchNorm *bn, Tensor dgamma,
          Tensor dbeta, Tensor dy, Tensor y, Tensor x)
/* dx (+)= gamma istd (g - mean(g) - xhat mean(g xhat)), the means from `sums` over a group of
 * all `ranks`; dresidual (+)= g unless NO_TENSOR. add is for dx, add_residual for dresidual. */
KERNEL_OP(void, bn_backward, Stream *s, Tensor dx, Tensor dresidual, const BatchNorm *bn,
          Tensor sums, Tensor dy, Tensor y, Tensor x, int ranks, bool add, bool add_residual)

/* ---- the other layers ---- */
KERNEL_OP(void, relu_forward, Stream *s, Tensor y, Tensor x)
/* dx may be dy */
KERNEL_OP(void, relu_backward, Stream *s, Tensor dx, Tensor dy, Tensor y, bool add)
/* y = f(x + bias): bias [C] or NO_TENSOR */
KERNEL_OP(void, act_forward, Stream *s, Tensor y, Tensor x, Tensor bias, Activation f)
/* dx (+)= dy f'(x + bias), of the forward pass's x; dx may be dy; NO_TENSOR: not wanted. dbias
 * [C] += the sum of dy f' over images and pixels, where there is a bias. */
KERNEL_OP(void, act_backward, Stream *s, Tensor dx, Tensor dbias, Tensor dy, Tensor x, Tensor bias,
          Activation f, bool add)
/* side x side, stride side, side 2 or 3; edges that fill no such square are dropped; which U8
 * like y, no halo: 0 … side*side - 1, the position of the maximum (of equal values the first) */
KERNEL_OP(void, maxpool_forward, Stream *s, Tensor y, Tensor which, Tensor x, int side)
/* The maximum takes all of dy. */
KERNEL_OP(void, maxpool_backward, Stream *s, Tensor dx, Tensor dy, Tensor which, int side, bool add)
/* y [N,1,1,C]: mean over H, W */
KERNEL_OP(void, avgpool_forward, Stream *s, Tensor y, Tensor x)
KERNEL_OP(void, avgpool_backward, Stream *s, Tensor dx, Tensor dy, bool add)
/* [N,H,W,C] -> [N, C*H*W] in PyTorch's order: c, h, w */
KERNEL_OP(void, flatten_forward, Stream *s, Tensor y, Tensor x)
KERNEL_OP(void, flatten_backward, Stream *s, Tensor dx, Tensor dy, bool add)

/* ---- of language models: N samples of T tokens, all [N,1,T,C] without a halo ---- */
/* y[n,t] = tokens[id] + positions[t], the id in x [N,1,T,1], a whole number in [0,V); tokens [V,C],
 * positions [T,C] */
KERNEL_OP(void, embedding_forward, Stream *s, Tensor y, Tensor x, Tensor tokens, Tensor positions)
/* dtokens +=, dpositions += */
KERNEL_OP(void, embedding_backward, Stream *s, Tensor dtokens, Tensor dpositions, Tensor x,
          Tensor dy)
/* y = gamma xhat + beta, xhat = (x - mean) istd with the mean and the biased variance of each
 * position's C channels, istd = 1 / sqrt(var + eps) (Ba et al., arXiv 1607.06450). saved [N,1,T,2]:
 * mean, istd; for the backward pass. */
KERNEL_OP(void, layernorm_forward, Stream *s, Tensor y, Tensor saved, Tensor x, Tensor gamma,
          Tensor beta, float eps)
/* g = gamma dy: dx (+)= istd (g - mean(g) - xhat mean(g xhat)), dgamma += dy xhat, dbeta += dy */
KERNEL_OP(void, layernorm_backward, Stream *s, Tensor dx, Tensor dgamma, Tensor dbeta, Tensor saved,
          Tensor dy, Tensor x, Tensor gamma, bool add)
/* Causal self-attention (Vaswani et al., arXiv 1706.03762). qkv [N,1,T,3C]: queries, keys and
 * values, each of `heads` heads of d = C / heads <= MAX_HEAD channels; T <= MAX_CONTEXT. Of each
 * head y_i = sum over j <= i of p_ij v_j, p_i = softmax over j <= i of q_i k_j / sqrt(d). saved
 * [N,heads,T,2]: the log of each softmax's denominator; the other is the backward pass's own. No
 * T x T matrix is kept: the backward pass computes p again (Dao et al., arXiv 2205.14135). */
KERNEL_OP(void, attention_forward, Stream *s, Tensor y, Tensor saved, Tensor qkv, int heads)
/* dqkv (+)= */
KERNEL_OP(void, attention_backward, Stream *s, Tensor dqkv, Tensor saved, Tensor dy, Tensor y,
          Tensor qkv, int heads, bool add)

/* ---- loss: softmax + cross entropy over classes, logits [N,K], label I32 [N] in [0,K), weight
 * [N] per sample or NO_TENSOR (all 1). Of text, logits [N,1,T,K], label and losses [N,T]: each
 * position is a sample, but for the weights. ---- */
/* losses [N] (or NO_TENSOR): -log p[label], unweighted; totals F64 [2] += {sum weight *loss,
 * count of argmax == label (unweighted; of equal logits the first class)}; dlogits (or
 * NO_TENSOR) = scale * weight * (p - onehot): scale = 1/N gives the gradient of sum(weight *
 * loss) / N. A NaN logit gives a NaN loss and counts as wrong. smoothing, 0 … 1, is the share of
 * the label that goes to all K classes alike, in loss and gradient (Szegedy et al., arXiv
 * 1512.00567; PyTorch's label_smoothing). */
KERNEL_OP(void, cross_entropy, Stream *s, Tensor dlogits, Tensor losses, Tensor totals,
          Tensor logits, Tensor label, Tensor weight, float scale, float smoothing)

/* ---- vectors: [n], F32 (axpy: any shape) ---- */
/* PyTorch's SGD in one pass: d = g + weight_decay w; v = momentum v + d; w -= rate (nesterov ? d
 * + momentum v : v). rate [1] lies on the device, so that a recorded step (CUDA graph) can be
 * replayed with another rate. First step: v is zero, so v = d. */
KERNEL_OP(void, sgd, Stream *s, Tensor w, Tensor v, Tensor g, Tensor rate, float momentum,
          float weight_decay, bool nesterov)
/* y += a x; same shape, halos may differ */
KERNEL_OP(void, axpy, Stream *s, Tensor y, float a, Tensor x)
/* x *= a */
KERNEL_OP(void, scale, Stream *s, Tensor x, float a)
/* out F64 [1] = sum x y, in float64 in a fixed order */
KERNEL_OP(void, dot, Stream *s, Tensor out, Tensor x, Tensor y)

/* ---- loss scaling (model.h); NULL where there is no F16. scale: U8 [sizeof(LossScale)] ---- */
/* x *= S: the loss's gradient, and what the gradients of weights are added to */
GPU_OP(void, scale_up, Stream *s, Tensor x, Tensor scale)
/* g *= 1/S, a part of the gradient that is complete, or NO_TENSOR; if one of its elements is
 * then not finite, or one of an earlier part's was, g = 0. last: the pass is over, which S is
 * moved by. */
GPU_OP(void, scale_down, Stream *s, Tensor g, Tensor scale, bool last)

/* ---- N matrices, for Muon: F32 [N,h,w] as n=N, h, w, c=1, one behind the other ---- */
/* c[n] = a[n] b[n], each of a and b transposed first where said; c is neither of them */
KERNEL_OP(void, matmul, Stream *s, Tensor c, Tensor a, Tensor b, bool a_transposed,
          bool b_transposed)
/* Each of them gets this length: x[n] *= length / max(|x[n]|, 1e-7), |x[n]| the root of its sum
 * of squares, which is taken in a fixed order. */
KERNEL_OP(void, to_length, Stream *s, Tensor x, float length)

/* ---- input: images U8 [M,H,W,C] and labels U8 [M,T] lie on the device ---- */
/* x[n] = (picked image / 255 - mean[c]) * istd[c], augmented; pixels from outside and cut ones
 * are 0 after normalisation (the mean grey). label I32 [N,T]. pick: N entries; mean, istd: C
 * elements; all three in host memory, which may be reused on return. */
KERNEL_OP(void, gather, Stream *s, Tensor x, Tensor label, Tensor images, Tensor labels,
          const Augment *pick, const float *mean, const float *istd)

/* ---- recorded work (CUDA graphs); all four NULL if unsupported ---- */
/* From now on work queued on s is recorded instead of done. Allowed are operations on tensors;
 * no transfer to or from the host but an upload of up to 1024 bytes, whose contents become part
 * of the recording. */
GPU_OP(void, record_begin, Stream *s)
GPU_OP(Recording *, record_end, Stream *s)
/* Queue all of it: the same operations on the same memory. False, and nothing is queued, if
 * memory used by a recording of this backend has been freed since; then record again. */
GPU_OP(bool, replay, Stream *s, Recording *r)
/* NULL is fine */
GPU_OP(void, recording_free, Recording *r)

/* ---- for profilers: names for the work queued between the two, which nest; NULL where a device
 * has none ---- */
GPU_OP(void, range_begin, const char *name)
GPU_OP(void, range_end, void)

DEVICE_OP(void, close, Backend *be)

#undef DEVICE_OP
#undef KERNEL_OP
#undef GPU_OP
#undef OP
