/* backend_open.h: the implementations that backend_open() chooses from. */
#ifndef BACKEND_OPEN_H
#define BACKEND_OPEN_H
#include "backend.h"

Backend *backend_cpu_open(int local_rank, int local_size, int threads);

/* Only with HAVE_CUDA. Call open when usable is true; else `why` says why not, in one line. */
bool backend_cuda_usable(int local_rank, char *why, size_t size);
Backend *backend_cuda_open(int local_rank, int local_size);
#endif
