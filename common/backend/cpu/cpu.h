/* cpu.h: shared by the files of the CPU backend. Private to backend_cpu.c and cpu_*.c; the contract
 * is backend.h.
 *
 * Parallelism: OpenMP over images, split statically. Sums over the batch are cut into fixed
 * pieces, each summed by one thread, then added in order. Small sums have CHUNKS pieces, and their
 * bits do not depend on the number of threads; gradients of convolutions, which are large, have one
 * piece per thread.
 */
#ifndef CPU_H
#define CPU_H
#include "backend.h"
#include "check.h"
#include "cpu_element.h"
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 16, MAX_CHANNELS = 4096 };

struct Buffer {
    Backend *be;
    void *host;
    size_t bytes;
};

typedef struct CpuBackend {
    Backend base;
    BackendOps ops;
    float *scratch; /* shared by the convolutions of one model, which run one after the other;
                     * grown by cpu_reserve */
    size_t scratch_floats;
    bool amx; /* the kernels may use the processor's matrix unit (cpu_amx.h) */
} CpuBackend;

/* Grow the scratch memory to at least `floats`; only while planning. */
void cpu_reserve(Backend *be, size_t floats);

/* Call f(..., C) with C as a constant where it is a common one, so that the inner loop over
 * channels is unrolled into vectors. */
#define FOR_CHANNELS(C, call) \
    switch (C) { \
    case 16: { \
        enum { c_ = 16 }; \
        call; \
        break; \
    } \
    case 32: { \
        enum { c_ = 32 }; \
        call; \
        break; \
    } \
    case 64: { \
        enum { c_ = 64 }; \
        call; \
        break; \
    } \
    default: { \
        const int c_ = (C); \
        call; \
    } \
    }

static inline void *cpu_at(Tensor t) { return (char *)t.buf->host + t.at * dtype_size(t.dtype); }

/* Element (n, h, 0, 0), of any type: W * C elements of a row follow without a gap. */
static inline void *cpu_pixels(Tensor t, int n, int h)
{
    size_t width = t.w + 2 * t.halo, height = t.h + 2 * t.halo;
    return (char *)cpu_at(t) +
           ((n * height + h + t.halo) * width + t.halo) * t.c * dtype_size(t.dtype);
}
/* The same of float32 elements. */
static inline float *cpu_row(Tensor t, int n, int h) { return cpu_pixels(t, n, h); }

static inline int chunk_begin(int count, int chunk, int chunks)
{
    return (int)((long)count * chunk / chunks);
}
static inline int round_up(int n, int to) { return (n + to - 1) / to * to; }
static inline bool same_shape(Tensor a, Tensor b)
{
    return a.n == b.n && a.h == b.h && a.w == b.w && a.c == b.c;
}

/* cpu_kernels.c: fill in the operations that compute. */
void cpu_kernels(BackendOps *op);
/* The operations: memory and queues in backend_cpu.c, the others in cpu_*.c. */
#define OP(type, name, ...) type cpu_##name(__VA_ARGS__);
#define GPU_OP(...)
#include "backend_ops.h"
/* For the convolution: image n's moments, while it is in cache. */
void cpu_moments_of_image(Tensor moments, Tensor x, int n);
#endif
