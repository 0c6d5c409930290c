/* cuda_memory.h: a GPU's memory and streams, and almost no computation: enough to test comm.h with
 * tensors on a GPU without a whole backend. It uses CUDA's own functions, so it works on a GPU and
 * on its double (fake_cuda.c).
 */
#ifndef CUDA_MEMORY_H
#define CUDA_MEMORY_H
#include "comm_vectors.h"

/* buffers, upload, download, copy, scale (F32, F64, I32), streams, staging memory; on GPU
 * local_rank modulo their count. */
Backend *cuda_memory_open(int local_rank);

/* Open comm.h's `kind` and run `group`, which contains a collective, on a GPU, then on host memory,
 * then on the GPU again; "skipped: no GPU" without one. If each rank has its own GPU, NCCL must
 * carry the tensors on it. */
void over_gpu(const char *kind, void (*group)(Setup *));
#endif
