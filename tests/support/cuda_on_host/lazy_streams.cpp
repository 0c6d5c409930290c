/* lazy_streams.cpp: queues that work late. What is queued on a stream runs when somebody waits for
 * it, or earlier where the dice say so, in each stream in order and across streams in any order
 * that the events permit: a missing wait then shows as wrong numbers. The dice's seed is the test
 * case's (device.h). A recording (CUDA graph) holds the same pieces of work, and after which others
 * each must come: from its stream's order, and from the events between its streams. A replay does
 * them in any order that this permits. */
#include "lazy_streams.h"
#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <set>
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
typedef std::set<size_t> Nodes;
struct Node {
    std::function<void()> run;
    Nodes after;
};
struct LazyGraph {
    std::vector<Node> nodes;
    LazyStream *origin;
};
struct LazyStream {
    std::deque<Work> queue;
    LazyGraph *capture; /* being recorded; NULL: not */
    Nodes last;         /* of it, what this stream's next piece of work comes after */
    bool invalid;       /* by a call that a recording forbids */
};
struct LazyEvent {
    LazyStream *stream;
    long recorded, passed;
    double time;
    bool timing;
    LazyGraph *capture; /* it was recorded into; NULL: none */
    Nodes after;        /* there, what it stands for */
};

std::recursive_mutex lazy_lock;
thread_local bool lazy_device_set;
static std::vector<LazyStream *> streams;
static bool capturing; /* CUDA permits several; the backend has a lock for one */
static std::thread::id recorder;
static thread_local cudaError_t last_error;
static thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;
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
    fprintf(stderr, "CPU emulation of CUDA: %s\n", what);
    abort();
}
unsigned lazy_draw(unsigned sides) { return dice() % sides; }
cudaError_t lazy_fail(cudaError_t code) { return last_error = code; }
bool lazy_recording(void) { return capturing && recorder == std::this_thread::get_id(); }
bool lazy_captures(cudaStream_t s) { return s->capture; }
bool lazy_may_load(void)
{
    return !lazy_recording() || thread_mode == cudaStreamCaptureModeRelaxed;
}
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

/* By chance, some stream gets on. */
static void some_turns(void)
{
    if (streams.empty() || lazy_draw(4))
        return;
    LazyStream *s = streams[lazy_draw((unsigned)streams.size())];
    for (unsigned n = lazy_draw(8); n > 0 && !s->queue.empty(); n--)
        run_first(s);
}

/* The others' work continues meanwhile. */
static void drain(LazyStream *s)
{
    while (!s->queue.empty()) {
        run_first(s);
        some_turns();
    }
}

cudaError_t lazy_all(void)
{
    if (capturing) /* in any thread */
        return lazy_fail(cudaErrorStreamCaptureUnsupported);
    for (LazyStream *s : streams)
        drain(s);
    return cudaSuccess;
}

static void add(LazyStream *s, const Work &w)
{
    if (s->capture) {
        s->capture->nodes.push_back(Node{w.run, s->last});
        s->last = {s->capture->nodes.size() - 1};
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

/* In a recording: s takes part in it from now on. */
static cudaError_t wait_in_capture(cudaStream_t s, cudaEvent_t e)
{
    if (!capturing || !e->capture || (s->capture && s->capture != e->capture))
        return lazy_forbidden(
            s); /* what is recorded cannot wait for what is not, nor the reverse */
    s->capture = e->capture;
    s->last.insert(e->after.begin(), e->after.end());
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    LazyLock lock(lazy_lock);
    if (s->capture || e->capture)
        return wait_in_capture(s, e);
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
    e->capture = s->capture;
    e->after = s->last;
    if (s->capture)
        return cudaSuccess;
    if (e->recorded > e->passed && e->stream != s)
        run_until(e, e->recorded); /* each recording is of one stream here */
    e->stream = s;
    add(s, Work{nullptr, nullptr, e, ++e->recorded});
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    LazyLock lock(lazy_lock);
    if (e->capture)
        return lazy_fail(cudaErrorCapturedEvent);
    run_until(e, e->recorded);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    LazyLock lock(lazy_lock);
    if (!from->timing || !to->timing || !from->recorded || !to->recorded || from->capture ||
        to->capture)
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
    s->capture = new LazyGraph{{}, s};
    s->last.clear();
    s->invalid = false;
    capturing = true;
    recorder = std::this_thread::get_id();
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    std::swap(*mode, thread_mode);
    return cudaSuccess;
}

/* What must be done before one of these, they included. */
static Nodes before(const LazyGraph *g, const Nodes &last)
{
    Nodes all = last;
    for (size_t i = g->nodes.size(); i-- > 0;) /* each comes after earlier ones only */
        if (all.count(i))
            all.insert(g->nodes[i].after.begin(), g->nodes[i].after.end());
    return all;
}

/* The other streams leave the recording of s. Has s waited for all that they do in it? */
static bool joined(LazyStream *s)
{
    Nodes all = before(s->capture, s->last);
    bool complete = all.size() == s->capture->nodes.size();
    for (LazyStream *other : streams)
        if (other != s && other->capture == s->capture) {
            s->invalid |= other->invalid;
            other->capture = nullptr;
            other->last.clear();
            other->invalid = false;
        }
    return complete;
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph)
{
    LazyLock lock(lazy_lock);
    if (!s->capture || !lazy_recording() || s->capture->origin != s)
        return lazy_fail(cudaErrorInvalidValue);
    bool complete = joined(s);
    *graph = s->capture;
    s->capture = nullptr;
    s->last.clear();
    capturing = false;
    return s->invalid ? lazy_fail(cudaErrorStreamCaptureInvalidated)
         : !complete  ? lazy_fail(cudaErrorStreamCaptureUnjoined)
                      : cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return *exec = new LazyGraph(*graph), cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return delete exec, cudaSuccess; }

/* One launch of a graph: each turn does one of the nodes whose predecessors are done. */
struct Replay {
    std::vector<Node> nodes;
    std::vector<bool> done;
    void turn(void)
    {
        std::vector<size_t> ready;
        for (size_t i = 0; i < nodes.size(); i++)
            if (!done[i] && std::all_of(nodes[i].after.begin(), nodes[i].after.end(),
                                        [this](size_t before) { return done[before]; }))
                ready.push_back(i);
        size_t next = ready[lazy_draw((unsigned)ready.size())];
        nodes[next].run();
        done[next] = true;
    }
};

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s)
{
    LazyLock lock(lazy_lock);
    if (s->capture)
        return lazy_forbidden(s);
    size_t count = exec->nodes.size();
    std::shared_ptr<Replay> replay(new Replay{exec->nodes, std::vector<bool>(count)});
    for (size_t i = 0; i < count; i++)
        s->queue.push_back(Work{[=] { replay->turn(); }, nullptr, nullptr, 0});
    some_turns();
    return cudaSuccess;
}
}
