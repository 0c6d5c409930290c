/* backend_cuda.c: one GPU as a device: which one, and the table of its operations
 * (cuda_*.{c,cu}). */
#include "backend/backend_open.h"
#include "cuda_backend.h"
#include "cuda_conv_cudnn.h"
#include "cuda_usable.h"
#include "gpu_library.h"
#include "observer.h"
#include <stdio.h>
#include <stdlib.h>

#ifndef CUDA_ARCHS
#define CUDA_ARCHS "no GPU" /* the Makefile's list */
#endif

void cuda_close(Backend *be)
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
#define OP(type, name, ...) .name = cuda_##name,
#include "backend_ops.h"
};

/* Choose this rank's GPU and query its properties. */
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
    e = cudaSetDevice(*device); /* from CUDA 12 on this initialises it, and fails if another
                                 * process uses it exclusively, its memory is full, … */
    if (e != cudaSuccess) {
        f.error = cudaGetErrorString(e);
        return f;
    }
    CUDA_CHECK(cudaDeviceGetAttribute(&f.major, cudaDevAttrComputeCapabilityMajor, *device));
    CUDA_CHECK(cudaDeviceGetAttribute(&f.minor, cudaDevAttrComputeCapabilityMinor, *device));
    e = cuda_try_kernel();
    f.has_kernels = e != cudaErrorNoKernelImageForDevice && e != cudaErrorInvalidDeviceFunction &&
                    e != cudaErrorUnsupportedPtxVersion;
    if (f.has_kernels && e != cudaSuccess) /* in exclusive use, its memory full, … */
        f.error = cudaGetErrorString(e);
    return f;
}

bool backend_cuda_usable(int local_rank, char *why, size_t size)
{
    int device;
    CudaFound f = look(local_rank, &device);
    cudaGetLastError(); /* clear errors of failed queries */
    return cuda_usable(&f, why, size);
}

/* Which libraries that it can do without are missing; how it then convolves. */
static void describe_libraries(CudaBackend *cuda)
{
    char *text = cuda->base.description;
    int room = sizeof cuda->base.description;
    const char *nccl = NULL;
#ifdef HAVE_NCCL
    nccl = gpu_library_missing(NCCL_LIBRARY);
#endif
    if (nccl)
        cuda->about += snprintf(text + cuda->about, room - cuda->about, ", without NCCL (%.96s)",
                                nccl);
    snprintf(text + cuda->about, room - cuda->about, ", convolution by %s%s%s%s",
             cuda->dnn ? "cuDNN or im2col" : "im2col", *cuda->no_dnn ? ", without cuDNN (" : "",
             cuda->no_dnn, *cuda->no_dnn ? ")" : "");
}

Backend *backend_cuda_open(int local_rank, int local_size)
{
    CudaBackend *cuda = alloc(1, sizeof *cuda);
    struct cudaDeviceProp about;
    CudaFound f = look(local_rank, &cuda->device);
    cuda->ops = cuda_ops;
    /* what its tensor cores take */
    cuda->ops.bf16 = cuda->ops.tf32 = f.major >= 8;
    cuda->ops.fp16 = f.major >= 7;
    cuda->base = (Backend){.op = &cuda->ops, .threads = 1, .activations = F32};
    CUDA_CHECK(cudaGetDeviceProperties(&about, cuda->device));
    cuda_lock();
    CUDA_CHECK(cudaEventCreateWithFlags(&cuda->handover, cudaEventDisableTiming));
    cudnn_open(&cuda->base);
    cuda_unlock();
    cuda->about = snprintf(cuda->base.description, sizeof cuda->base.description,
                           "GPU %d of %d, %.50s, compute capability %d.%d, %.1f GB", cuda->device,
                           f.devices, about.name, f.major, f.minor, about.totalGlobalMem / 1e9);
    describe_libraries(cuda);
    OBSERVE(device, "cuda", local_rank, local_size, NULL, cuda->device);
    return &cuda->base;
}
