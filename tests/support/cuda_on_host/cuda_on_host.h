/* cuda_on_host.h: the CUDA backend's kernels as plain C on the CPU, so that their arithmetic is
 * tested where there is no GPU. A launch is a loop over phases, blocks and threads, one after the
 * other; a barrier is the end of a phase.
 *
 * What this shows: wrong indices, sizes, terms, a thread or block that depends on another's turn
 * (every other launch runs backwards), and under SAN=1 reading and writing outside a buffer. What
 * it does not show: how fast it is, what the GPU's own arithmetic rounds otherwise, a missing wait
 * between streams, and anything in cuBLAS and cuDNN.
 */
#ifndef CUDA_ON_HOST_H
#define CUDA_ON_HOST_H
#include <string.h>

#define DEVICE static inline
#define KERNEL static void
#define __shared__ static _Thread_local
#define FIRST if (host_phase == 0)
#define THEN if (host_phase == 1)
#define LAST if (host_phase == 2)

typedef struct HostIndex {
    unsigned x, y;
} HostIndex;
extern _Thread_local HostIndex threadIdx, blockIdx, blockDim, gridDim;
extern _Thread_local int host_phase;

/* Begin a launch; then true as often as there is a thread's turn in a phase of a block. */
void host_launch(int phases, long x, long y, int threads);
int host_turn(void);

#define LAUNCH(s, phases, kernel, x, y, threads, ...) \
    do { \
        cuda_queue(s); \
        host_launch(phases, x, y, threads); \
        while (host_turn()) \
            kernel(__VA_ARGS__); \
    } while (0)
#endif
