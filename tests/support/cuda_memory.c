/* cuda_memory.c: see cuda_memory.h. */
#include "cuda_memory.h"
#include "comm/comm_open.h"
#ifdef HAVE_NCCL
#include "backend/cuda/cuda_check.h"
#include <string.h>

struct Buffer {
    char *device;
};

typedef struct CudaStream {
    Stream base;
    cudaStream_t s;
    void *staging;   /* host memory that scale works in */
    size_t capacity; /* bytes */
} CudaStream;

typedef struct Scaling { /* a queued multiplication */
    void *data;
    size_t n;
    DType dtype;
    float factor;
} Scaling;

static char *at(Tensor t) { return t.buf->device + t.at * dtype_size(t.dtype); }
static size_t bytes_of(Tensor t) { return tensor_count(t) * dtype_size(t.dtype); }
static cudaStream_t queue(Stream *s) { return ((CudaStream *)s)->s; }

static void *staging_new(Backend *be, size_t bytes)
{
    void *memory;
    CUDA_CHECK(cudaMallocHost(&memory, bytes));
    return memory;
}

static void staging_free(void *memory) { CUDA_CHECK(cudaFreeHost(memory)); }

static Buffer *buffer_new(Backend *be, size_t bytes)
{
    Buffer *b = alloc(1, sizeof *b);
    CUDA_CHECK(cudaMalloc((void **)&b->device, bytes ? bytes : 1));
    CUDA_CHECK(cudaMemset(b->device, 0, bytes));
    CUDA_CHECK(cudaDeviceSynchronize());
    return b;
}

static void buffer_free(Buffer *b)
{
    if (b)
        CUDA_CHECK(cudaFree(b->device));
    free(b);
}

static void *buffer_host(Buffer *b) { return NULL; }
static void *buffer_device(Buffer *b) { return b->device; }
static void *stream_native(Stream *s) { return queue(s); }
static void stream_sync(Stream *s) { CUDA_CHECK(cudaStreamSynchronize(queue(s))); }

static void upload(Stream *s, Tensor out, const void *in)
{
    CUDA_CHECK(cudaMemcpyAsync(at(out), in, bytes_of(out), cudaMemcpyHostToDevice, queue(s)));
}

static void download(Stream *s, void *out, Tensor in)
{
    CUDA_CHECK(cudaMemcpyAsync(out, at(in), bytes_of(in), cudaMemcpyDeviceToHost, queue(s)));
    stream_sync(s);
}

static void copy(Stream *s, Tensor out, Tensor in)
{
    CUDA_CHECK(cudaMemcpyAsync(at(out), at(in), bytes_of(out), cudaMemcpyDeviceToDevice, queue(s)));
}

static void scale_staged(void *p)
{
    Scaling *x = p;
    scale_elements(x->data, x->n, x->dtype, x->factor);
    free(x);
}

/* On the host, in stream order. */
static void scale(Stream *base, Tensor t, float factor)
{
    CudaStream *s = (CudaStream *)base;
    size_t bytes = bytes_of(t);
    if (bytes == 0)
        return;
    if (s->capacity < bytes) {
        stream_sync(base);
        if (s->staging)
            staging_free(s->staging);
        s->staging = staging_new(base->be, bytes);
        s->capacity = bytes;
    }
    Scaling *x = alloc(1, sizeof *x);
    *x = (Scaling){s->staging, tensor_count(t), t.dtype, factor};
    CUDA_CHECK(cudaMemcpyAsync(s->staging, at(t), bytes, cudaMemcpyDeviceToHost, s->s));
    CUDA_CHECK(cudaLaunchHostFunc(s->s, scale_staged, x));
    CUDA_CHECK(cudaMemcpyAsync(at(t), s->staging, bytes, cudaMemcpyHostToDevice, s->s));
}

static Stream *stream_new(Backend *be, int threads)
{
    CudaStream *s = alloc(1, sizeof *s);
    s->base = (Stream){be, threads};
    CUDA_CHECK(cudaStreamCreateWithFlags(&s->s, cudaStreamNonBlocking));
    return &s->base;
}

static void stream_free(Stream *base)
{
    CudaStream *s = (CudaStream *)base;
    stream_sync(base);
    CUDA_CHECK(cudaStreamDestroy(s->s));
    if (s->staging)
        staging_free(s->staging);
    free(s);
}

static void close_backend(Backend *be) { free(be); }

Backend *cuda_memory_open(int local_rank)
{
    static const BackendOps ops = {
        .name = "cuda memory",
        .buffer_new = buffer_new,
        .buffer_free = buffer_free,
        .buffer_host = buffer_host,
        .buffer_device = buffer_device,
        .staging_new = staging_new,
        .staging_free = staging_free,
        .upload = upload,
        .download = download,
        .copy = copy,
        .scale = scale,
        .stream_new = stream_new,
        .stream_free = stream_free,
        .stream_sync = stream_sync,
        .stream_native = stream_native,
        .close = close_backend,
    };
    int devices;
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    CUDA_CHECK(cudaSetDevice(local_rank % devices));
    Backend *be = alloc(1, sizeof *be);
    *be = (Backend){.op = &ops, .threads = 1, .description = "memory of a GPU"};
    return be;
}

/* NCCL, if each rank has its own GPU, or reports that it is alone on its machine. */
static void expect_carrier(const Comm *c)
{
    int devices;
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    printf("    tensors on %d GPUs: %s\n", devices, c->op->name);
    assert_string_equal(c->op->name,
                        devices >= c->local_size || getenv("NCCL_HOSTID") ? "nccl" : "mpi");
}
#else
Backend *cuda_memory_open(int local_rank) { return NULL; }
static void expect_carrier(const Comm *c) {}
#endif

static void on(Setup *x, Backend *be, void (*group)(Setup *))
{
    x->be = be;
    x->s = be->op->stream_new(be, 1);
    group(x);
    be->op->stream_free(x->s);
    be->op->close(be);
}

void over_gpu(const char *kind, void (*group)(Setup *))
{
    if (!comm_nccl_built)
        SKIP("no NCCL");
    if (comm_nccl_missing())
        SKIP("no GPU");
    Setup x = {.c = comm_open(kind)};
    on(&x, cuda_memory_open(x.c->local_rank), group);
    expect_carrier(x.c);
    on(&x, fake_backend_open(false), group);
    on(&x, cuda_memory_open(x.c->local_rank), group);
    comm_close(x.c);
}
