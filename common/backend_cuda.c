/* backend_cuda.c: one GPU as a device: memory, queues, which GPU, and the table of its operations (cuda_*.{c,cu}). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit.h"
#include "backend_open.h"
#include "cuda_backend.h"
#include "cuda_conv_cudnn.h"
#include "cuda_usable.h"

#ifndef CUDA_ARCHS
#define CUDA_ARCHS "no GPU" /* the Makefile's list */
#endif

struct Event {
    Backend *be;
    cudaEvent_t mark;
};

void cublas_check(cublasStatus_t code, const char *file, int line, const char *call)
{
    if (code != CUBLAS_STATUS_SUCCESS)
        die(EXIT_WRONG, "%s:%d: %s: %s (%s)", file, line, call, cublasGetStatusString(code), cublasGetStatusName(code));
}

static void use(const Backend *be) { CUDA_CHECK(cudaSetDevice(cuda_number(be))); }

/* ---- the convolutions' scratch memory ---- */

void cuda_reserve(Backend *be, size_t bytes)
{
    CudaBackend *cuda = (CudaBackend *)be;
    if (bytes <= cuda->scratch_bytes)
        return;
    cuda_memory_free(be, cuda->scratch, true);
    cuda->scratch = cuda_memory_new(be, bytes);
    cuda->scratch_bytes = bytes;
}

void cuda_take_scratch(Stream *s)
{
    CudaBackend *cuda = (CudaBackend *)s->be;
    if (cuda->scratch_user == s)
        return;
    if (cuda->scratch_user) {
        CUDA_CHECK(cudaEventRecord(cuda->handover, cuda_queue(cuda->scratch_user)));
        CUDA_CHECK(cudaStreamWaitEvent(cuda_queue(s), cuda->handover, 0));
    }
    cuda->scratch_user = s;
}

/* ---- queues ---- */

/* cuBLAS gets memory of its own: what it would take otherwise depends on which streams are busy, and with it the order
 * of its sums. */
static Stream *cuda_stream_new(Backend *be, int threads)
{
    CudaStream *s = alloc(1, sizeof *s);
    (void)threads;
    s->base = (Stream){be, be->threads};
    s->scratch = cuda_memory_new(be, SCRATCH_BYTES);
    s->blas_memory = cuda_memory_new(be, BLAS_BYTES);
    cuda_lock();
    CUDA_CHECK(cudaStreamCreateWithFlags(&s->queue, cudaStreamNonBlocking));
    CUBLAS_CHECK(cublasCreate(&s->blas));
    cuda_unlock();
    CUBLAS_CHECK(cublasSetMathMode(s->blas, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)); /* BF16: sums in float32 */
    CUBLAS_CHECK(cublasSetStream(s->blas, s->queue));
    CUBLAS_CHECK(cublasSetWorkspace(s->blas, s->blas_memory, BLAS_BYTES)); /* after the stream, which takes it away */
    return &s->base;
}

static void cuda_stream_free(Stream *base)
{
    CudaStream *s = (CudaStream *)base;
    if (!s)
        return;
    CudaBackend *cuda = (CudaBackend *)base->be;
    if (cuda->scratch_user == base)
        cuda->scratch_user = NULL;
    CUDA_CHECK(cudaStreamSynchronize(cuda_queue(base)));
    cuda_lock();
    CUBLAS_CHECK(cublasDestroy(s->blas)); /* waits for the whole GPU */
    CUDA_CHECK(cudaStreamDestroy(s->queue));
    cuda_unlock();
    cuda_memory_free(base->be, s->blas_memory, s->recorded);
    cuda_memory_free(base->be, s->scratch, s->recorded);
    free(s);
}

static void *cuda_stream_native(Stream *s) { return cuda_queue(s); }
static void cuda_stream_sync(Stream *s) { CUDA_CHECK(cudaStreamSynchronize(cuda_queue(s))); }

static Event *cuda_event_new(Backend *be)
{
    Event *e = alloc(1, sizeof *e);
    e->be = be;
    use(be);
    CUDA_CHECK(cudaEventCreate(&e->mark));
    return e;
}

static void cuda_event_free(Event *e)
{
    if (!e)
        return;
    use(e->be);
    CUDA_CHECK(cudaEventDestroy(e->mark));
    free(e);
}

static void cuda_event_record(Event *e, Stream *s) { CUDA_CHECK(cudaEventRecord(e->mark, cuda_queue(s))); }
static void cuda_event_wait(Stream *s, Event *e) { CUDA_CHECK(cudaStreamWaitEvent(cuda_queue(s), e->mark, 0)); }

static double cuda_event_seconds(Event *from, Event *to)
{
    float milliseconds;
    use(to->be);
    CUDA_CHECK(cudaEventSynchronize(from->mark));
    CUDA_CHECK(cudaEventSynchronize(to->mark));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, from->mark, to->mark));
    return milliseconds / 1e3;
}

static void cuda_close(Backend *be)
{
    CudaBackend *cuda = (CudaBackend *)be;
    cuda_lock();
    cudnn_close(be);
    CUDA_CHECK(cudaEventDestroy(cuda->handover));
    cuda_unlock();
    cuda_memory_free(be, cuda->scratch, false);
    free(cuda);
}

/* ---- opening ---- */

static const BackendOps cuda_ops = {
    .name = "cuda",
    .buffer_new = cuda_buffer_new, .buffer_free = cuda_buffer_free, .buffer_host = cuda_buffer_host,
    .buffer_device = cuda_buffer_device, .stream_native = cuda_stream_native,
    .staging_new = cuda_staging_new, .staging_free = cuda_staging_free,
    .upload = cuda_upload, .download = cuda_download, .copy = cuda_copy, .zero = cuda_zero,
    .stream_new = cuda_stream_new, .stream_free = cuda_stream_free, .stream_sync = cuda_stream_sync,
    .event_new = cuda_event_new, .event_free = cuda_event_free, .event_record = cuda_event_record,
    .event_wait = cuda_event_wait, .event_seconds = cuda_event_seconds,
    .conv_halo = cuda_conv_halo, .conv_plan_new = cuda_conv_plan_new, .conv_plan_free = cuda_conv_plan_free,
    .conv_forward = cuda_conv_forward, .conv_backward_data = cuda_conv_backward_data,
    .conv_backward_weight = cuda_conv_backward_weight,
    .dense_forward = cuda_dense_forward, .dense_backward_data = cuda_dense_backward_data,
    .dense_backward_weight = cuda_dense_backward_weight,
    .image_moments = cuda_image_moments, .bn_sums = cuda_bn_sums, .bn_finish = cuda_bn_finish,
    .bn_running = cuda_bn_running, .bn_forward = cuda_bn_forward, .bn_backward_sums = cuda_bn_backward_sums,
    .bn_backward = cuda_bn_backward,
    .relu_forward = cuda_relu_forward, .relu_backward = cuda_relu_backward,
    .maxpool_forward = cuda_maxpool_forward, .maxpool_backward = cuda_maxpool_backward,
    .avgpool_forward = cuda_avgpool_forward, .avgpool_backward = cuda_avgpool_backward,
    .flatten_forward = cuda_flatten_forward, .flatten_backward = cuda_flatten_backward,
    .cross_entropy = cuda_cross_entropy,
    .sgd = cuda_sgd, .axpy = cuda_axpy, .scale = cuda_scale, .dot = cuda_dot,
    .gather = cuda_gather,
    .close = cuda_close,
};

/* Which GPU this rank takes, and what there is to know about it. */
static CudaFound look(int local_rank, int *device)
{
    CudaFound f = {.archs = CUDA_ARCHS};
    *device = 0;
    if (cudaDriverGetVersion(&f.driver) != cudaSuccess)
        f.driver = 0;
    CUDA_CHECK(cudaRuntimeGetVersion(&f.runtime));
    cudaError_t e = cudaGetDeviceCount(&f.devices);
    if (e == cudaErrorNoDevice)
        f.devices = 0;
    else if (e != cudaSuccess)
        f.error = cudaGetErrorString(e);
    if (f.driver == 0 || f.error || f.devices == 0)
        return f;
    *device = local_rank % f.devices;
    e = cudaSetDevice(*device); /* from CUDA 12 on this starts work with it: it may be another's alone, its memory full, … */
    if (e != cudaSuccess) {
        f.error = cudaGetErrorString(e);
        return f;
    }
    CUDA_CHECK(cudaDeviceGetAttribute(&f.major, cudaDevAttrComputeCapabilityMajor, *device));
    CUDA_CHECK(cudaDeviceGetAttribute(&f.minor, cudaDevAttrComputeCapabilityMinor, *device));
    e = cuda_try_kernel();
    f.has_kernels = e != cudaErrorNoKernelImageForDevice && e != cudaErrorInvalidDeviceFunction &&
                    e != cudaErrorUnsupportedPtxVersion;
    if (f.has_kernels && e != cudaSuccess) /* the GPU is another's alone, its memory full, … */
        f.error = cudaGetErrorString(e);
    return f;
}

bool backend_cuda_usable(int local_rank, char *why, size_t size)
{
    int device;
    CudaFound f = look(local_rank, &device);
    cudaGetLastError(); /* what was asked in vain is no error of what comes */
    return cuda_usable(&f, why, size);
}

Backend *backend_cuda_open(int local_rank, int local_size)
{
    CudaBackend *cuda = alloc(1, sizeof *cuda);
    struct cudaDeviceProp about;
    CudaFound f = look(local_rank, &cuda->device);
    cuda->ops = cuda_ops;
    cuda->ops.mixed = f.major >= 8; /* tensor cores that take BF16 and TF32 */
    cuda_record_ops(&cuda->ops);
    cuda->base = (Backend){.op = &cuda->ops, .threads = 1, .activations = F32};
    CUDA_CHECK(cudaGetDeviceProperties(&about, cuda->device));
    cuda_lock();
    CUDA_CHECK(cudaEventCreateWithFlags(&cuda->handover, cudaEventDisableTiming));
    cudnn_open(&cuda->base);
    cuda_unlock();
    snprintf(cuda->base.description, sizeof cuda->base.description,
             "GPU %d of %d, %.50s, compute capability %d.%d, %.1f GB, convolution by %s", cuda->device, f.devices,
             about.name, f.major, f.minor, about.totalGlobalMem / 1e9, cuda->dnn ? "cuDNN" : "im2col");
    audit_fact("backend", "s:s, s:i, s:i, s:i", "device", "cuda", "local_rank", local_rank, "local_size", local_size,
               "gpu", cuda->device);
    return &cuda->base;
}
