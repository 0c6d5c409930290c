/* cuda_backend.h: shared by the files of the CUDA backend. Private to backend_cuda.c and
 * cuda_*.{c,cu}; the contract is backend.h.
 *
 * A Stream is a queue of the GPU: an operation only queues its kernels there and returns. Only
 * download, stream_sync, event_seconds, a large upload, and every *_new and *_free wait for the
 * GPU. Each Stream has its own scratch memory and cuBLAS handle, so that streams do not disturb
 * each other and the same calls give the same bits. No operation uses atomic additions: every sum
 * has a fixed order.
 *
 * .c files hold no kernels and are compiled as C; .cu files hold the kernels and the functions that
 * start them, in C++, which the tests compile for the CPU (tests/support/cuda_on_host/).
 */
#ifndef CUDA_BACKEND_H
#define CUDA_BACKEND_H
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "backend.h"
#include "cuda_check.h"

/* The same for every call of cuBLAS. */
#define CUBLAS_CHECK(call) cublas_check((call), __FILE__, __LINE__, #call)
void cublas_check(cublasStatus_t code, const char *file, int line, const char *call);

struct Buffer {
    Backend *be;
    void *device; /* its address on the GPU */
    size_t bytes;
    bool recorded; /* a recording may hold its address */
};

typedef struct CudaBackend {
    Backend base;
    BackendOps ops;
    int device;           /* the GPU's index */
    void *scratch;        /* used by the convolutions in turn, */
    size_t scratch_bytes; /* grown by cuda_reserve */
    Stream *scratch_user; /* the stream that used it last; NULL: none, or freed */
    cudaEvent_t handover; /* its work queued by then, when another stream takes over */
    long frees;           /* how often memory that a recording may use was freed */
    void *dnn;            /* cuda_conv_cudnn.c's handle; NULL: convolutions use im2col */
    char no_dnn[96];      /* why: for people */
    /* convolutions planned so far; how many of them cuDNN does: forward, data, weights; and how
     * many of those by graphs */
    int plans, by_dnn[3], by_graph[3];
    int refused; /* calls that it turned out not to do so */
    int about;   /* length of the description without them */
} CudaBackend;

/* of each stream: for sums; cuBLAS's own */
enum { MAX_CHANNELS = 4096, SCRATCH_BYTES = 8 << 20, BLAS_BYTES = 32 << 20 };

typedef struct CudaStream {
    Stream base;
    cudaStream_t queue;
    cublasHandle_t blas;
    void *blas_memory, *scratch;
    Buffer *counters; /* unsigned [NORM_COUNTERS], 0 between kernels */
    bool recorded;    /* a recording may hold their addresses */
} CudaStream;
/* What this thread records, between record_begin and record_end; NULL: nothing. */
extern __thread Recording *cuda_recording;

static inline int cuda_number(const Backend *be) { return ((const CudaBackend *)be)->device; }
/* The stream's queue; makes its GPU this thread's current one. (The current GPU is per thread: the
 * loader needs it, too.) */
static inline cudaStream_t cuda_queue(Stream *s)
{
    CUDA_CHECK(cudaSetDevice(cuda_number(s->be)));
    if (cuda_recording)
        ((CudaStream *)s)->recorded = true;
    return ((CudaStream *)s)->queue;
}
static inline void *cuda_scratch(Stream *s) { return ((CudaStream *)s)->scratch; }
static inline unsigned *cuda_counters(Stream *s)
{
    return (unsigned *)((CudaStream *)s)->counters->device;
}
static inline void *cuda_at(Tensor t)
{
    if (cuda_recording)
        t.buf->recorded = true;
    return (char *)t.buf->device + t.at * dtype_size(t.dtype);
}
static inline bool same_shape(Tensor a, Tensor b)
{
    return a.n == b.n && a.h == b.h && a.w == b.w && a.c == b.c;
}
static inline bool is_activation(Tensor t)
{
    return t.dtype == F32 || t.dtype == BF16 || t.dtype == F16;
}

/* While a stream is being recorded, no other thread may allocate or free: that waits for the whole
 * GPU, which CUDA forbids then. So this lock is held from record_begin to record_end, and around
 * allocations and frees. */
void cuda_lock(void);
void cuda_unlock(void);

/* cuda_buffer.c. Freeing waits for all work. recorded: a recording may hold the address. */
void *cuda_memory_new(Backend *be, size_t bytes);
void cuda_memory_free(Backend *be, void *memory, bool recorded);
Buffer *cuda_buffer_new(Backend *be, size_t bytes);
void cuda_buffer_free(Buffer *b);
void *cuda_buffer_host(Buffer *b);
void *cuda_buffer_device(Buffer *b);
void *cuda_staging_new(Backend *be, size_t bytes);
void cuda_staging_free(void *memory);
void cuda_upload(Stream *s, Tensor dst, const void *src);
void cuda_download(Stream *s, void *dst, Tensor src);
void cuda_copy(Stream *s, Tensor dst, Tensor src);
void cuda_zero(Stream *s, Tensor t);

/* cuda_stream.c. cuda_reserve: grow the backend's scratch memory to at least `bytes`; only while
 * planning. cuda_take_scratch: from now on s uses it, after the work of other streams that use
 * it. */
void cuda_reserve(Backend *be, size_t bytes);
void cuda_take_scratch(Stream *s);
Stream *cuda_stream_new(Backend *be, int threads);
void cuda_stream_free(Stream *s);
void *cuda_stream_native(Stream *s);
void cuda_stream_sync(Stream *s);
Event *cuda_event_new(Backend *be);
void cuda_event_free(Event *e);
void cuda_event_record(Event *e, Stream *s);
void cuda_event_wait(Stream *s, Event *e);
double cuda_event_seconds(Event *from, Event *to);

/* cuda_gemm.c: c = a b + beta c, row-major: c [M,N], op(a) [M,K], op(b) [K,N]; lda, ldb, ldc:
 * elements from row to row. a and b of one type, F32, BF16 or F16; sums in float32, on the tensor
 * cores as be->precision allows. */
typedef struct Operand {
    const void *at;
    int ld;
    bool transposed;
} Operand;
void cuda_gemm(Stream *s, void *c, DType c_type, int ldc, float beta, Operand a, Operand b,
               DType ab_type, int M, int N, int K);
/* The same of `count` products, all F32, in one call: dense matrices, one behind the other. */
void cuda_gemm_stack(Stream *s, float *c, Operand a, Operand b, int count, int M, int N, int K);

/* cuda_vector.cu */
void cuda_put_small(Stream *s, void *device, const void *host, size_t bytes);
enum { SMALL_BYTES = 1024 };       /* its maximum */
cudaError_t cuda_try_kernel(void); /* can the current GPU run this program's kernels? */
void cuda_sgd(Stream *s, Tensor w, Tensor v, Tensor g, Tensor rate, float momentum,
              float weight_decay, bool nesterov);
void cuda_axpy(Stream *s, Tensor y, float a, Tensor x);
void cuda_scale(Stream *s, Tensor x, float a);
void cuda_dot(Stream *s, Tensor out, Tensor x, Tensor y);
/* cuda_loss_scale.cu */
void cuda_scale_up(Stream *s, Tensor x, Tensor scale);
void cuda_scale_down(Stream *s, Tensor g, Tensor scale, bool last);
/* cuda_record.c: fill in the operations for recordings and for profilers. (The tests' emulated GPU
 * cannot record, and has another file.) */
void cuda_record_ops(BackendOps *op);
/* cuda_conv.c */
int cuda_conv_halo(Backend *be, int R);
ConvPlan *cuda_conv_plan_new(Backend *be, Tensor y, Tensor x, int R, int stride);
void cuda_conv_plan_free(ConvPlan *p);
Tensor cuda_conv_packed(const ConvPlan *p);
void cuda_conv_pack(Stream *s, int n, ConvPlan *const *plans, const Tensor *packed,
                    const Tensor *w);
void cuda_conv_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                       Tensor residual);
void cuda_conv_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add);
void cuda_conv_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy);
/* cuda_dense.cu */
void cuda_dense_forward(Stream *s, Tensor y, Tensor x, Tensor w, Tensor bias);
void cuda_dense_backward_data(Stream *s, Tensor dx, Tensor dy, Tensor w, bool add);
void cuda_dense_backward_weight(Stream *s, Tensor dw, Tensor dbias, Tensor x, Tensor dy);
/* cuda_norm.cu, cuda_norm_backward.cu */
void cuda_image_moments(Stream *s, Tensor moments, Tensor x);
void cuda_bn_sums(Stream *s, Tensor sums, Tensor moments, int pixels, int group);
void cuda_bn_finish(Stream *s, const BatchNorm *bn, Tensor sums, int N, int pixels, int ranks,
                    bool update_running);
void cuda_bn_statistics(Stream *s, const BatchNorm *bn, Tensor sums, Tensor moments, int pixels,
                        bool update_running);
void cuda_bn_running(Stream *s, const BatchNorm *bn);
void cuda_bn_forward(Stream *s, Tensor y, const BatchNorm *bn, Tensor x, Tensor residual);
void cuda_bn_backward_sums(Stream *s, Tensor sums, const BatchNorm *bn, Tensor dgamma, Tensor dbeta,
                           Tensor dy, Tensor y, Tensor x);
void cuda_bn_backward(Stream *s, Tensor dx, Tensor dresidual, const BatchNorm *bn, Tensor sums,
                      Tensor dy, Tensor y, Tensor x, int ranks, bool add, bool add_residual);
/* cuda_layers.cu */
void cuda_relu_forward(Stream *s, Tensor y, Tensor x);
void cuda_relu_backward(Stream *s, Tensor dx, Tensor dy, Tensor y, bool add);
void cuda_maxpool_forward(Stream *s, Tensor y, Tensor which, Tensor x, int side);
void cuda_maxpool_backward(Stream *s, Tensor dx, Tensor dy, Tensor which, int side, bool add);
void cuda_avgpool_forward(Stream *s, Tensor y, Tensor x);
void cuda_avgpool_backward(Stream *s, Tensor dx, Tensor dy, bool add);
void cuda_flatten_forward(Stream *s, Tensor y, Tensor x);
void cuda_flatten_backward(Stream *s, Tensor dx, Tensor dy, bool add);
/* cuda_loss.cu */
void cuda_cross_entropy(Stream *s, Tensor dlogits, Tensor losses, Tensor totals, Tensor logits,
                        Tensor label, Tensor weight, float scale, float smoothing);
/* cuda_activation.cu */
void cuda_act_forward(Stream *s, Tensor y, Tensor x, Tensor bias, Activation f);
void cuda_act_backward(Stream *s, Tensor dx, Tensor dbias, Tensor dy, Tensor x, Tensor bias,
                       Activation f, bool add);
/* cuda_matrix.cu */
void cuda_matmul(Stream *s, Tensor c, Tensor a, Tensor b, bool a_transposed, bool b_transposed);
void cuda_to_length(Stream *s, Tensor x, float length);
/* cuda_gather.cu */
void cuda_gather(Stream *s, Tensor x, Tensor label, Tensor images, Tensor labels,
                 const Augment *pick, const float *mean, const float *istd);
#ifdef __cplusplus
}
#endif
#endif
