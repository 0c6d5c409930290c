/* cuda_kernel.h: shared by the kernels: launches, barriers, and activations as a kernel sees them.
 *
 * Where threads of a block cooperate, the kernel is written in phases: FIRST {…} THEN {…} LAST {…}
 * NEXT(3) {…}, with a barrier between; phases pass data in __shared__ memory, and variables
 * declared outside of them depend on nothing that a phase changes. No thread returns before the
 * last barrier.
 */
#ifndef CUDA_KERNEL_H
#define CUDA_KERNEL_H
#include "cuda_backend.h"
#include "cuda_plan.h"
#include <cuda_fp16.h>
#include <math.h>

#ifdef __CUDACC__
#define DEVICE static __device__ __forceinline__
#define KERNEL static __global__ void
#define FIRST
#define THEN __syncthreads();
#define LAST __syncthreads();
#define NEXT(phase) __syncthreads();
/* `count` values that a thread of a block of `threads` keeps from phase to phase. */
#define PER_THREAD(type, name, threads, count) type name[count]
/* Queue a kernel of `phases` phases over a grid of x * y blocks. */
#define LAUNCH(s, phases, kernel, x, y, threads, ...) \
    do { \
        kernel<<<dim3((unsigned)(x), (unsigned)(y)), (unsigned)(threads), 0, cuda_queue(s)>>>( \
            __VA_ARGS__); \
        CUDA_CHECK(cudaGetLastError()); \
    } while (0)
#else
#include "cuda_on_host.h"
#endif

/* The loop over elements 0 … n-1 of an elementwise kernel. */
#define FOR_EACH(i, n) \
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); \
         i += (size_t)gridDim.x * blockDim.x)

/* ---- a block's sum, always in the same order ---- */
enum { COLUMNS = 16 };
/* part [BLOCK] of the block's threads, summed into *out: by COLUMNS threads, then by one. */
#define SUM_BLOCK(out, part, column) \
    THEN \
    { \
        if (threadIdx.x < COLUMNS) { \
            double sum_ = 0; \
            for (int i_ = 0; i_ < BLOCK / COLUMNS; i_++) \
                sum_ += (part)[threadIdx.x * (BLOCK / COLUMNS) + i_]; \
            (column)[threadIdx.x] = sum_; \
        } \
    } \
    LAST \
    { \
        if (threadIdx.x == 0) { \
            double sum_ = 0; \
            for (int i_ = 0; i_ < COLUMNS; i_++) \
                sum_ += (column)[i_]; \
            *(out) = sum_; \
        } \
    }

/* ---- an element of each type of activations: to float32 and back, rounded to nearest, ties to
 * even; NaN stays NaN ---- */

/* The upper half of a float32. */
typedef struct Bfloat {
    uint16_t bits;
} Bfloat;

DEVICE float widen(float x) { return x; }
DEVICE float widen(Bfloat x)
{
    uint32_t bits = (uint32_t)x.bits << 16;
    float wide;
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}
DEVICE float widen(__half x) { return __half2float(x); }

DEVICE void narrow(float &to, float x) { to = x; }
DEVICE void narrow(Bfloat &to, float x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
#else
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    to.bits = x != x ? 0x7fc0 : (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
#endif
}
DEVICE void narrow(__half &to, float x) { to = __float2half_rn(x); }

/* A tensor of F32, BF16 or F16 as a kernel sees it; at NULL: not given. */
typedef struct Act {
    void *at;
    DType type;
    int n, h, w, c, halo;
} Act;

static inline Act act(Tensor t)
{
    Act a = {NULL, F32, 0, 0, 0, 0, 0};
    if (!t.buf)
        return a;
    ASSERT(is_activation(t));
    a.at = cuda_at(t);
    a.type = t.dtype;
    a.n = t.n, a.h = t.h, a.w = t.w, a.c = t.c, a.halo = t.halo;
    return a;
}

/* Where channel 0 of pixel (h, w) of image n lies. */
DEVICE size_t at_pixel(Act a, int n, int h, int w)
{
    return (((size_t)n * (a.h + 2 * a.halo) + h + a.halo) * (a.w + 2 * a.halo) + w + a.halo) * a.c;
}
/* The same for pixel p = h * W + w. */
DEVICE size_t at_place(Act a, int n, int p)
{
    return a.halo ? at_pixel(a, n, p / a.w, p % a.w) : ((size_t)n * a.h * a.w + p) * a.c;
}
/* The same for element i, counted without borders. */
DEVICE size_t at_element(Act a, size_t i)
{
    if (!a.halo)
        return i;
    size_t pixel = i / a.c, hw = (size_t)a.h * a.w;
    return at_place(a, (int)(pixel / hw), (int)(pixel % hw)) + i % a.c;
}
DEVICE float get(Act a, size_t i)
{
    return a.type == F32  ? widen(((const float *)a.at)[i])
         : a.type == BF16 ? widen(((const Bfloat *)a.at)[i])
                          : widen(((const __half *)a.at)[i]);
}
DEVICE void put(Act a, size_t i, float x)
{
    if (a.type == F32)
        narrow(((float *)a.at)[i], x);
    else if (a.type == BF16)
        narrow(((Bfloat *)a.at)[i], x);
    else
        narrow(((__half *)a.at)[i], x);
}
/* (+)= */
DEVICE void put_or_add(Act a, size_t i, float x, int add) { put(a, i, add ? get(a, i) + x : x); }

/* This thread's channel and lane (cuda_plan.h); blockIdx.y is the strip. */
typedef struct Place {
    int channel, lane, busy;
} Place;
DEVICE Place place_in(Strips s, int C)
{
    Place p;
    int t = (int)threadIdx.x;
    p.channel = (int)blockIdx.y * s.channels + t % s.channels;
    p.lane = t / s.channels;
    p.busy = p.lane < s.lanes && p.channel < C;
    return p;
}
/* Sum over the lanes of this thread's channel, in their order: part [lanes][channels], one value
 * per thread. */
#define SUM_LANES(sum, part, s) \
    do { \
        for (int lane_ = 0; lane_ < (s).lanes; lane_++) \
            (sum) += (part)[lane_ * (s).channels + threadIdx.x % (s).channels]; \
    } while (0)
#endif
