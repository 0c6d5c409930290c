/* cuda_on_host.h: the CUDA backend's kernels as plain C++ on the CPU, so that they are tested where
 * there is no GPU. A launch is queued; when its turn comes it is a loop over phases, blocks and
 * threads, one after the other; a barrier is the end of a phase.
 *
 * What this shows: wrong indices, sizes, terms, a thread or block that depends on another's turn
 * (launches run forwards, backwards, or here and there, by chance), a missing wait between streams
 * or for the host, what a recording must not hold (lazy_streams.cpp), and under SAN=1 reading and
 * writing outside a buffer. What it does not show: how fast it is, what the GPU's own arithmetic
 * rounds otherwise, a missing barrier whose phases happen to be in order (tests/e2e/cuda_ptx.sh
 * does, with the code that nvcc makes), and anything in cuBLAS and cuDNN.
 */
#ifndef CUDA_ON_HOST_H
#define CUDA_ON_HOST_H
#include <cuda_runtime.h>
#include <functional>
#include <string.h>
#include <type_traits>

#define DEVICE static inline
#define KERNEL static void
#define __shared__ static thread_local
#define __launch_bounds__(threads, blocks)
#define FIRST if (host_phase == 0)
#define THEN if (host_phase == 1)
#define LAST if (host_phase == 2)
#define NEXT(phase) if (host_phase == (phase))
#define PER_THREAD(type, name, threads, count) \
    static thread_local type name##_of[threads][count]; \
    type *const name = name##_of[threadIdx.x]

typedef struct HostIndex {
    unsigned x, y;
} HostIndex;
extern thread_local HostIndex threadIdx, blockIdx, blockDim, gridDim;
extern thread_local int host_phase;

/* A count that blocks share, between two fences (or the emulation ends the process). */
void __threadfence(void);
unsigned atomicInc(unsigned *count, unsigned most);
unsigned atomicOr(unsigned *at, unsigned bits);

/* Work for a stream, to be done late. */
void lazy_queue(cudaStream_t s, std::function<void()> work);
/* Begin a launch; then true as often as there is a thread's turn in a phase of a block. */
void host_launch(int phases, long x, long y, int threads);
bool host_turn(void);

/* The arguments are copied now, as for a GPU. */
template <auto kernel, class... Parameter>
void host_queue(cudaStream_t s, int phases, long x, long y, int threads, void (*)(Parameter...),
                std::common_type_t<Parameter>... arguments)
{
    lazy_queue(s, [=] {
        host_launch(phases, x, y, threads);
        while (host_turn())
            kernel(arguments...);
    });
}

#define LAUNCH(s, phases, kernel, x, y, threads, ...) \
    do { \
        host_queue<kernel>(cuda_queue(s), phases, x, y, threads, kernel, __VA_ARGS__); \
        CUDA_CHECK(cudaGetLastError()); \
    } while (0)
#endif
