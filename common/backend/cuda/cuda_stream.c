/* cuda_stream.c: a GPU's queues, their events, and the scratch memory that the queues use in
 * turn. */
#include "cuda_backend.h"
#include "cuda_plan.h"
#include <stdlib.h>

struct Event {
    Backend *be;
    cudaEvent_t mark;
};

void cublas_check(cublasStatus_t code, const char *file, int line, const char *call)
{
    if (code != CUBLAS_STATUS_SUCCESS)
        die(EXIT_WRONG, "%s:%d: %s: %s (%s)", file, line, call, cublasGetStatusString(code),
            cublasGetStatusName(code));
}

static void use(const Backend *be) { CUDA_CHECK(cudaSetDevice(cuda_number(be))); }

/* ---- the convolutions' scratch memory ---- */

void cuda_reserve(Backend *be, size_t bytes)
{
    CudaBackend *cuda = (CudaBackend *)be;
    if (bytes <= cuda->scratch_bytes)
        return;
    cuda_memory_free(be, cuda->scratch, true);
    cuda->scratch = cuda_memory_new(be, bytes);
    cuda->scratch_bytes = bytes;
}

void cuda_take_scratch(Stream *s)
{
    CudaBackend *cuda = (CudaBackend *)s->be;
    if (cuda->scratch_user == s)
        return;
    if (cuda->scratch_user) {
        CUDA_CHECK(cudaEventRecord(cuda->handover, cuda_queue(cuda->scratch_user)));
        CUDA_CHECK(cudaStreamWaitEvent(cuda_queue(s), cuda->handover, 0));
    }
    cuda->scratch_user = s;
}

/* ---- queues ---- */

/* Give cuBLAS its own workspace: its default depends on which streams are busy, and so does the
 * order of its sums. */
Stream *cuda_stream_new(Backend *be, int threads)
{
    CudaStream *s = alloc(1, sizeof *s);
    s->base = (Stream){be, be->threads};
    s->scratch = cuda_memory_new(be, SCRATCH_BYTES);
    s->blas_memory = cuda_memory_new(be, BLAS_BYTES);
    s->counters = cuda_buffer_new(be, NORM_COUNTERS * sizeof(unsigned));
    cuda_lock();
    CUDA_CHECK(cudaStreamCreateWithFlags(&s->queue, cudaStreamNonBlocking));
    CUBLAS_CHECK(cublasCreate(&s->blas));
    cuda_unlock();
    /* BF16, FP16: sums in float32 */
    CUBLAS_CHECK(cublasSetMathMode(s->blas, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
    CUBLAS_CHECK(cublasSetStream(s->blas, s->queue));
    /* after cublasSetStream, which resets it */
    CUBLAS_CHECK(cublasSetWorkspace(s->blas, s->blas_memory, BLAS_BYTES));
    return &s->base;
}

void cuda_stream_free(Stream *base)
{
    CudaStream *s = (CudaStream *)base;
    if (!s)
        return;
    CudaBackend *cuda = (CudaBackend *)base->be;
    if (cuda->scratch_user == base)
        cuda->scratch_user = NULL;
    CUDA_CHECK(cudaStreamSynchronize(cuda_queue(base)));
    cuda_lock();
    CUBLAS_CHECK(cublasDestroy(s->blas)); /* waits for the whole GPU */
    CUDA_CHECK(cudaStreamDestroy(s->queue));
    cuda_unlock();
    cuda_memory_free(base->be, s->blas_memory, s->recorded);
    cuda_memory_free(base->be, s->scratch, s->recorded);
    cuda_buffer_free(s->counters);
    free(s);
}

void *cuda_stream_native(Stream *s) { return cuda_queue(s); }
void cuda_stream_sync(Stream *s) { CUDA_CHECK(cudaStreamSynchronize(cuda_queue(s))); }

Event *cuda_event_new(Backend *be)
{
    Event *e = alloc(1, sizeof *e);
    e->be = be;
    use(be);
    CUDA_CHECK(cudaEventCreate(&e->mark));
    return e;
}

void cuda_event_free(Event *e)
{
    if (!e)
        return;
    use(e->be);
    CUDA_CHECK(cudaEventDestroy(e->mark));
    free(e);
}

void cuda_event_record(Event *e, Stream *s) { CUDA_CHECK(cudaEventRecord(e->mark, cuda_queue(s))); }
void cuda_event_wait(Stream *s, Event *e)
{
    CUDA_CHECK(cudaStreamWaitEvent(cuda_queue(s), e->mark, 0));
}

double cuda_event_seconds(Event *from, Event *to)
{
    float milliseconds;
    use(to->be);
    CUDA_CHECK(cudaEventSynchronize(from->mark));
    CUDA_CHECK(cudaEventSynchronize(to->mark));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, from->mark, to->mark));
    return milliseconds / 1e3;
}
