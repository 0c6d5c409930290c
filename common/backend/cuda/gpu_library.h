/* gpu_library.h: NVIDIA's libraries that the GPU part can do without: cuDNN, NCCL. The part is
 * linked without them, and its calls find them once they are loaded (lazy binding; with LD_BIND_NOW
 * the part itself does not load). So each that is missing at run time costs only what it does.
 */
#ifndef GPU_LIBRARY_H
#define GPU_LIBRARY_H

#define NCCL_LIBRARY "libnccl.so.2"

/* Load `file`, "libcudnn.so.9", once per process. NULL: it is there; else why not, in one line. */
const char *gpu_library_missing(const char *file);
#endif
