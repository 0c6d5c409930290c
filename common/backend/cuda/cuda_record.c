/* cuda_record.c: recorded work as CUDA graphs: a step of some hundred kernels is queued by one call
 * instead of hundreds, which for small networks cost the host more time than the GPU needs for the
 * work. */
#include "cuda_backend.h"
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>

struct Recording {
    Backend *be;
    cudaGraphExec_t graph;
    long frees; /* of the backend, when it was recorded */
};

static void record_begin(Stream *s)
{
    cuda_take_scratch(s); /* not in the recording: replay calls it for itself */
    cuda_lock();
    cuda_recording = alloc(1, sizeof *cuda_recording);
    /* Thread-local: another thread (the loader's) continues as usual. */
    CUDA_CHECK(cudaStreamBeginCapture(cuda_queue(s), cudaStreamCaptureModeThreadLocal));
}

static Recording *record_end(Stream *s)
{
    Recording *r = cuda_recording;
    cudaGraph_t written;
    r->be = s->be;
    CUDA_CHECK(cudaStreamEndCapture(cuda_queue(s), &written));
    r->frees = ((CudaBackend *)s->be)->frees;
    cuda_recording = NULL;
    cuda_unlock();
    CUDA_CHECK(cudaGraphInstantiateWithFlags(&r->graph, written, 0));
    CUDA_CHECK(cudaGraphDestroy(written));
    return r;
}

static bool replay(Stream *s, Recording *r)
{
    cuda_lock();
    bool stale = r->frees != ((CudaBackend *)s->be)->frees;
    cuda_unlock();
    if (stale)
        return false;
    cuda_take_scratch(s);
    CUDA_CHECK(cudaGraphLaunch(r->graph, cuda_queue(s)));
    return true;
}

static void recording_free(Recording *r)
{
    if (!r)
        return;
    CUDA_CHECK(cudaSetDevice(cuda_number(r->be)));
    cuda_lock();
    CUDA_CHECK(cudaDeviceSynchronize()); /* it may be running */
    CUDA_CHECK(cudaGraphExecDestroy(r->graph));
    cuda_unlock();
    free(r);
}

/* Ranges for Nsight (NVTX): without a profiler a call does next to nothing. */
static void range_begin(const char *name) { nvtxRangePushA(name); }
static void range_end(void) { nvtxRangePop(); }

void cuda_record_ops(BackendOps *op)
{
    op->range_begin = range_begin;
    op->range_end = range_end;
    op->record_begin = record_begin;
    op->record_end = record_end;
    op->replay = replay;
    op->recording_free = recording_free;
}
