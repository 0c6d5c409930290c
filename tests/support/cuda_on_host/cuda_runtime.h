/* cuda_runtime.h: as much of the CUDA runtime as the CUDA backend calls, on the CPU: one "GPU"
 * whose memory is the host's and which works at once. It is picky where the real one is: sizes,
 * kinds of copies, the device in use. */
#ifndef CUDA_RUNTIME_ON_HOST_H
#define CUDA_RUNTIME_ON_HOST_H
#include <stddef.h>

typedef enum {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorNoDevice,
    cudaErrorNoKernelImageForDevice,
    cudaErrorInvalidDeviceFunction,
    cudaErrorUnsupportedPtxVersion
} cudaError_t;
typedef struct HostStream *cudaStream_t;
typedef struct HostEvent *cudaEvent_t;
enum {
    cudaStreamNonBlocking = 1,
    cudaEventDisableTiming = 2,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76
};
enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
};
struct cudaFuncAttributes {
    int binaryVersion;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
    struct cudaPitchedPtr srcPtr, dstPtr;
    struct cudaExtent extent;
    int kind;
};

static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
    return (struct cudaExtent){w, h, d};
}
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t xsize,
                                                        size_t ysize)
{
    return (struct cudaPitchedPtr){p, pitch, xsize, ysize};
}

const char *cudaGetErrorString(cudaError_t e);
const char *cudaGetErrorName(cudaError_t e);
cudaError_t cudaGetLastError(void);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *about, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaMalloc(void *p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaMallocHost(void *p, size_t bytes);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMemset(void *p, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t s);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent box,
                              cudaStream_t s);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t s);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t s);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t *e);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t e);
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s);
cudaError_t cudaEventSynchronize(cudaEvent_t e);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);
#endif
