/* lazy_streams.h: shared by the emulation's files: its queues, as its other calls see them. */
#ifndef LAZY_STREAMS_H
#define LAZY_STREAMS_H
#include "cuda_on_host.h"
#include <mutex>

/* One lock for everything: work of all streams runs under it, on whichever thread waits. */
extern std::recursive_mutex lazy_lock;
typedef std::lock_guard<std::recursive_mutex> LazyLock;

extern thread_local bool lazy_device_set; /* cudaSetDevice was called in this thread */
/* 0 … sides - 1, from the seed. */
unsigned lazy_draw(unsigned sides);
/* Keeps `code` as the thread's last error, and returns it. */
cudaError_t lazy_fail(cudaError_t code);
/* This thread is recording: it may not allocate, free, or wait. */
bool lazy_recording(void);
bool lazy_captures(cudaStream_t s);
/* Nor load kernels, but in a relaxed mode. */
bool lazy_may_load(void);
/* A call that a recording of s forbids: the recording is lost. */
cudaError_t lazy_forbidden(cudaStream_t s);
/* Do all that is queued. */
cudaError_t lazy_all(void);
/* Ends the process: a use that no GPU would survive. */
[[noreturn]] void lazy_wrong(const char *what);
/* Has the test asked cuDNN's double to refuse this? (device.h: cuda_on_host_refuse) */
bool lazy_refuses(char what);
#endif
