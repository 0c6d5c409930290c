/* cuda_usable.h: why a GPU cannot be used, in one line for people. Without CUDA, so that every
 * machine can test it. */
#ifndef CUDA_USABLE_H
#define CUDA_USABLE_H
#include <stdbool.h>
#include <stdio.h>

/* The findings. Versions in CUDA's form: 12040 is 12.4; driver 0: not installed. */
typedef struct CudaFound {
    int driver, runtime; /* the newest CUDA that the driver supports; the one of this build */
    const char *error;   /* of cudaGetDeviceCount; NULL: it worked */
    int devices;
    int major, minor;  /* compute capability of the GPU to be used */
    bool has_kernels;  /* the program has code for it */
    const char *archs; /* the compute capabilities of this build: "75 80 86" */
} CudaFound;

/* True if that GPU can be used; else `why` says why not and what to do. */
static inline bool cuda_usable(const CudaFound *f, char *why, size_t size)
{
    why[0] = 0;
    if (f->driver == 0)
        snprintf(why, size, "no NVIDIA driver is installed on this machine");
    else if (f->driver / 1000 < f->runtime / 1000)
        snprintf(why, size,
                 "the NVIDIA driver is too old: it supports CUDA up to %d.%d, and this program "
                 "was built with %d.%d: update the driver, or build with an older CUDA_HOME=…",
                 f->driver / 1000, f->driver % 1000 / 10, f->runtime / 1000,
                 f->runtime % 1000 / 10);
    else if (f->error)
        snprintf(why, size, "CUDA does not start: %s", f->error);
    else if (f->devices == 0)
        snprintf(why, size, "there is no NVIDIA GPU here, or CUDA_VISIBLE_DEVICES hides it");
    else if (!f->has_kernels)
        snprintf(why, size,
                 "the GPU's compute capability is %d.%d, and this program was built for %s: make "
                 "CUDA_ARCH=%d%d",
                 f->major, f->minor, f->archs, f->major, f->minor);
    return !why[0];
}
#endif
