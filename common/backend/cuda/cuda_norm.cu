/* cuda_norm.cu: batch normalisation, forward, in groups of images (backend.h).
 *
 * Statistics go in two stages, as on the CPU: per image and channel in float32, of differences from
 * the image's first pixel (no cancellation), then over a group's images as plain sums in float64,
 * which ranks can add. A thread keeps to one channel (cuda_plan.h: strips); blockIdx.y is the strip
 * of channels.
 */
#include "cuda_kernel.h"

/* blockIdx.x is the image. */
KERNEL image_moments(float *moments, Act x, Strips s)
{
    __shared__ float sum[WIDE_BLOCK], square[WIDE_BLOCK];
    Place me = place_in(s, x.c);
    int n = (int)blockIdx.x, pixels = x.h * x.w;
    float shift = me.busy ? get(x, at_place(x, n, 0) + me.channel) : 0;
    FIRST
    {
        float a = 0, b = 0;
        for (int p = me.lane; me.busy && p < pixels; p += s.lanes) {
            float d = get(x, at_place(x, n, p) + me.channel) - shift;
            a += d;
            b += d * d;
        }
        sum[threadIdx.x] = a;
        square[threadIdx.x] = b;
    }
    THEN
    {
        if (me.busy && me.lane == 0) {
            float a = 0, b = 0, *to = moments + (size_t)n * 2 * x.c + me.channel;
            SUM_LANES(a, sum, s);
            SUM_LANES(b, square, s);
            to[0] = shift + a / pixels;
            to[x.c] = b - a * (a / pixels);
        }
    }
}

void cuda_image_moments(Stream *s, Tensor moments, Tensor x)
{
    ASSERT(moments.n == x.n && moments.h == 2 && moments.c == x.c && x.c <= MAX_CHANNELS);
    Strips strips = strips_of(x.c, WIDE_BLOCK);
    LAUNCH(s, 2, image_moments, x.n, strips.count, WIDE_BLOCK, (float *)cuda_at(moments), act(x),
           strips);
}

/* blockIdx.x is the group; lanes take its images. */
KERNEL bn_sums(double *sums, const float *moments, int N, int C, int group, int pixels, Strips s)
{
    __shared__ double sum[WIDE_BLOCK], square[WIDE_BLOCK];
    Place me = place_in(s, C);
    int g = (int)blockIdx.x, images = group_size(N, group, g);
    FIRST
    {
        double a = 0, b = 0;
        for (int i = me.lane; me.busy && i < images; i += s.lanes) {
            const float *from = moments + ((size_t)g * group + i) * 2 * C + me.channel;
            double mean = from[0];
            a += pixels * mean;
            b += from[C] + pixels * mean * mean;
        }
        sum[threadIdx.x] = a;
        square[threadIdx.x] = b;
    }
    THEN
    {
        if (me.busy && me.lane == 0) {
            double a = 0, b = 0, *to = sums + (size_t)g * 2 * C + me.channel;
            SUM_LANES(a, sum, s);
            SUM_LANES(b, square, s);
            to[0] = a;
            to[C] = b;
        }
    }
}

void cuda_bn_sums(Stream *s, Tensor sums, Tensor moments, int pixels, int group)
{
    int N = moments.n, C = moments.c, G = group_count(N, group);
    ASSERT(sums.dtype == F64 && sums.c == C && sums.n >= G);
    Strips strips = strips_of(C, WIDE_BLOCK);
    LAUNCH(s, 2, bn_sums, G, strips.count, WIDE_BLOCK, (double *)cuda_at(sums),
           (const float *)cuda_at(moments), N, C, group, pixels, strips);
}

/* A layer's parameters as a kernel sees them. */
typedef struct Norm {
    const float *gamma, *beta;
    float *running_mean, *running_var, *mean, *istd, eps, momentum;
    int group, relu;
} Norm;

static Norm norm_of(const BatchNorm *bn)
{
    Norm n;
    n.gamma = (const float *)cuda_at(bn->gamma), n.beta = (const float *)cuda_at(bn->beta);
    n.running_mean = (float *)cuda_at(bn->running_mean),
    n.running_var = (float *)cuda_at(bn->running_var);
    n.mean = (float *)cuda_at(bn->mean), n.istd = (float *)cuda_at(bn->istd);
    n.eps = bn->eps, n.momentum = bn->momentum, n.group = bn->group, n.relu = bn->relu;
    return n;
}

KERNEL bn_finish(Norm bn, const double *sums, int N, int C, double pixels, int update_running)
{
    FOR_EACH (c, (size_t)C) {
        int G = group_count(N, bn.group);
        double average_mean = 0, average_var = 0;
        for (int g = 0; g < G; g++) {
            const double *sum = sums + (size_t)g * 2 * C + c;
            double count = group_size(N, bn.group, g) * pixels, m = sum[0] / count,
                   var = sum[C] / count - m * m;
            var = var < 0 ? 0 : var; /* by rounding; NaN stays NaN */
            bn.mean[(size_t)g * C + c] = (float)m;
            bn.istd[(size_t)g * C + c] = (float)(1 / sqrt(var + bn.eps));
            average_mean += m / G;
            average_var += var * (count > 1 ? count / (count - 1) : 1) / G;
        }
        if (update_running) {
            bn.running_mean[c] += bn.momentum * ((float)average_mean - bn.running_mean[c]);
            bn.running_var[c] += bn.momentum * ((float)average_var - bn.running_var[c]);
        }
    }
}

void cuda_bn_finish(Stream *s, const BatchNorm *bn, Tensor sums, int N, int pixels, int ranks,
                    bool update_running)
{
    LAUNCH(s, 1, bn_finish, blocks_for(bn->gamma.n), 1, BLOCK, norm_of(bn),
           (const double *)cuda_at(sums), N, bn->gamma.n, (double)pixels * ranks, update_running);
}

KERNEL bn_running(Norm bn, int C)
{
    FOR_EACH (c, (size_t)C) {
        bn.mean[c] = bn.running_mean[c];
        bn.istd[c] = 1 / sqrtf(bn.running_var[c] + bn.eps);
    }
}

void cuda_bn_running(Stream *s, const BatchNorm *bn)
{
    LAUNCH(s, 1, bn_running, blocks_for(bn->gamma.n), 1, BLOCK, norm_of(bn), bn->gamma.n);
}

/* blockIdx.x is image * pieces + piece: lanes * PIXELS_PER_THREAD pixels of an image. */
KERNEL bn_forward(Act y, Norm bn, Act x, Act residual, Strips s, int pieces)
{
    Place me = place_in(s, x.c);
    int n = (int)blockIdx.x / pieces, pixels = x.h * x.w,
        first = (int)blockIdx.x % pieces * s.lanes * PIXELS_PER_THREAD;
    int end = first + s.lanes * PIXELS_PER_THREAD < pixels ? first + s.lanes * PIXELS_PER_THREAD
                                                           : pixels,
        c = me.channel;
    if (!me.busy)
        return;
    size_t row = (size_t)(n / bn.group) * x.c + c;
    float mean = bn.mean[row], scale = bn.gamma[c] * bn.istd[row], beta = bn.beta[c];
    for (int p = first + me.lane; p < end; p += s.lanes) {
        float v = (get(x, at_place(x, n, p) + c) - mean) * scale + beta;
        if (residual.at)
            v += get(residual, at_place(residual, n, p) + c);
        /* NaN is not below 0, and so stays NaN */
        put(y, at_place(y, n, p) + c, bn.relu && v < 0 ? 0 : v);
    }
}

void cuda_bn_forward(Stream *s, Tensor y, const BatchNorm *bn, Tensor x, Tensor residual)
{
    ASSERT(same_shape(y, x) && bn->gamma.n == x.c && x.c <= MAX_CHANNELS &&
           bn->mean.n >= group_count(x.n, bn->group));
    ASSERT(!given(residual) || same_shape(residual, x));
    Strips strips = strips_of(x.c, BLOCK);
    int pieces = div_up((long)x.h * x.w, strips.lanes * PIXELS_PER_THREAD);
    LAUNCH(s, 1, bn_forward, x.n * pieces, strips.count, BLOCK, act(y), norm_of(bn), act(x),
           act(residual), strips, pieces);
}
