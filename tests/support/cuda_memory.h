/* cuda_memory.h: a GPU's memory and streams, and next to nothing computed: enough to test comm.h
 * with tensors on a GPU without a whole backend. Written against CUDA's own functions, so that it
 * works on a GPU, and on the double of one that unit/fake_cuda.c is.
 */
#ifndef CUDA_MEMORY_H
#define CUDA_MEMORY_H
#include "comm_vectors.h"

/* buffers, upload, download, copy, scale (F32, F64, I32), streams, staging memory; on GPU
 * local_rank modulo their count. */
Backend *cuda_memory_open(int local_rank);

/* Open comm.h's `kind` and run `group`, which has a collective in it, on a GPU, then on host
 * memory, then on the GPU again; "skipped: no GPU" without one. It must be NCCL that carries the
 * GPU's numbers where each rank has one of its own. */
void over_gpu(const char *kind, void (*group)(Setup *));
#endif
