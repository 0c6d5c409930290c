/* fake_nccl.h: a fake CUDA runtime (fake_cuda.c) and NCCL (fake_nccl.c), as far as
 * comm_nccl.c and cuda_memory.c use them. No GPU, no NCCL: "device" memory is the host's, the
 * collectives are MPI's.
 *
 * It can show: arguments, counts, types, offsets, the order of work in streams, the handling of
 * errors. It cannot show that the real libraries behave this way. It is as lazy as a GPU may be:
 * queued work, NCCL's included, is done when the host waits for its stream (or asks for an event);
 * or, with fake_eager, NCCL's is done at once, before anything it should have waited for. So a
 * forgotten event gives wrong results. What the real ones would not forgive (memory that is not the
 * device's, counts that differ between ranks) ends the run.
 */
#ifndef FAKE_NCCL_H
#define FAKE_NCCL_H
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum {
    NO_FAULT,
    FAULT_NO_GPU,
    FAULT_START, /* the last rank never comes to ncclCommInitRank */
    FAULT_CALL,  /* ncclAllReduce refuses */
    FAULT_END,   /* ncclCommDestroy never ends */
    FAULT_LINK,  /* all-reduces never end, and ncclCommGetAsyncError says ncclRemoteError */
    FAULT_GPU    /* the watchdog's event query reports a wrong address */
} Fault;

extern Fault fake_fault;
extern bool fake_one_gpu; /* only one GPU; otherwise one per rank */
extern bool fake_unknown; /* CUDA does not know any memory */
extern bool fake_eager;
extern int fake_calls; /* collectives called */
extern int fake_alive; /* communicators and streams that were not destroyed */

/* `argument` is freed with the work. */
void fake_enqueue(cudaStream_t s, void (*run)(void *), void *argument);
void fake_check_device(const void *memory, size_t bytes); /* all of it must have come from
                                                           * cudaMalloc */
#endif
