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

/* Sums that depend on nothing but themselves: `steps` times four products of tiles. */
static float amx_steps(long steps)
{
    float sum[AMX_ROWS][AMX_LANES];
    amx_whole_shapes();
    for (long i = 0; i < steps; i++) {
        AMX_DOT(0, 4, 5);
        AMX_DOT(1, 4, 5);
        AMX_DOT(2, 4, 5);
        AMX_DOT(3, 4, 5);
    }
    AMX_STORE(0, sum, AMX_BYTES);
    amx_release();
    return sum[0][0];
}

/* The same of SUMS dots. */
static float dot_steps(long steps)
{
    volatile float zero = 0;
    vec sum[SUMS], factor = (vec){} + zero;
    float pair = zero, kept = 0;
    for (int i = 0; i < SUMS; i++)
        sum[i] = factor + (float)i;
    for (long step = 0; step < steps; step++) {
        UNROLL
        for (int i = 0; i < SUMS; i++)
            sum[i] = vec_dot(sum[i], factor, &pair);
    }
    for (int i = 0; i < SUMS; i++)
        kept += sum[i][0];
    return kept;
}

double ceiling_bf16(int threads)
{
    Backend *be = backend_open("cpu", 0, 1, 1);
    bool amx = AMX && ((CpuBackend *)be)->amx;
    backend_close(be);
    if (!amx && !DOTS)
        return ceiling_flops(threads);
    const double each = amx ? 4.0 * 2 * AMX_ROWS * AMX_LANES * 2 * AMX_LANES : SUMS * 4.0 * VEC;
    const long steps = amx ? 1000000 : 20000000;
    double best = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        float kept = 0;
        double began = timer_now();
#pragma omp parallel num_threads(threads) reduction(+ : kept)
        kept += amx ? amx_steps(steps) : dot_steps(steps);
        double rate = each * steps * threads / (timer_now() - began);
        REQUIRE(kept >= 0, "the products went wrong: %g", kept);
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
