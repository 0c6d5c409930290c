/* gpu_part.c: see gpu_part.h. */
#include "gpu_part.h"
#include "check.h"
#include <dlfcn.h>
#include <stdio.h>

static struct {
    bool tried;
    void *part;
    char why[300];
} gpu;

const char *gpu_part_missing(void)
{
    if (!gpu.tried) {
        gpu.tried = true;
        /* the driver's library: without it none of the rest can work */
        if (!dlopen("libcuda.so.1", RTLD_LAZY))
            snprintf(gpu.why, sizeof gpu.why, "no NVIDIA driver is installed on this machine");
        /* where it was built: the program knows the folder */
        else if (!(gpu.part = dlopen("labs_gpu.so", RTLD_LAZY)))
            snprintf(gpu.why, sizeof gpu.why, "the part for GPUs cannot be loaded: %s", dlerror());
    }
    return gpu.part ? NULL : gpu.why;
}

void *gpu_part_function(const char *name)
{
    ASSERT(!gpu_part_missing());
    void *function = dlsym(gpu.part, name);
    REQUIRE(function, "the part for GPUs is another version's: %s: build again", dlerror());
    return function;
}
