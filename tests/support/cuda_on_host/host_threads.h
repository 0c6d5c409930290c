/* host_threads.h: the kernels once more (cuda_on_host.h), with a thread of the host for each thread
 * of a block, and barriers that they wait at: the thread sanitizer then sees which of them read
 * what another writes in the same phase. Blocks come one after the other. For blocks of a few dozen
 * threads (tests/e2e/cuda_threads.sh). */
#ifndef HOST_THREADS_H
#define HOST_THREADS_H
#undef __shared__
#undef FIRST
#undef THEN
#undef LAST
#undef NEXT
#undef LAUNCH
#define __shared__ static
#define FIRST
#define THEN host_barrier();
#define LAST host_barrier();
#define NEXT(phase) host_barrier();

void host_barrier(void);
/* Run the body in `threads` threads at once, for each of x * y blocks. */
void host_threads(long x, long y, int threads, const std::function<void()> &body);

template <auto kernel, class... Parameter>
void host_threads_queue(cudaStream_t s, long x, long y, int threads, void (*)(Parameter...),
                        std::common_type_t<Parameter>... arguments)
{
    lazy_queue(s, [=] { host_threads(x, y, threads, [&] { kernel(arguments...); }); });
}

#define LAUNCH(s, phases, kernel, x, y, threads, ...) \
    do { \
        host_threads_queue<kernel>(cuda_queue(s), x, y, threads, kernel, __VA_ARGS__); \
        CUDA_CHECK(cudaGetLastError()); \
    } while (0)
#endif
