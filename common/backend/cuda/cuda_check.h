/* cuda_check.h: wraps every call of the CUDA runtime: an error ends all ranks with file, line, call
 * and CUDA's message. */
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H
#include "check.h"
#include <cuda_runtime.h>

#define CUDA_CHECK(call) cuda_check((call), __FILE__, __LINE__, #call)

/* The remedy. Errors 700 to 719 mostly come from kernels (an illegal address, …), which run
 * asynchronously: the call that reports one may not be its cause. */
static inline const char *cuda_advice(cudaError_t code)
{
    if (code == cudaErrorMemoryAllocation)
        return ": use a smaller batch or model";
    return (int)code >= 700 && (int)code < 720
             ? ": perhaps an earlier kernel's: CUDA_LAUNCH_BLOCKING=1 names it"
             : "";
}

static inline void cuda_check(cudaError_t code, const char *file, int line, const char *call)
{
    if (code != cudaSuccess)
        die(EXIT_WRONG, "%s:%d: %s: %s (%s)%s", file, line, call, cudaGetErrorString(code),
            cudaGetErrorName(code), cuda_advice(code));
}
#endif
