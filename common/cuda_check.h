/* cuda_check.h: every call of the CUDA runtime outside the backend stands in this macro: its error ends the run with
 * file, line, call and CUDA's own words. */
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H
#include <cuda_runtime_api.h>
#include "check.h"

#define CUDA_CHECK(call) cuda_check((call), __FILE__, __LINE__, #call)
static inline void cuda_check(cudaError_t code, const char *file, int line, const char *call)
{
    if (code != cudaSuccess)
        die(EXIT_USAGE, "%s:%d: %s: %s (%s)", file, line, call, cudaGetErrorString(code), cudaGetErrorName(code));
}
#endif
