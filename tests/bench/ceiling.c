/* ceiling.c: see ceiling.h. */
#include "ceiling.h"
#include "backend/cpu/cpu_conv.h"
#include "check.h"
#include "timer.h"
#include <stdlib.h>

enum { SUMS = 12, REPEATS = 5 };

double ceiling_flops(int threads)
{
    enum { STEPS = 20000000 };
    double best = 0;
    volatile float one = 1, tiny = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        float kept = 0; /* use every result, or the compiler drops it */
        double began = timer_now();
#pragma omp parallel num_threads(threads) reduction(+ : kept)
        {
            vec sum[SUMS], factor = (vec){} + one, add = (vec){} + tiny;
            for (int i = 0; i < SUMS; i++)
                sum[i] = factor + (float)i; /* different, or the compiler computes only one */
            for (int step = 0; step < STEPS; step++) {
                UNROLL
                for (int i = 0; i < SUMS; i++)
                    sum[i] = sum[i] * factor + add;
            }
            for (int i = 1; i < SUMS; i++)
                sum[0] += sum[i];
            for (int lane = 0; lane < VEC; lane++)
                kept += sum[0][lane];
        }
        double rate = 2.0 * VEC * SUMS * STEPS * threads / (timer_now() - began);
        REQUIRE(kept > 0, "the multiply-adds went wrong: %g", kept);
        best = rate > best ? rate : best;
    }
    return best;
}

double ceiling_bytes(int threads)
{
    size_t n = 32 << 20;
    float *a = alloc(n, sizeof *a), *b = alloc(n, sizeof *b), *c = alloc(n, sizeof *c);
    double best = 0;
    for (int repeat = 0; repeat <= REPEATS; repeat++) { /* the first touches the pages */
        double began = timer_now();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (size_t i = 0; i < n; i++)
            a[i] = b[i] + 3 * c[i];
        double rate = 3.0 * sizeof *a * n / (timer_now() - began);
        best = repeat > 0 && rate > best ? rate : best;
    }
    free(a), free(b), free(c);
    return best;
}
