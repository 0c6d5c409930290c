/* backend_open.h: the implementations that backend_open() chooses from. */
#ifndef BACKEND_OPEN_H
#define BACKEND_OPEN_H
#include "backend.h"

Backend *backend_cpu_open(int local_rank, int local_size, int threads);
#endif
