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
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 16, MAX_CHANNELS = 4096 };

#define INLINE static inline __attribute__((always_inline))

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

/* ---- elements of activations: float32, or bfloat16, which is the upper half of one. Computing is
 * in float32 throughout. `type` is a constant where it matters (FOR_TYPE), so that one source
 * becomes a loop for each type. ---- */

/* To the nearest, ties to even; NaN stays NaN. */
INLINE uint16_t bf16_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint32_t nearest = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;
    return (uint16_t)((v == v ? nearest : quiet) >> 16);
}

INLINE float load(const void *from, long i, const DType type)
{
    if (type == F32)
        return ((const float *)from)[i];
    uint32_t bits = (uint32_t)((const uint16_t *)from)[i] << 16;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

INLINE void store(void *to, long i, float v, const DType type)
{
    if (type == F32)
        ((float *)to)[i] = v;
    else
        ((uint16_t *)to)[i] = bf16_of(v);
}

/* The address of the at-th element. */
INLINE void *element(const void *p, long at, DType type)
{
    return (char *)p + at * (long)dtype_size(type);
}

/* `call` with type_ as a constant. */
#define FOR_TYPE(type, call) \
    if ((type) == F32) { \
        const DType type_ = F32; \
        call; \
    } else { \
        const DType type_ = BF16; \
        call; \
    }

/* Of two tensors, whose types are other_ and type_: seldom two different ones (around a dense layer
 * is float32), so that is one slow loop for all. */
#define FOR_TYPES(other, type, call) \
    if ((other) == (type)) \
        FOR_TYPE(type, const DType other_ = type_; call) \
    else { \
        const DType other_ = (other), type_ = (type); \
        call; \
    }

/* Prefetch bytes that will soon be read or (write) written. Prefetching beyond a buffer's end is
 * harmless. */
INLINE void cpu_fetch(const char *from, long bytes, bool write)
{
    for (long i = 0; i < bytes; i += 64)
        if (write)
            __builtin_prefetch(from + i, 1);
        else
            __builtin_prefetch(from + i, 0);
}

static inline int chunk_begin(int count, int chunk, int chunks)
{
    return (int)((long)count * chunk / chunks);
}
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
