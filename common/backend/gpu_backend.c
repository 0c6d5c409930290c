/* gpu_backend.c: the CUDA backend, through gpu_part.h. */
#ifdef HAVE_CUDA
#include "backend_open.h"
#include "gpu_part.h"
#include <stdio.h>

bool backend_cuda_usable(int local_rank, char *why, size_t size)
{
    const char *missing = gpu_part_missing();
    if (missing) {
        snprintf(why, size, "%s", missing);
        return false;
    }
    bool (*usable)(int, char *, size_t) = (bool (*)(int, char *, size_t))gpu_part_function(
        "backend_cuda_usable");
    return usable(local_rank, why, size);
}

Backend *backend_cuda_open(int local_rank, int local_size)
{
    return ((Backend * (*)(int, int)) gpu_part_function("backend_cuda_open"))(local_rank,
                                                                              local_size);
}
#endif
