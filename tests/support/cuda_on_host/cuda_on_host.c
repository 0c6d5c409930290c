/* cuda_on_host.c: the GPU that the headers beside it promise: launches, memory, queues and cuBLAS's
 * one product. */
#include "cuda_on_host.h"
#include "backend.h"
#include "check.h"
#include "cublas_v2.h"
#include "timer.h"
#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- launches: each host thread has its own GPU, so that the loader's thread may launch
 * beside the loop's ---- */
_Thread_local HostIndex threadIdx, blockIdx, blockDim, gridDim;
_Thread_local int host_phase;
static _Thread_local struct {
    long turn, turns;
    int phases;
    bool backwards;
} launch;

/* The order of turns: blocks, in each its phases, in each its threads. Backwards: blocks and
 * threads, but not phases. */
int host_turn(void)
{
    if (launch.turn == launch.turns)
        return 0;
    long thread = launch.turn % blockDim.x, rest = launch.turn / blockDim.x,
         block = rest / launch.phases;
    host_phase = (int)(rest % launch.phases);
    thread = launch.backwards ? blockDim.x - 1 - thread : thread;
    block = launch.backwards ? (long)gridDim.x * gridDim.y - 1 - block : block;
    threadIdx = (HostIndex){(unsigned)thread, 0};
    blockIdx = (HostIndex){(unsigned)(block % gridDim.x), (unsigned)(block / gridDim.x)};
    launch.turn++;
    return 1;
}

void host_launch(int phases, long x, long y, int threads)
{
    /* CUDA's limits */
    ASSERT(x >= 1 && x <= INT32_MAX && y >= 1 && y <= 65535 && threads >= 1 && threads <= 1024);
    gridDim = (HostIndex){(unsigned)x, (unsigned)y};
    blockDim = (HostIndex){(unsigned)threads, 1};
    launch.turn = 0;
    launch.turns = x * y * phases * threads;
    launch.phases = phases;
    launch.backwards = !launch.backwards;
}

/* ---- the device ---- */
static _Thread_local bool in_use; /* cudaSetDevice was called in this thread */

static bool no_memory(cudaError_t e) { return e == cudaErrorMemoryAllocation; }
const char *cudaGetErrorString(cudaError_t e)
{
    return no_memory(e) ? "out of memory" : "invalid argument";
}
const char *cudaGetErrorName(cudaError_t e)
{
    return no_memory(e) ? "cudaErrorMemoryAllocation" : "cudaErrorInvalidValue";
}
cudaError_t cudaGetLastError(void) { return cudaSuccess; }
cudaError_t cudaDriverGetVersion(int *version) { return *version = 12040, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { return *version = 12040, cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaSetDevice(int device)
{
    return in_use = true, device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    return *value = attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 0,
           device ? cudaErrorInvalidValue : cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) { return in_use ? cudaSuccess : cudaErrorInvalidValue; }
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *kernel)
{
    return a->binaryVersion = 90, kernel ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *about, int device)
{
    *about = (struct cudaDeviceProp){.name = "the CPU instead of a GPU",
                                     .totalGlobalMem = (size_t)1 << 33};
    return cudaSuccess;
}

/* ---- memory: NaN at first (the first MiB of it), as what lies there before may be anything
 * ---- */
cudaError_t cudaMalloc(void *p, size_t bytes)
{
    *(void **)p = malloc(bytes);
    if (!in_use || !*(void **)p)
        return cudaErrorMemoryAllocation;
    memset(*(void **)p, 0xff, bytes < 1 << 20 ? bytes : 1 << 20);
    return cudaSuccess;
}
cudaError_t cudaFree(void *p) { return free(p), cudaSuccess; }
cudaError_t cudaMallocHost(void *p, size_t bytes)
{
    return (*(void **)p = malloc(bytes)) ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFreeHost(void *p) { return free(p), cudaSuccess; }
cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    return memset(p, value, bytes), cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t s)
{
    return cudaMemset(p, value, bytes);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t s)
{
    return memmove(to, from, bytes), cudaSuccess;
}

static char *row_of(struct cudaPitchedPtr p, size_t h, size_t n)
{
    return (char *)p.ptr + (n * p.ysize + h) * p.pitch;
}
static bool fits(struct cudaPitchedPtr p, struct cudaExtent box)
{
    return box.width <= p.pitch && box.height <= p.ysize;
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent box,
                              cudaStream_t s)
{
    for (size_t i = 0; i < box.depth * box.height; i++)
        memset(row_of(p, i % box.height, i / box.height), value, box.width);
    return fits(p, box) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t s)
{
    struct cudaExtent box = copy->extent;
    for (size_t i = 0; i < box.depth * box.height; i++)
        memcpy(row_of(copy->dstPtr, i % box.height, i / box.height),
               row_of(copy->srcPtr, i % box.height, i / box.height), box.width);
    return fits(copy->srcPtr, box) && fits(copy->dstPtr, box) ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- queues: work is done when the call returns ---- */
struct HostEvent {
    double time;
};

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    return *s = NULL, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t s) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    return e ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaEventCreate(cudaEvent_t *e) { return *e = alloc(1, sizeof **e), cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags) { return cudaEventCreate(e); }
cudaError_t cudaEventDestroy(cudaEvent_t e) { return free(e), cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    return e->time = timer_now(), cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    return *milliseconds = (float)((to->time - from->time) * 1e3), cudaSuccess;
}

/* Instead of cuda_record.c: this GPU records nothing. */
void cuda_record_ops(BackendOps *op) {}

/* ---- cuBLAS ---- */
const char *cublasGetStatusString(cublasStatus_t s)
{
    return s ? "an unsupported value or parameter" : "success";
}
const char *cublasGetStatusName(cublasStatus_t s)
{
    return s ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_SUCCESS";
}
cublasStatus_t cublasCreate(cublasHandle_t *h) { return *h = NULL, CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasDestroy(cublasHandle_t h) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetMathMode(cublasHandle_t h, int mode) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetStream(cublasHandle_t h, cudaStream_t s) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetWorkspace(cublasHandle_t h, void *memory, size_t bytes)
{
    return memory && bytes ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

static float from_bf16(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float x;
    return memcpy(&x, &bits, sizeof x), x;
}

/* A matrix as float32: itself, or a copy, which *copy then is, too. */
static const float *as_float(const void *m, cudaDataType_t type, size_t count, float **copy)
{
    *copy = NULL;
    if (type == CUDA_R_32F)
        return m;
    *copy = alloc(count, sizeof **copy);
    for (size_t i = 0; i < count; i++)
        (*copy)[i] = from_bf16(((const uint16_t *)m)[i]);
    return *copy;
}

/* The elements spanned by op(matrix) [rows, columns], stored by columns of ld. */
static size_t extent(cublasOperation_t op, int rows, int columns, int ld)
{
    int stored_rows = op == CUBLAS_OP_N ? rows : columns,
        stored_columns = op == CUBLAS_OP_N ? columns : rows;
    ASSERT(ld >= stored_rows);
    return (size_t)ld * (stored_columns - 1) + stored_rows;
}

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                            int n, int k, const void *alpha, const void *a, cudaDataType_t a_type,
                            int lda, const void *b, cudaDataType_t b_type, int ldb,
                            const void *beta, void *c, cudaDataType_t c_type, int ldc,
                            cublasComputeType_t how, int algorithm)
{
    if (a_type != b_type || (a_type == CUDA_R_32F && c_type != CUDA_R_32F) || ldc < m)
        return CUBLAS_STATUS_INVALID_VALUE; /* combinations that cuBLAS does not have */
    if (c_type == CUDA_R_16BF && *(const float *)beta != 0)
        return CUBLAS_STATUS_INVALID_VALUE; /* cuBLAS can, here it is not needed */
    float *copies[2];
    const float *x = as_float(a, a_type, extent(op_a, m, k, lda), &copies[0]);
    const float *y = as_float(b, b_type, extent(op_b, k, n, ldb), &copies[1]);
    float *sum = c_type == CUDA_R_32F ? c : alloc((size_t)ldc * n, sizeof *sum);
    if (*(const float *)beta == 0) /* then c is not read: NaN may lie there */
        for (int j = 0; j < n; j++)
            memset(sum + (size_t)j * ldc, 0, sizeof *sum * (size_t)m);
    cblas_sgemm(CblasColMajor, op_a == CUBLAS_OP_T ? CblasTrans : CblasNoTrans,
                op_b == CUBLAS_OP_T ? CblasTrans : CblasNoTrans, m, n, k, *(const float *)alpha, x,
                lda, y, ldb, *(const float *)beta, sum, ldc);
    for (size_t i = 0; c_type == CUDA_R_16BF && i < (size_t)ldc * n; i++) {
        uint32_t bits;
        memcpy(&bits, &sum[i], sizeof bits);
        ((uint16_t *)c)[i] = (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    }
    for (int i = 0; i < 2; i++)
        if (copies[i])
            free(copies[i]);
    if (c_type != CUDA_R_32F)
        free(sum);
    return CUBLAS_STATUS_SUCCESS;
}
