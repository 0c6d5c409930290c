/* cuda.h: the macro around every call of the CUDA runtime. */
#ifndef CUDA_H
#define CUDA_H
#include <cuda_runtime_api.h>
#include "check.h"

/* Call a CUDA function; its error ends the run with the file, the line, the call and CUDA's own words. */
#define CUDA_(function, ...) cuda_check(function(__VA_ARGS__), __FILE__, __LINE__, #function)
static inline void cuda_check(cudaError_t code, const char *file, int line, const char *function)
{
    if (code != cudaSuccess)
        die(EXIT_USAGE, "%s:%d: %s: %s (%s)", file, line, function, cudaGetErrorString(code), cudaGetErrorName(code));
}
#endif
