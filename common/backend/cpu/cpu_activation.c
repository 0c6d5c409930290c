/* cpu_activation.c: GELU, SiLU and ReLU of x + bias, and back.
 *
 * The C library's erf works on one number at a time. Here the normal distribution is formula 7.1.26
 * of Abramowitz & Stegun, which the compiler turns into vectors and whose absolute error of 1.5e-7
 * is float32's own.
 */
#include "cpu_exp.h"

/* e = exp(-v*v/2); Phi(v) from it. */
INLINE float normal_below(float v, float e)
{
    float t = 1 / (1 + 0.3275911f * 0.70710678f * __builtin_fabsf(v));
    float p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    return 0.5f + __builtin_copysignf(0.5f - 0.5f * p * t * e, v);
}

/* The logistic function. */
INLINE float sigmoid(float v)
{
    float e = exp_of(-__builtin_fabsf(v));
    return 0.5f + __builtin_copysignf(0.5f - e / (1 + e), v);
}

/* GPT-2's GELU is v sigmoid(u) with u = 2 sqrt(2/pi) (v + 0.044715 v^3): (1 + tanh(u/2)) / 2 is
 * the logistic function. */
INLINE float tanh_share(float v) { return sigmoid(v * (1.59576912f + 0.07135481f * v * v)); }

INLINE float value_of(float v, const Activation f)
{
    switch (f) {
    case ACTIVATION_GELU: return v * normal_below(v, exp_of(-0.5f * v * v));
    case ACTIVATION_SILU: return v * sigmoid(v);
    case ACTIVATION_GELU_TANH: return v * tanh_share(v);
    default: return v < 0 ? 0 : v; /* NaN stays NaN */
    }
}

INLINE float slope_of(float v, const Activation f)
{
    float e, share;
    switch (f) {
    case ACTIVATION_GELU:
        e = exp_of(-0.5f * v * v);
        return normal_below(v, e) + v * e * 0.39894228f;
    case ACTIVATION_SILU: share = sigmoid(v); return share * (1 + v * (1 - share));
    case ACTIVATION_GELU_TANH:
        share = tanh_share(v);
        return share * (1 + v * (1 - share) * (1.59576912f + 3 * 0.07135481f * v * v));
    default: return v > 0 ? 1 : 0;
    }
}

/* n elements of x from `at` on; with a bias they are one pixel's channels. */
INLINE void forward(void *to, const void *x, long at, const float *bias, int n, const Activation f,
                    const DType type)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        float v = load(x, at + i, type);
        store(to, at + i, value_of(bias ? v + bias[i] : v, f), type);
    }
}

/* dx and sum (of a pixel's channels) may be NULL. */
INLINE void backward(void *dx, float *sum, const void *dy, const void *x, long at,
                     const float *bias, int n, const bool add, const Activation f, const DType type)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        float v = load(x, at + i, type),
              d = load(dy, at + i, type) * slope_of(bias ? v + bias[i] : v, f);
        if (sum)
            sum[i] += d;
        if (dx)
            store(dx, at + i, add ? load(dx, at + i, type) + d : d, type);
    }
}

/* `call` with each f as a constant. */
#define FOR_ACTIVATION(f, call) \
    switch (f) { \
    case ACTIVATION_GELU: { \
        const Activation f_ = ACTIVATION_GELU; \
        call; \
        break; \
    } \
    case ACTIVATION_SILU: { \
        const Activation f_ = ACTIVATION_SILU; \
        call; \
        break; \
    } \
    case ACTIVATION_GELU_TANH: { \
        const Activation f_ = ACTIVATION_GELU_TANH; \
        call; \
        break; \
    } \
    default: { \
        const Activation f_ = ACTIVATION_RELU; \
        call; \
    } \
    }

INLINE void forward_row(void *to, const void *x, const float *bias, int W, int C, Activation f,
                        const DType type)
{
    if (!bias) {
        FOR_ACTIVATION(f, forward(to, x, 0, NULL, W * C, f_, type))
        return;
    }
    for (long at = 0; at < (long)W * C; at += C)
        FOR_ACTIVATION(f, forward(to, x, at, bias, C, f_, type))
}

void cpu_act_forward(Stream *s, Tensor y, Tensor x, Tensor bias, Activation f)
{
    ASSERT(same_shape(y, x) && y.dtype == x.dtype && (!given(bias) || bias.n == x.c));
    const float *b = given(bias) ? cpu_at(bias) : NULL;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++)
        for (int h = 0; h < x.h; h++)
            FOR_TYPE(x.dtype,
                     forward_row(cpu_pixels(y, n, h), cpu_pixels(x, n, h), b, x.w, x.c, f, type_))
}

INLINE void backward_row(void *dx, float *sum, const void *dy, const void *x, const float *bias,
                         int W, int C, bool add, Activation f, const DType type)
{
    if (!bias && dx && add)
        FOR_ACTIVATION(f, backward(dx, NULL, dy, x, 0, NULL, W * C, true, f_, type))
    else if (!bias && dx)
        FOR_ACTIVATION(f, backward(dx, NULL, dy, x, 0, NULL, W * C, false, f_, type))
    for (long at = 0; bias && at < (long)W * C; at += C) {
        if (dx && add)
            FOR_ACTIVATION(f, backward(dx, sum, dy, x, at, bias, C, true, f_, type))
        else if (dx)
            FOR_ACTIVATION(f, backward(dx, sum, dy, x, at, bias, C, false, f_, type))
        else
            FOR_ACTIVATION(f, backward(NULL, sum, dy, x, at, bias, C, false, f_, type))
    }
}

void cpu_act_backward(Stream *s, Tensor dx, Tensor dbias, Tensor dy, Tensor x, Tensor bias,
                      Activation f, bool add)
{
    int C = x.c;
    ASSERT(same_shape(dy, x) && dy.dtype == x.dtype && C <= MAX_CHANNELS);
    ASSERT(!given(dx) || (same_shape(dx, x) && dx.dtype == x.dtype));
    ASSERT(given(bias) == given(dbias) && (!given(bias) || (bias.n == C && dbias.n == C)));
    const float *b = given(bias) ? cpu_at(bias) : NULL;
    double part[b ? CHUNKS : 1][b ? C : 1];
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        float sum[b ? C : 1];
        for (int c = 0; b && c < C; c++)
            part[chunk][c] = 0;
        for (int n = chunk_begin(x.n, chunk, CHUNKS); n < chunk_begin(x.n, chunk + 1, CHUNKS);
             n++) {
            memset(sum, 0, sizeof sum);
            for (int h = 0; h < x.h; h++)
                FOR_TYPE(x.dtype, backward_row(given(dx) ? cpu_pixels(dx, n, h) : NULL,
                                               b ? sum : NULL, cpu_pixels(dy, n, h),
                                               cpu_pixels(x, n, h), b, x.w, C, add, f, type_))
            for (int c = 0; b && c < C; c++)
                part[chunk][c] += sum[c];
        }
    }
    for (int c = 0; b && c < C; c++) {
        double sum = 0;
        for (int chunk = 0; chunk < CHUNKS; chunk++)
            sum += part[chunk][c];
        ((float *)cpu_at(dbias))[c] += (float)sum;
    }
}
