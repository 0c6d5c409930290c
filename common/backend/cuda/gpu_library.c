/* gpu_library.c: see gpu_library.h. */
#include "gpu_library.h"
#include <dlfcn.h>
#include <stddef.h>

const char *gpu_library_missing(const char *file)
{
    return dlopen(file, RTLD_LAZY | RTLD_GLOBAL) ? NULL : dlerror();
}
