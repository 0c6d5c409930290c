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

void cuda_record_begin(Stream *s)
{
    cuda_take_scratch(s); /* not in the recording: replay calls it for itself */
    cuda_lock();
    cuda_recording = alloc(1, sizeof *cuda_recording);
    /* Thread-local: another thread (the loader's) continues as usual. */
    CUDA_CHECK(cudaStreamBeginCapture(cuda_queue(s), cudaStreamCaptureModeThreadLocal));
}

Recording *cuda_record_end(Stream *s)
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

bool cuda_replay(Stream *s, Recording *r)
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

void cuda_recording_free(Recording *r)
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
void cuda_range_begin(const char *name) { nvtxRangePushA(name); }
void cuda_range_end(void) { nvtxRangePop(); }
