/* cuda_on_host.cpp: the GPU that the headers beside it promise: launches, device, memory. */
#include "lazy_streams.h"
#include <map>
#include <numeric>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* ---- launches: each host thread has its own GPU, so that the loader's thread may launch
 * beside the loop's ---- */
thread_local HostIndex threadIdx, blockIdx, blockDim, gridDim;
thread_local int host_phase;
/* A thread's turn: its writes are fenced; it has counted itself, and must not read the others'
 * writes before another fence. */
static thread_local bool fenced, counted;
static thread_local struct {
    long block, blocks, left; /* left: this one and those to come */
    long step;                /* the order of blocks: each step-th, around */
    unsigned thread;
    int phases;
    bool backwards; /* threads */
} launch;

static void begin_block(long block)
{
    launch.block = block;
    blockIdx = {(unsigned)(block % gridDim.x), (unsigned)(block / gridDim.x)};
    host_phase = 0;
}

/* The order of turns: blocks, in each its phases, in each its threads. */
bool host_turn(void)
{
    if (counted)
        lazy_wrong("no fence behind atomicInc");
    fenced = false;
    if (launch.thread == blockDim.x) {
        launch.thread = 0;
        if (++host_phase == launch.phases) {
            if (--launch.left == 0)
                return false;
            begin_block((launch.block + launch.step) % launch.blocks);
        }
    }
    threadIdx = {launch.backwards ? blockDim.x - 1 - launch.thread : launch.thread, 0};
    launch.thread++;
    return true;
}

void __threadfence(void) { fenced = true, counted = false; }
unsigned atomicInc(unsigned *count, unsigned most)
{
    if (!fenced)
        lazy_wrong("no fence before atomicInc");
    unsigned old = *count;
    *count = old >= most ? 0 : old + 1;
    counted = true;
    return old;
}

unsigned atomicOr(unsigned *at, unsigned bits)
{
    return __atomic_fetch_or(at, bits, __ATOMIC_SEQ_CST);
}

void host_launch(int phases, long x, long y, int threads)
{
    if (x < 1 || x > INT32_MAX || y < 1 || y > 65535 || threads < 1 || threads > 1024)
        lazy_wrong("a grid beyond CUDA's limits");
    gridDim = {(unsigned)x, (unsigned)y};
    blockDim = {(unsigned)threads, 1};
    long blocks = launch.blocks = launch.left = x * y;
    launch.phases = phases;
    launch.thread = 0;
    launch.backwards = lazy_draw(2);
    /* forwards, backwards, or here and there */
    unsigned order = lazy_draw(3);
    launch.step = order == 0 ? 1 : order == 1 ? blocks - 1 : blocks * 5 / 8 + 1;
    while (std::gcd(launch.step, blocks) > 1)
        launch.step++;
    begin_block(order == 0 ? 0 : order == 1 ? blocks - 1 : lazy_draw((unsigned)blocks));
}

/* ---- the device ---- */
extern "C" {
static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
              {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
               "operation not permitted when stream is capturing"},
              {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
               "operation failed due to a previous error during capture"},
              {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
               "capturing stream has unjoined work"},
              {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
               "operation not permitted on an event last recorded in a capturing stream"}};
const char *cudaGetErrorString(cudaError_t e)
{
    for (auto &known : errors)
        if (known.code == e)
            return known.text;
    return "invalid argument";
}
const char *cudaGetErrorName(cudaError_t e)
{
    for (auto &known : errors)
        if (known.code == e)
            return known.name;
    return "cudaErrorInvalidValue";
}
cudaError_t cudaDriverGetVersion(int *version) { return *version = 12040, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { return *version = 12040, cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaSetDevice(int device)
{
    lazy_device_set = true;
    return device == 0 ? cudaSuccess : lazy_fail(cudaErrorInvalidValue);
}
cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute != cudaDevAttrComputeCapabilityMajor ? 0 : lazy_refuses('8') ? 7 : 9;
    return device == 0 ? cudaSuccess : lazy_fail(cudaErrorInvalidValue);
}
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *kernel)
{
    a->binaryVersion = 90;
    return kernel ? cudaSuccess : lazy_fail(cudaErrorInvalidValue);
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *about, int device)
{
    memset(about, 0, sizeof *about);
    strcpy(about->name, "the CPU instead of a GPU");
    about->totalGlobalMem = (size_t)1 << 33;
    return cudaSuccess;
}

/* ---- memory: NaN at first, and once freed (the first MiB of it), as what lies there may be
 * anything. Nothing here may be called while this thread records. ---- */
static std::map<void *, size_t> live; /* device memory */
static void spoil(void *p, size_t bytes) { memset(p, 0xff, bytes < 1 << 20 ? bytes : 1 << 20); }

/* Large pieces have pages of their own, which nobody may touch once they are freed: a stale
 * recording then crashes. (The address sanitizer sees that by itself, and more.) */
#ifdef __SANITIZE_ADDRESS__
static const size_t LARGE = SIZE_MAX;
#else
static const size_t LARGE = 1 << 16;
#endif
static void *piece_new(size_t bytes)
{
    if (bytes < LARGE)
        return malloc(bytes);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}
static void piece_free(void *p, size_t bytes)
{
    if (bytes < LARGE) {
        spoil(p, bytes);
        free(p);
    } else if (mmap(p, bytes, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0) == MAP_FAILED)
        lazy_wrong("no pages left");
}

/* ../ptx/ptx.h */
int ptx_piece(const void *p, size_t bytes, char **start, size_t *size)
{
    auto after = live.upper_bound((void *)p);
    if (after == live.begin())
        return false;
    auto &piece = *--after;
    *start = (char *)piece.first, *size = piece.second;
    return (const char *)p + bytes <= *start + *size;
}

cudaError_t cudaMalloc(void *p, size_t bytes)
{
    LazyLock lock(lazy_lock);
    if (lazy_recording())
        return lazy_fail(cudaErrorStreamCaptureUnsupported);
    void *m = *(void **)p = piece_new(bytes);
    if (!lazy_device_set || !m)
        return lazy_fail(cudaErrorMemoryAllocation);
    spoil(m, bytes);
    live[m] = bytes;
    return cudaSuccess;
}

cudaError_t cudaFree(void *p)
{
    LazyLock lock(lazy_lock);
    if (lazy_recording())
        return lazy_fail(cudaErrorStreamCaptureUnsupported);
    cudaError_t waited = lazy_all();
    if (waited || !p)
        return waited;
    if (!live.count(p))
        return lazy_fail(cudaErrorInvalidValue);
    piece_free(p, live[p]);
    live.erase(p);
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void *p, size_t bytes)
{
    LazyLock lock(lazy_lock);
    if (lazy_recording())
        return lazy_fail(cudaErrorStreamCaptureUnsupported);
    if (!lazy_device_set)
        lazy_wrong("cudaMallocHost: no device is set in this thread: a context on GPU 0");
    return (*(void **)p = malloc(bytes)) ? cudaSuccess : lazy_fail(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void *p)
{
    LazyLock lock(lazy_lock);
    cudaError_t waited = lazy_all();
    free(p);
    return waited;
}

cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    LazyLock lock(lazy_lock);
    if (lazy_recording())
        return lazy_fail(cudaErrorStreamCaptureUnsupported);
    return memset(p, value, bytes), cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t s)
{
    lazy_queue(s, [=] { memset(p, value, bytes); });
    return cudaSuccess;
}

/* ---- copies ---- */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t s)
{
    LazyLock lock(lazy_lock);
    if (lazy_captures(s) && kind != cudaMemcpyDeviceToDevice)
        return lazy_forbidden(s);
    lazy_queue(s, [=] { memmove(to, from, bytes); });
    return cudaSuccess;
}

static char *row_of(struct cudaPitchedPtr p, size_t h, size_t n)
{
    return (char *)p.ptr + (n * p.ysize + h) * p.pitch;
}
static bool fits(struct cudaPitchedPtr p, struct cudaExtent box)
{
    return box.width <= p.pitch && box.height <= p.ysize;
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent box,
                              cudaStream_t s)
{
    lazy_queue(s, [=] {
        for (size_t i = 0; i < box.depth * box.height; i++)
            memset(row_of(p, i % box.height, i / box.height), value, box.width);
    });
    return fits(p, box) ? cudaSuccess : lazy_fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t s)
{
    LazyLock lock(lazy_lock);
    struct cudaMemcpy3DParms c = *copy;
    struct cudaExtent box = c.extent;
    if (lazy_captures(s) && c.kind != cudaMemcpyDeviceToDevice)
        return lazy_forbidden(s);
    lazy_queue(s, [=] {
        for (size_t i = 0; i < box.depth * box.height; i++)
            memcpy(row_of(c.dstPtr, i % box.height, i / box.height),
                   row_of(c.srcPtr, i % box.height, i / box.height), box.width);
    });
    return fits(c.srcPtr, box) && fits(c.dstPtr, box) ? cudaSuccess
                                                      : lazy_fail(cudaErrorInvalidValue);
}
}
