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
        /* the driver's library: nothing works without it */
        if (!dlopen("libcuda.so.1", RTLD_LAZY))
            snprintf(gpu.why, sizeof gpu.why, "no NVIDIA driver is installed on this machine");
        /* in the build folder, by the program's rpath */
        else if (!(gpu.part = dlopen("labs_gpu.so", RTLD_LAZY)))
            snprintf(gpu.why, sizeof gpu.why, "the GPU part cannot be loaded: %s", dlerror());
    }
    return gpu.part ? NULL : gpu.why;
}

void *gpu_part_function(const char *name)
{
    ASSERT(!gpu_part_missing());
    void *function = dlsym(gpu.part, name);
    REQUIRE(function, "the GPU part is of another version: %s: rebuild", dlerror());
    return function;
}
