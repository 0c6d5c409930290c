/* gpu_part.h: the GPU code is a shared object beside the programs, loaded only when a GPU is
 * wanted: its libraries (cuBLAS, cuDNN, NCCL) take longer to load than a small program to run.
 * gpu_backend.c and gpu_comm.c forward calls to the functions of the same name in it.
 */
#ifndef GPU_PART_H
#define GPU_PART_H

/* Why it cannot be loaded, in one line: no NVIDIA driver on this machine, …; NULL: it is loaded. */
const char *gpu_part_missing(void);
/* A function of that part; a missing one ends the run. */
void *gpu_part_function(const char *name);
#endif
