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
    int tiled;   /* convolutions by cuda_conv_tile.cu */
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

/* The operations, which nobody outside this library calls by name: so that the linker asks for all
 * of them. */
#define OP(type, name, ...) __attribute__((visibility("hidden"))) type cuda_##name(__VA_ARGS__);
#include "backend_ops.h"

/* cuda_buffer.c. Freeing waits for all work. recorded: a recording may hold the address. */
void *cuda_memory_new(Backend *be, size_t bytes);
void cuda_memory_free(Backend *be, void *memory, bool recorded);

/* cuda_stream.c. cuda_reserve: grow the backend's scratch memory to at least `bytes`; only while
 * planning. cuda_take_scratch: from now on s uses it, after the work of other streams that use
 * it. */
void cuda_reserve(Backend *be, size_t bytes);
void cuda_take_scratch(Stream *s);

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
#ifdef __cplusplus
}
#endif
#endif
