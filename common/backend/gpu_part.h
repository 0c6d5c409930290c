/* gpu_part.h: the code for GPUs is a shared object beside the programs, loaded when a GPU is asked
 * for: its libraries (cuBLAS, cuDNN, NCCL) take longer to load than a small program to run.
 * Functions that reach it stand in for those of the same name in it (gpu_backend.c, gpu_comm.c).
 */
#ifndef GPU_PART_H
#define GPU_PART_H

/* Why it cannot be loaded, in one line: no NVIDIA driver on this machine, …; NULL where it is. */
const char *gpu_part_missing(void);
/* A function of that part, which must not be missing. */
void *gpu_part_function(const char *name);
#endif
