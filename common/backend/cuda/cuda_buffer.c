/* cuda_buffer.c: GPU memory: allocate, fill, copy, free. */
#include "cuda_backend.h"
#include <pthread.h>
#include <stdlib.h>

__thread Recording *cuda_recording;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cuda_lock(void)
{
    ASSERT(!cuda_recording); /* no allocations or frees in a recording */
    pthread_mutex_lock(&lock);
}

void cuda_unlock(void) { pthread_mutex_unlock(&lock); }

static void use(const Backend *be) { CUDA_CHECK(cudaSetDevice(cuda_number(be))); }

void *cuda_memory_new(Backend *be, size_t bytes)
{
    void *p;
    use(be);
    cuda_lock();
    CUDA_CHECK(cudaMalloc(&p, bytes ? bytes : 1));
    cuda_unlock();
    return p;
}

void cuda_memory_free(Backend *be, void *p, bool recorded)
{
    use(be);
    cuda_lock();
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(p));
    ((CudaBackend *)be)->frees += recorded;
    cuda_unlock();
}

Buffer *cuda_buffer_new(Backend *be, size_t bytes)
{
    Buffer *b = alloc(1, sizeof *b);
    *b = (Buffer){be, cuda_memory_new(be, bytes), bytes, false};
    cuda_lock();
    CUDA_CHECK(cudaMemset(b->device, 0, bytes));
    CUDA_CHECK(cudaDeviceSynchronize()); /* streams do not wait for the memset */
    cuda_unlock();
    return b;
}

void cuda_buffer_free(Buffer *b)
{
    if (b)
        cuda_memory_free(b->be, b->device, b->recorded);
    free(b);
}

void *cuda_buffer_host(Buffer *b) { return (void)b, NULL; }
void *cuda_buffer_device(Buffer *b) { return cuda_at((Tensor){.buf = b}); }

void *cuda_staging_new(Backend *be, size_t bytes)
{
    void *p;
    use(be); /* else a thread that has used no GPU would begin with GPU 0 */
    cuda_lock();
    CUDA_CHECK(cudaMallocHost(&p, bytes ? bytes : 1));
    cuda_unlock();
    return p;
}

void cuda_staging_free(void *p)
{
    cuda_lock();
    CUDA_CHECK(cudaFreeHost(p));
    cuda_unlock();
}

/* A few bytes travel as a kernel's argument; for more the host waits until they are copied. */
void cuda_upload(Stream *s, Tensor dst, const void *src)
{
    size_t bytes = tensor_count(dst) * dtype_size(dst.dtype);
    ASSERT(dst.halo == 0);
    if (bytes <= SMALL_BYTES) {
        cuda_put_small(s, cuda_at(dst), src, bytes);
        return;
    }
    cudaStream_t queue = cuda_queue(s);
    CUDA_CHECK(cudaMemcpyAsync(cuda_at(dst), src, bytes, cudaMemcpyHostToDevice, queue));
    CUDA_CHECK(cudaStreamSynchronize(queue));
}

/* The inside of t as a box of W*C elements by H by N, for pitched copies. */
static struct cudaExtent box_of(Tensor t)
{
    return make_cudaExtent((size_t)t.w * t.c * dtype_size(t.dtype), (size_t)t.h, (size_t)t.n);
}

/* It begins at the first element of the inside, with t's strides between rows and images. */
static struct cudaPitchedPtr inside_of(Tensor t)
{
    size_t width = (size_t)t.w + 2 * t.halo, height = (size_t)t.h + 2 * t.halo,
           size = dtype_size(t.dtype);
    return make_cudaPitchedPtr((char *)cuda_at(t) + (t.halo * width + t.halo) * t.c * size,
                               width * t.c * size, (size_t)t.w * t.c * size, height);
}

void cuda_copy(Stream *s, Tensor dst, Tensor src)
{
    ASSERT(same_shape(dst, src) && dst.dtype == src.dtype);
    cudaStream_t queue = cuda_queue(s);
    if (dst.halo == 0 && src.halo == 0) {
        size_t bytes = tensor_count(src) * dtype_size(src.dtype);
        CUDA_CHECK(
            cudaMemcpyAsync(cuda_at(dst), cuda_at(src), bytes, cudaMemcpyDeviceToDevice, queue));
        return;
    }
    struct cudaMemcpy3DParms copy = {.srcPtr = inside_of(src),
                                     .dstPtr = inside_of(dst),
                                     .extent = box_of(src),
                                     .kind = cudaMemcpyDeviceToDevice};
    CUDA_CHECK(cudaMemcpy3DAsync(&copy, queue));
}

void cuda_download(Stream *s, void *dst, Tensor src)
{
    cudaStream_t queue = cuda_queue(s);
    struct cudaExtent box = box_of(src);
    struct cudaMemcpy3DParms copy = {.srcPtr = inside_of(src),
                                     .dstPtr = make_cudaPitchedPtr(dst, box.width, box.width,
                                                                   box.height),
                                     .extent = box,
                                     .kind = cudaMemcpyDeviceToHost};
    if (src.halo == 0)
        CUDA_CHECK(cudaMemcpyAsync(dst, cuda_at(src), box.width * box.height * box.depth,
                                   cudaMemcpyDeviceToHost, queue));
    else
        CUDA_CHECK(cudaMemcpy3DAsync(&copy, queue));
    CUDA_CHECK(cudaStreamSynchronize(queue));
}

void cuda_zero(Stream *s, Tensor t)
{
    cudaStream_t queue = cuda_queue(s);
    if (t.halo == 0)
        CUDA_CHECK(cudaMemsetAsync(cuda_at(t), 0, tensor_count(t) * dtype_size(t.dtype), queue));
    else
        CUDA_CHECK(cudaMemset3DAsync(inside_of(t), 0, box_of(t), queue));
}
