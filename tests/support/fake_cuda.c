/* fake_cuda.c: a fake CUDA runtime. See fake_nccl.h. */
#include "check.h"
#include "fake_nccl.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Fault fake_fault;
bool fake_one_gpu, fake_unknown;
int fake_alive;
static _Thread_local int current_device;

/* CUDA keeps a thread's last error until it is asked for, "not ready", too. */
static _Thread_local cudaError_t last_error;

static cudaError_t answer(cudaError_t code)
{
    if (code != cudaSuccess)
        last_error = code;
    return code;
}

/* ---- streams ---- */

typedef struct Work {
    struct Work *next;
    void (*run)(void *);
    void *argument;
    bool owned;             /* argument is freed with it */
    cudaEvent_t wait, mark; /* not NULL: an event to wait for, to record */
    long version;           /* which recording of it */
} Work;

struct CUstream_st {
    cudaStream_t next; /* of all streams */
    Work *first, **last;
    atomic_int queued;
};

struct CUevent_st {
    cudaStream_t s;
    atomic_long recorded, passed; /* versions */
};

static cudaStream_t streams;

static void append(cudaStream_t s, Work w)
{
    Work *kept = malloc(sizeof *kept);
    *kept = w;
    kept->next = NULL;
    *s->last = kept;
    s->last = &kept->next;
    s->queued++;
}

void fake_enqueue(cudaStream_t s, void (*run)(void *), void *argument)
{
    append(s, (Work){.run = run, .argument = argument, .owned = true});
}

static void work_free(Work *w)
{
    if (w->owned)
        free(w->argument);
    free(w);
}

static void advance_until(cudaStream_t s, cudaEvent_t e, long version);

static void do_first(cudaStream_t s)
{
    Work *w = s->first;
    if (w->wait)
        advance_until(w->wait->s, w->wait, w->version);
    if (w->run)
        w->run(w->argument);
    if (w->mark)
        w->mark->passed = w->version;
    s->first = w->next;
    if (!s->first)
        s->last = &s->first;
    s->queued--;
    work_free(w);
}

static void advance_until(cudaStream_t s, cudaEvent_t e, long version)
{
    while (e ? e->passed < version : s->queued > 0)
        do_first(s);
}

static bool on_main_thread(void) { return gettid() == getpid(); } /* others only query */

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0, *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    return cudaStreamCreateWithPriority(s, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority)
{
    ASSERT(flags == cudaStreamNonBlocking && priority >= -5 && priority <= 0);
    *s = calloc(1, sizeof **s);
    (*s)->last = &(*s)->first;
    (*s)->next = streams;
    streams = *s;
    fake_alive++;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    cudaStream_t *at = &streams;
    ASSERT(s->queued == 0);
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    fake_alive--;
    free(s);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    advance_until(s, NULL, 0);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    for (cudaStream_t s = streams; s; s = s->next)
        advance_until(s, NULL, 0);
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    ASSERT(!on_main_thread() && *mode == cudaStreamCaptureModeRelaxed);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    ASSERT(flags == 0);
    append(s, (Work){.wait = e, .version = e->recorded});
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
    ASSERT(flags == cudaEventDisableTiming);
    *e = calloc(1, sizeof **e);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    ASSERT(e->passed == e->recorded);
    free(e);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    e->s = s;
    append(s, (Work){.mark = e, .version = ++e->recorded});
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    if (fake_fault == FAULT_GPU && !on_main_thread())
        return answer(cudaErrorIllegalAddress);
    if (on_main_thread() && e->passed < e->recorded)
        do_first(e->s);
    return answer(e->passed < e->recorded ? cudaErrorNotReady : cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t run, void *argument)
{
    append(s, (Work){.run = run, .argument = argument});
    return cudaSuccess;
}

/* ---- memory ---- */

typedef struct Piece {
    struct Piece *next;
    char *memory;
    size_t bytes;
    int device;
} Piece;
static Piece *pieces;

static Piece *piece_of(const void *memory)
{
    Piece *p = pieces;
    while (p && ((const char *)memory < p->memory || (const char *)memory >= p->memory + p->bytes))
        p = p->next;
    return p;
}

void fake_check_device(const void *memory, size_t bytes)
{
    Piece *p = piece_of(memory);
    ASSERT(bytes == 0 || (p && p->device == current_device &&
                          (const char *)memory + bytes <= p->memory + p->bytes));
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    Piece *p = malloc(sizeof *p);
    *p = (Piece){pieces, malloc(bytes), bytes, current_device};
    pieces = p;
    *memory = p->memory;
    return cudaSuccess;
}

/* Waits, as the real one does. */
cudaError_t cudaFree(void *memory)
{
    cudaDeviceSynchronize();
    Piece **at = &pieces;
    while (*at && (*at)->memory != memory)
        at = &(*at)->next;
    ASSERT(*at);
    Piece *p = *at;
    *at = p->next;
    free(p->memory);
    free(p);
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return *memory = malloc(bytes), cudaSuccess;
}
cudaError_t cudaFreeHost(void *memory) { return free(memory), cudaSuccess; }
cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    return memset(memory, value, bytes), cudaSuccess;
}

typedef struct Copying {
    void *out;
    const void *in;
    size_t bytes;
} Copying;

static void copy_now(void *p)
{
    Copying *x = p;
    memmove(x->out, x->in, x->bytes);
}

cudaError_t cudaMemcpyAsync(void *out, const void *in, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t s)
{
    Copying *x = malloc(sizeof *x);
    *x = (Copying){.out = out, .in = in, .bytes = bytes};
    fake_check_device(kind == cudaMemcpyDeviceToHost ? in : out, bytes);
    fake_enqueue(s, copy_now, x);
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *memory)
{
    if (fake_unknown)
        return answer(cudaErrorNoDevice);
    Piece *p = piece_of(memory);
    *a = (struct cudaPointerAttributes){.type = p ? cudaMemoryTypeDevice
                                                  : cudaMemoryTypeUnregistered,
                                        .device = p ? p->device : -2};
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t code = last_error;
    last_error = cudaSuccess;
    return code;
}

/* ---- devices ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    const char *ranks = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    *count = fake_fault == FAULT_NO_GPU ? 0 : fake_one_gpu || !ranks ? 1 : atoi(ranks);
    return answer(fake_fault == FAULT_NO_GPU ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
    int count;
    cudaGetDeviceCount(&count);
    current_device = device;
    return answer(device >= 0 && device < count ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device)
{
    snprintf(text, size, "0000:%02x:00.0", 1 + device);
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t code)
{
    return code == cudaErrorNoDevice ? "no device" : "some error";
}
const char *cudaGetErrorName(cudaError_t code)
{
    return code == cudaErrorNoDevice ? "cudaErrorNoDevice" : "cudaError";
}
