/* lazy_streams.cpp: queues that work late. What is queued on a stream runs when somebody waits for
 * it, or earlier where the dice say so, in each stream in order and across streams in any order
 * that the events permit: a missing wait then shows as wrong numbers. The dice's seed is the test
 * case's (device.h). A recording (CUDA graph) is a list of the same pieces of work. */
#include "lazy_streams.h"
#include <algorithm>
#include <deque>
#include <random>
#include <stdio.h>
#include <stdlib.h>
#include <thread>
#include <vector>
extern "C" {
#include "timer.h"
}

/* Either something to do, or to wait for the version-th recording of an event, or to mark it. */
struct Work {
    std::function<void()> run;
    LazyEvent *wait, *mark;
    long version;
};
struct LazyGraph {
    std::vector<std::function<void()>> nodes;
};
struct LazyStream {
    std::deque<Work> queue;
    LazyGraph *capture; /* being recorded; NULL: not */
    bool invalid;       /* by a call that a recording forbids */
};
struct LazyEvent {
    LazyStream *stream;
    long recorded, passed;
    double time;
    bool timing;
};

std::recursive_mutex lazy_lock;
thread_local bool lazy_device_set;
static std::vector<LazyStream *> streams;
static bool capturing; /* CUDA permits several; the backend has a lock for one */
static std::thread::id recorder;
static thread_local cudaError_t last_error;
static std::mt19937 dice(1);
static const char *refused = "h";

extern "C" void cuda_on_host_seed(unsigned seed) { dice.seed(seed); }
extern "C" void cuda_on_host_refuse(const char *what) { refused = what; }
bool lazy_refuses(char what)
{
    for (const char *c = refused; *c; c++)
        if (*c == what)
            return true;
    return false;
}

/* backend/cuda/gpu_library.h */
extern "C" const char *gpu_library_missing(const char *file)
{
    static char why[100];
    bool missing = lazy_refuses(strstr(file, "nccl") ? 'n' : 'm');
    snprintf(why, sizeof why, "%s: cannot open shared object file: No such file or directory",
             file);
    return missing ? why : nullptr;
}

void lazy_wrong(const char *what)
{
    fprintf(stderr, "the double of CUDA: %s\n", what);
    abort();
}
unsigned lazy_draw(unsigned sides) { return dice() % sides; }
cudaError_t lazy_fail(cudaError_t code) { return last_error = code; }
bool lazy_recording(void) { return capturing && recorder == std::this_thread::get_id(); }
bool lazy_captures(cudaStream_t s) { return s->capture; }
cudaError_t lazy_forbidden(cudaStream_t s)
{
    s->invalid = true;
    return lazy_fail(cudaErrorStreamCaptureUnsupported);
}

/* ---- doing what is queued ---- */
static void run_first(LazyStream *s);

static void run_until(LazyEvent *e, long version)
{
    while (e->passed < version) {
        if (!e->stream || e->stream->queue.empty())
            lazy_wrong("waits for an event that never comes");
        run_first(e->stream);
    }
}

static void run_first(LazyStream *s)
{
    Work w = s->queue.front();
    if (w.wait)
        run_until(w.wait, w.version); /* other streams' work, not this one's */
    s->queue.pop_front();
    if (w.run)
        w.run();
    if (w.mark) {
        w.mark->passed = std::max(w.mark->passed, w.version);
        w.mark->time = timer_now();
    }
}

static void drain(LazyStream *s)
{
    while (!s->queue.empty())
        run_first(s);
}

cudaError_t lazy_all(void)
{
    if (capturing) /* in any thread */
        return lazy_fail(cudaErrorStreamCaptureUnsupported);
    for (LazyStream *s : streams)
        drain(s);
    return cudaSuccess;
}

/* By chance, some stream gets on. */
static void some_turns(void)
{
    if (streams.empty() || lazy_draw(4))
        return;
    LazyStream *s = streams[lazy_draw((unsigned)streams.size())];
    for (unsigned n = lazy_draw(8); n > 0 && !s->queue.empty(); n--)
        run_first(s);
}

static void add(LazyStream *s, const Work &w)
{
    if (s->capture) {
        if (w.wait || w.mark)
            lazy_wrong("events in a recording: not emulated");
        s->capture->nodes.push_back(w.run);
        return;
    }
    s->queue.push_back(w);
    some_turns();
}

void lazy_queue(cudaStream_t s, std::function<void()> work)
{
    LazyLock lock(lazy_lock);
    if (!lazy_device_set)
        lazy_wrong("no device is set in this thread");
    add(s, Work{work, nullptr, nullptr, 0});
}

extern "C" {
cudaError_t cudaGetLastError(void)
{
    cudaError_t e = last_error;
    last_error = cudaSuccess;
    return e;
}

cudaError_t cudaDeviceSynchronize(void)
{
    LazyLock lock(lazy_lock);
    return lazy_device_set ? lazy_all() : lazy_fail(cudaErrorInvalidValue);
}

/* ---- streams ---- */
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    LazyLock lock(lazy_lock);
    streams.push_back(*s = new LazyStream());
    return flags == cudaStreamNonBlocking ? cudaSuccess : lazy_fail(cudaErrorInvalidValue);
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    LazyLock lock(lazy_lock);
    drain(s);
    streams.erase(std::find(streams.begin(), streams.end(), s));
    delete s;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    LazyLock lock(lazy_lock);
    if (s->capture)
        return lazy_forbidden(s);
    drain(s);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    LazyLock lock(lazy_lock);
    if (e->recorded) /* else there is nothing to wait for */
        add(s, Work{nullptr, e, nullptr, e->recorded});
    return cudaSuccess;
}

/* ---- events ---- */
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
    *e = new LazyEvent();
    (*e)->timing = !(flags & cudaEventDisableTiming);
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    LazyLock lock(lazy_lock);
    for (LazyStream *s : streams) /* work that still waits for it keeps its meaning */
        for (const Work &w : s->queue)
            if (w.wait == e || w.mark == e) {
                drain(s);
                break;
            }
    delete e;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    LazyLock lock(lazy_lock);
    if (e->recorded > e->passed && e->stream != s)
        run_until(e, e->recorded); /* each recording is of one stream here */
    e->stream = s;
    add(s, Work{nullptr, nullptr, e, ++e->recorded});
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    LazyLock lock(lazy_lock);
    run_until(e, e->recorded);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    LazyLock lock(lazy_lock);
    if (!from->timing || !to->timing || !from->recorded || !to->recorded)
        return lazy_fail(cudaErrorInvalidValue);
    *milliseconds = (float)((to->time - from->time) * 1e3);
    return cudaSuccess;
}

/* ---- recordings ---- */
cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode)
{
    LazyLock lock(lazy_lock);
    if (mode != cudaStreamCaptureModeThreadLocal || capturing)
        return lazy_fail(cudaErrorInvalidValue);
    s->capture = new LazyGraph();
    s->invalid = false;
    capturing = true;
    recorder = std::this_thread::get_id();
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph)
{
    LazyLock lock(lazy_lock);
    if (!s->capture || !lazy_recording())
        return lazy_fail(cudaErrorInvalidValue);
    *graph = s->capture;
    s->capture = nullptr;
    capturing = false;
    return s->invalid ? lazy_fail(cudaErrorStreamCaptureInvalidated) : cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return *exec = new LazyGraph(*graph), cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return delete exec, cudaSuccess; }

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s)
{
    LazyLock lock(lazy_lock);
    if (s->capture)
        return lazy_forbidden(s);
    for (const std::function<void()> &node : exec->nodes)
        s->queue.push_back(Work{node, nullptr, nullptr, 0});
    some_turns();
    return cudaSuccess;
}
}
