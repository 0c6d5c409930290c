/* host_threads.cpp: see host_threads.h. */
#include "lazy_streams.h"
#ifdef HOST_THREADS
#include <pthread.h>
#include <thread>
#include <vector>

static pthread_barrier_t barrier;

void host_barrier(void) { pthread_barrier_wait(&barrier); }

void host_threads(long x, long y, int threads, const std::function<void()> &body)
{
    std::vector<std::thread> all;
    pthread_barrier_init(&barrier, nullptr, (unsigned)threads);
    for (int t = 0; t < threads; t++)
        all.emplace_back([=] {
            gridDim = {(unsigned)x, (unsigned)y};
            blockDim = {(unsigned)threads, 1};
            threadIdx = {(unsigned)t, 0};
            for (long block = 0; block < x * y; block++) {
                blockIdx = {(unsigned)(block % x), (unsigned)(block / x)};
                body();
                host_barrier(); /* shared memory is the next block's */
            }
        });
    for (std::thread &one : all)
        one.join();
    pthread_barrier_destroy(&barrier);
}
#endif
