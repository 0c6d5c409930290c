/* cpu_norm.c: batch normalisation, forward and backward, in groups of images (backend.h).
 *
 * Statistics go in two stages: per image and channel in float32 (mean, and sum of squared
 * deviations: no cancellation), then over a group's images as plain sums in float64, which ranks
 * can add. Passes over pixels are compiled for the common channel counts.
 */
#include "cpu.h"
#include <math.h>

static int groups(const BatchNorm *bn, int N) { return (N + bn->group - 1) / bn->group; }
static int group_images(int N, int group, int g)
{
    return g * group + group <= N ? group : N - g * group;
}

/* In one pass, of the differences from the first pixel: they are about as large as the deviations
 * from the mean, so little is lost when the mean's part is subtracted at the end. Several
 * neighbouring pixels at once, as WIDE independent sums: an addition need not wait for the one
 * before it. */
INLINE void image_moments(float *mean, float *m2, Tensor x, int n, const int C, const DType type)
{
    enum { WIDE = 64 };
    /* pixels, and their elements */
    const int side = C < WIDE && WIDE % C == 0 ? WIDE / C : 1, width = side * C;
    float shift[width], sum[width], square[width], copy[width];
    for (int i = 0; i < width; i++)
        shift[i] = load(cpu_pixels(x, n, 0), i % C, type);
    memset(sum, 0, sizeof sum);
    memset(square, 0, sizeof square);
    for (int h = 0; h < x.h; h++) {
        const void *row = cpu_pixels(x, n, h);
        int w = 0;
        long at = 0;
        for (; w + side <= x.w; w += side, at += width) {
            const float *p = load_all(row, at, copy, width, type);
#pragma omp simd
            for (int i = 0; i < width; i++) {
                float d = p[i] - shift[i];
                sum[i] += d;
                square[i] += d * d;
            }
        }
        for (; w < x.w; w++, at += C)
            for (int c = 0; c < C; c++) {
                float d = load(row, at + c, type) - shift[c];
                sum[c] += d;
                square[c] += d * d;
            }
    }
    float pixels = x.h * x.w;
    for (int c = 0; c < C; c++) {
        for (int i = c + C; i < width; i += C)
            sum[c] += sum[i], square[c] += square[i];
        mean[c] = shift[c] + sum[c] / pixels;
        m2[c] = square[c] - sum[c] * (sum[c] / pixels);
    }
}

void cpu_moments_of_image(Tensor moments, Tensor x, int n)
{
    float *mean = cpu_row(moments, n, 0);
    FOR_TYPE(x.dtype, FOR_CHANNELS(x.c, image_moments(mean, mean + x.c, x, n, c_, type_)))
}

void cpu_image_moments(Stream *s, Tensor moments, Tensor x)
{
    ASSERT(moments.n == x.n && moments.h == 2 && moments.c == x.c && x.c <= MAX_CHANNELS);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++)
        cpu_moments_of_image(moments, x, n);
}

void cpu_bn_sums(Stream *s, Tensor sums, Tensor moments, int pixels, int group)
{
    int N = moments.n, C = moments.c;
    ASSERT(sums.dtype == F64 && sums.c == C && sums.n >= (N + group - 1) / group);
    for (int g = 0; g * group < N; g++) {
        double *sum = (double *)cpu_at(sums) + (size_t)g * 2 * C, *square = sum + C;
        memset(sum, 0, sizeof(double) * 2 * C);
        for (int n = g * group; n < g * group + group_images(N, group, g); n++) {
            const float *mean = cpu_row(moments, n, 0), *m2 = mean + C;
            for (int c = 0; c < C; c++) {
                sum[c] += (double)pixels * mean[c];
                square[c] += m2[c] + (double)pixels * mean[c] * mean[c];
            }
        }
    }
}

void cpu_bn_finish(Stream *s, const BatchNorm *bn, Tensor sums, int N, int pixels, int ranks,
                   bool update_running)
{
    int G = groups(bn, N), C = bn->gamma.n;
    float *mean = cpu_at(bn->mean), *istd = cpu_at(bn->istd);
    float *running_mean = cpu_at(bn->running_mean), *running_var = cpu_at(bn->running_var);
    for (int c = 0; c < C; c++) {
        double average_mean = 0, average_var = 0;
        for (int g = 0; g < G; g++) {
            const double *sum = (const double *)cpu_at(sums) + (size_t)g * 2 * C, *square = sum + C;
            double count = (double)group_images(N, bn->group, g) * pixels * ranks;
            double m = sum[c] / count, var = square[c] / count - m * m;
            var = var > 0    ? var
                : var == var ? 0
                             : var; /* rounding may fall below zero; NaN stays NaN */
            mean[g * C + c] = (float)m;
            istd[g * C + c] = (float)(1 / sqrt(var + bn->eps));
            average_mean += m / G;
            average_var += var * (count > 1 ? count / (count - 1) : 1) / G;
        }
        if (update_running) {
            running_mean[c] += bn->momentum * ((float)average_mean - running_mean[c]);
            running_var[c] += bn->momentum * ((float)average_var - running_var[c]);
        }
    }
}

void cpu_bn_statistics(Stream *s, const BatchNorm *bn, Tensor sums, Tensor moments, int pixels,
                       bool update_running)
{
    cpu_bn_sums(s, sums, moments, pixels, bn->group);
    cpu_bn_finish(s, bn, sums, moments.n, pixels, 1, update_running);
}

void cpu_bn_running(Stream *s, const BatchNorm *bn)
{
    const float *mean = cpu_at(bn->running_mean), *var = cpu_at(bn->running_var);
    memcpy(cpu_at(bn->mean), mean, sizeof(float) * bn->gamma.n);
    for (int c = 0; c < bn->gamma.n; c++)
        ((float *)cpu_at(bn->istd))[c] = 1 / sqrtf(var[c] + bn->eps);
}

INLINE void forward_row(void *restrict y, const void *restrict x, const void *restrict residual,
                        const float *restrict mean, const float *restrict scale,
                        const float *restrict beta, bool relu, int W, const int C, const DType type)
{
    float lowest = relu ? 0 : -INFINITY; /* NaN is not below it, and so stays NaN */
    float x_copy[C], add_copy[C], y_copy[C];
    for (long at = 0; at < (long)W * C; at += C) {
        const float *from = load_all(x, at, x_copy, C, type),
                    *add = residual ? load_all(residual, at, add_copy, C, type) : NULL;
        float *to = room_for(y, at, y_copy, type);
#pragma omp simd
        for (int c = 0; c < C; c++) {
            float v = (from[c] - mean[c]) * scale[c] + beta[c] + (add ? add[c] : 0);
            to[c] = v < lowest ? lowest : v;
        }
        store_all(y, at, to, C, type);
    }
}

/* One image: gamma * istd is computed once. */
INLINE void forward_image(Tensor y, const BatchNorm *bn, Tensor x, Tensor residual, int n,
                          const int C, const DType type)
{
    const float *gamma = cpu_at(bn->gamma), *beta = cpu_at(bn->beta);
    const float *mean = (float *)cpu_at(bn->mean) + n / bn->group * C;
    const float *istd = (float *)cpu_at(bn->istd) + n / bn->group * C;
    float scale[C];
    for (int c = 0; c < C; c++)
        scale[c] = gamma[c] * istd[c];
    for (int h = 0; h < x.h; h++) {
        void *to = cpu_pixels(y, n, h);
        const void *from = cpu_pixels(x, n, h);
        if (given(residual))
            forward_row(to, from, cpu_pixels(residual, n, h), mean, scale, beta, bn->relu, x.w, C,
                        type);
        else
            forward_row(to, from, NULL, mean, scale, beta, bn->relu, x.w, C, type);
    }
}

void cpu_bn_forward(Stream *s, Tensor y, const BatchNorm *bn, Tensor x, Tensor residual)
{
    ASSERT(same_shape(y, x) && bn->gamma.n == x.c && x.c <= MAX_CHANNELS &&
           bn->mean.n >= groups(bn, x.n));
    ASSERT(y.dtype == x.dtype);
    ASSERT(!given(residual) || (same_shape(residual, x) && residual.dtype == x.dtype));
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++)
        FOR_TYPE(x.dtype, FOR_CHANNELS(x.c, forward_image(y, bn, x, residual, n, c_, type_)))
}

/* One image's part of sum g and sum g xhat, added to sum[2C]; g is dy where the ReLU let it
 * through. */
INLINE void backward_sums_image(double *sum, const BatchNorm *bn, Tensor dy, Tensor y, Tensor x,
                                int n, const int C, const DType type)
{
    const float *mean = (float *)cpu_at(bn->mean) + n / bn->group * C;
    const float *istd = (float *)cpu_at(bn->istd) + n / bn->group * C;
    const float *gamma = cpu_at(bn->gamma), *beta = cpu_at(bn->beta);
    float a[C], b[C], scale[C], zero[C], g_copy[C], x_copy[C], y_copy[C];
    const bool relu = bn->relu, read_y = relu && !bn->y_of_x;
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    for (int c = 0; c < C; c++)
        scale[c] = gamma[c] * istd[c], zero[c] = read_y ? 0 : stored_zero(c, C, type);
    for (int h = 0; h < x.h; h++) {
        const void *g = cpu_pixels(dy, n, h), *from = cpu_pixels(x, n, h),
                   *out = read_y ? cpu_pixels(y, n, h) : g;
        for (long at = 0; at < (long)x.w * C; at += C) {
            const float *G = load_all(g, at, g_copy, C, type),
                        *X = load_all(from, at, x_copy, C, type),
                        *Y = read_y ? load_all(out, at, y_copy, C, type) : G;
#pragma omp simd
            for (int c = 0; c < C; c++) {
                float out = read_y ? Y[c] : (X[c] - mean[c]) * scale[c] + beta[c];
                float v = relu && !(out > zero[c]) ? 0 : G[c];
                a[c] += v;
                b[c] += v * (X[c] - mean[c]);
            }
        }
    }
    for (int c = 0; c < C; c++) {
        sum[c] += a[c];
        sum[C + c] += (double)b[c] * istd[c];
    }
}

void cpu_bn_backward_sums(Stream *s, Tensor sums, const BatchNorm *bn, Tensor dgamma, Tensor dbeta,
                          Tensor dy, Tensor y, Tensor x)
{
    int N = x.n, C = x.c, G = groups(bn, N), pieces = G >= CHUNKS ? 1 : (CHUNKS + G - 1) / G;
    ASSERT(sums.dtype == F64 && sums.n >= G && sums.c == C && C <= MAX_CHANNELS &&
           same_shape(dy, x) && dy.dtype == x.dtype && (!bn->relu || y.dtype == x.dtype));
    double *out = cpu_at(sums), partial[pieces > 1 ? G * pieces : 1][2 * C];
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int i = 0; i < G * pieces; i++) { /* piece i % pieces of group i / pieces */
        int g = i / pieces, images = group_images(N, bn->group, g), n0 = g * bn->group;
        double *sum = pieces > 1 ? partial[i] : out + (size_t)g * 2 * C;
        memset(sum, 0, sizeof(double) * 2 * C);
        for (int n = n0 + chunk_begin(images, i % pieces, pieces);
             n < n0 + chunk_begin(images, i % pieces + 1, pieces); n++)
            FOR_TYPE(x.dtype, FOR_CHANNELS(C, backward_sums_image(sum, bn, dy, y, x, n, c_, type_)))
    }
    float *db = cpu_at(dbeta), *dg = cpu_at(dgamma);
    for (int c = 0; c < C; c++) {
        double beta = 0, gamma = 0;
        for (int g = 0; g < G; g++) {
            double *sum = out + (size_t)g * 2 * C;
            for (int i = g * pieces; pieces > 1 && i < (g + 1) * pieces; i++) {
                sum[c] = (i == g * pieces ? 0 : sum[c]) + partial[i][c];
                sum[C + c] = (i == g * pieces ? 0 : sum[C + c]) + partial[i][C + c];
            }
            beta += sum[c];
            gamma += sum[C + c];
        }
        db[c] += (float)beta;
        dg[c] += (float)gamma;
    }
}

INLINE void backward_image(Tensor dx, Tensor dresidual, const BatchNorm *bn, Tensor sums, Tensor dy,
                           Tensor y, Tensor x, double count, bool add, bool add_residual, int n,
                           const int C, const DType type)
{
    const float *gamma = cpu_at(bn->gamma), *beta = cpu_at(bn->beta),
                *mean = (float *)cpu_at(bn->mean) + n / bn->group * C;
    const float *istd = (float *)cpu_at(bn->istd) + n / bn->group * C;
    const double *sum = (const double *)cpu_at(sums) + (size_t)(n / bn->group) * 2 * C;
    const bool relu = bn->relu, read_y = relu && !bn->y_of_x;
    float scale[C], mean_g[C], slope[C], zero[C]; /* dx = scale (g - mean_g - (x - mean) slope) */
    for (int c = 0; c < C; c++) {
        scale[c] = gamma[c] * istd[c];
        zero[c] = read_y ? 0 : stored_zero(c, C, type);
        mean_g[c] = (float)(sum[c] / count);
        slope[c] = (float)(sum[C + c] / count) * istd[c];
    }
    float g_copy[C], x_copy[C], y_copy[C], to_copy[C];
    for (int h = 0; h < x.h; h++) {
        const void *g = cpu_pixels(dy, n, h), *from = cpu_pixels(x, n, h),
                   *out = read_y ? cpu_pixels(y, n, h) : g;
        void *to = cpu_pixels(dx, n, h),
             *skip = given(dresidual) ? cpu_pixels(dresidual, n, h) : NULL;
        for (long at = 0; at < (long)x.w * C; at += C) {
            const float *G = load_all(g, at, g_copy, C, type),
                        *X = load_all(from, at, x_copy, C, type),
                        *Y = read_y ? load_all(out, at, y_copy, C, type) : G;
            float *D = room_for(to, at, to_copy, type);
            if (add)
                load_all(to, at, to_copy, C, type);
#pragma omp simd
            for (int c = 0; c < C; c++) {
                float out = read_y ? Y[c] : (X[c] - mean[c]) * scale[c] + beta[c];
                float v = relu && !(out > zero[c]) ? 0 : G[c];
                float d = scale[c] * (v - mean_g[c] - (X[c] - mean[c]) * slope[c]);
                D[c] = add ? D[c] + d : d;
            }
            store_all(to, at, D, C, type);
            if (!skip)
                continue;
            float *S = room_for(skip, at, to_copy, type);
            if (add_residual)
                load_all(skip, at, to_copy, C, type);
#pragma omp simd
            for (int c = 0; c < C; c++) {
                float v = relu && !(Y[c] > 0) ? 0 : G[c];
                S[c] = add_residual ? S[c] + v : v;
            }
            store_all(skip, at, S, C, type);
        }
    }
}

void cpu_bn_backward(Stream *s, Tensor dx, Tensor dresidual, const BatchNorm *bn, Tensor sums,
                     Tensor dy, Tensor y, Tensor x, int ranks, bool add, bool add_residual)
{
    DType type = x.dtype;
    ASSERT(same_shape(dx, x) && same_shape(dy, x) && x.c <= MAX_CHANNELS);
    ASSERT(dx.dtype == type && dy.dtype == type && (!bn->relu || y.dtype == type) &&
           (!given(dresidual) || (dresidual.dtype == type && !bn->y_of_x)));
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++) {
        double count = (double)group_images(x.n, bn->group, n / bn->group) * x.h * x.w * ranks;
        FOR_TYPE(type, FOR_CHANNELS(x.c, backward_image(dx, dresidual, bn, sums, dy, y, x, count,
                                                        add, add_residual, n, c_, type_)))
    }
}
