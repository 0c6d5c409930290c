/* cuda_norm.cu: batch normalisation, forward, in groups of images (backend.h).
 *
 * Statistics go in two stages, as on the CPU: per image and channel in float32, of differences from
 * the image's first pixel (no cancellation), then over a group's images as plain sums in float64,
 * which ranks can add.
 */
#include "cuda_norm.h"

/* blockIdx.x is the image. */
template <class V> KERNEL image_moments(float *moments, Act x, NormCut cut)
{
    __shared__ LaneSums sums;
    FIRST
    {
        Part me = part_of<V>(cut, x, 1);
        V shift, some[V::AHEAD];
        float a[V::WIDTH] = {0}, b[V::WIDTH] = {0};
        load(shift, x, me.first);
        for (size_t i = me.begin; i < me.end; i += V::AHEAD * me.step) {
            load_ahead(some, x, i, me);
            UNROLL
            for (int k = 0; k < V::AHEAD; k++)
                for (int c = 0; i + k * me.step < me.end && c < V::WIDTH; c++) {
                    float d = value(some[k], c) - value(shift, c);
                    a[c] += d;
                    b[c] += d * d;
                }
        }
        keep_sums<V>(sums, a, b);
    }
    THEN { add_lanes<V>(sums, cut); }
    LAST
    {
        int channels = cut.accesses * V::WIDTH, pixels = x.h * x.w, t = (int)threadIdx.x;
        if (t < channels) {
            int c = (int)blockIdx.y * channels + t, n = (int)blockIdx.x;
            double a = total(sums.of_chunk[0], channels), b = total(sums.of_chunk[1], channels);
            float *to = moments + (size_t)n * 2 * x.c + c;
            to[0] = get(x, at_place(x, n, 0) + c) + (float)(a / pixels);
            to[x.c] = (float)(b - a * (a / pixels));
        }
    }
}

template <class V> static void start_moments(Stream *s, Tensor moments, Tensor x)
{
    NormCut cut = norm_cut(x.c / V::WIDTH, x.n, (long)x.h * x.w, 0, 0);
    LAUNCH(s, 3, image_moments<V>, x.n, cut.strips, NORM_BLOCK, (float *)cuda_at(moments), act(x),
           cut);
}

void cuda_image_moments(Stream *s, Tensor moments, Tensor x)
{
    ASSERT(moments.n == x.n && moments.h == 2 && moments.c == x.c && x.c <= MAX_CHANNELS);
    const Act all[] = {act(x)};
    BY_ACCESS(are_wide(all, 1, x.c), x.dtype, start_moments, s, moments, x);
}

/* ---- the statistics: of a group, from its images' moments ---- */

/* A channel's mean and istd in each group, and its running statistics. */
DEVICE void finish_channel(Norm bn, const double *sums, int N, int C, double pixels,
                           int update_running, int c)
{
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

/* blockIdx.x is the group, blockIdx.y a strip of NARROW channels; lanes take the group's images.
 * finish: there is one group, and its sums are complete. */
enum { NARROW = 16, IMAGE_LANES = WIDE_BLOCK / NARROW };
KERNEL bn_sums(double *sums, const float *moments, Norm bn, int N, int C, int pixels, int finish,
               int update_running)
{
    __shared__ double sum[WIDE_BLOCK], square[WIDE_BLOCK];
    int g = (int)blockIdx.x, images = group_size(N, bn.group, g), t = (int)threadIdx.x,
        c = (int)blockIdx.y * NARROW + t % NARROW;
    FIRST
    {
        double a = 0, b = 0;
        UNROLL_BY(8)
        for (int i = t / NARROW; i < (c < C ? images : 0); i += IMAGE_LANES) {
            const float *from = moments + ((size_t)g * bn.group + i) * 2 * C + c;
            double mean = from[0];
            a += pixels * mean;
            b += from[C] + pixels * mean * mean;
        }
        sum[t] = a;
        square[t] = b;
    }
    THEN
    {
        if (t < NARROW && c < C) {
            double a = 0, b = 0, *to = sums + (size_t)g * 2 * C + c;
            for (int lane = 0; lane < IMAGE_LANES; lane++) {
                a += sum[lane * NARROW + t];
                b += square[lane * NARROW + t];
            }
            to[0] = a;
            to[C] = b;
            if (finish)
                finish_channel(bn, sums, N, C, pixels, update_running, c);
        }
    }
}

static void start_sums(Stream *s, Tensor sums, Tensor moments, Norm bn, int pixels, int finish,
                       int update_running)
{
    int N = moments.n, C = moments.c, G = group_count(N, bn.group);
    ASSERT(sums.dtype == F64 && sums.c == C && sums.n >= G);
    LAUNCH(s, 2, bn_sums, G, div_up(C, NARROW), WIDE_BLOCK, (double *)cuda_at(sums),
           (const float *)cuda_at(moments), bn, N, C, pixels, finish, update_running);
}

void cuda_bn_sums(Stream *s, Tensor sums, Tensor moments, int pixels, int group)
{
    Norm bn = {};
    bn.group = group;
    start_sums(s, sums, moments, bn, pixels, false, false);
}

void cuda_bn_statistics(Stream *s, const BatchNorm *bn, Tensor sums, Tensor moments, int pixels,
                        bool update_running)
{
    int N = moments.n;
    bool one_group = group_count(N, bn->group) == 1;
    start_sums(s, sums, moments, norm_of(bn), pixels, one_group, update_running);
    if (!one_group)
        cuda_bn_finish(s, bn, sums, N, pixels, 1, update_running);
}

KERNEL bn_finish(Norm bn, const double *sums, int N, int C, double pixels, int update_running)
{
    FOR_EACH (c, (size_t)C)
        finish_channel(bn, sums, N, C, pixels, update_running, (int)c);
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

/* ---- y ---- */

/* lowest: y's least value, 0 for the ReLU. NaN is not below it, and so stays NaN. */
template <class V, bool RESIDUAL>
KERNEL bn_forward(Act y, Norm bn, Act x, Act residual, float lowest, NormCut cut)
{
    __shared__ Coefficients of_channel[STRIP_WIDEST];
    Part me = part_of<V>(cut, x, bn.group);
    FIRST
    {
        int channels = cut.accesses * V::WIDTH, t = (int)threadIdx.x;
        if (t < channels)
            of_channel[t] = coefficients_of(bn, me.group, x.c, (int)blockIdx.y * channels + t);
    }
    THEN
    {
        Coefficients q[V::WIDTH];
        V some[V::AHEAD], skip[V::AHEAD];
        for (int c = 0; c < V::WIDTH; c++)
            q[c] = of_channel[me.in_strip + c];
        for (size_t i = me.begin; i < me.end; i += V::AHEAD * me.step) {
            load_ahead(some, x, i, me);
            if (RESIDUAL)
                load_ahead(skip, residual, i, me);
            UNROLL
            for (int k = 0; k < V::AHEAD; k++) {
                if (i + k * me.step >= me.end)
                    break;
                V out;
                for (int c = 0; c < V::WIDTH; c++) {
                    float v = normalised(value(some[k], c), q[c]);
                    if (RESIDUAL)
                        v += value(skip[k], c);
                    set(out, c, v < lowest ? lowest : v);
                }
                store(y, i + k * me.step, out);
            }
        }
    }
}

template <class V>
static void start_forward(Stream *s, Tensor y, const BatchNorm *bn, Tensor x, Tensor residual)
{
    int G = group_count(x.n, bn->group), images = group_size(x.n, bn->group, 0);
    NormCut cut = norm_cut(x.c / V::WIDTH, G, (long)images * x.h * x.w, LEAST_BLOCKS, MOST_BLOCKS);
    float lowest = bn->relu ? 0 : -INFINITY;
    if (given(residual))
        LAUNCH(s, 2, (bn_forward<V, true>), G * cut.pieces, cut.strips, NORM_BLOCK, act(y),
               norm_of(bn), act(x), act(residual), lowest, cut);
    else
        LAUNCH(s, 2, (bn_forward<V, false>), G * cut.pieces, cut.strips, NORM_BLOCK, act(y),
               norm_of(bn), act(x), act(residual), lowest, cut);
}

void cuda_bn_forward(Stream *s, Tensor y, const BatchNorm *bn, Tensor x, Tensor residual)
{
    ASSERT(same_shape(y, x) && bn->gamma.n == x.c && x.c <= MAX_CHANNELS &&
           bn->mean.n >= group_count(x.n, bn->group));
    ASSERT(!given(residual) || same_shape(residual, x));
    const Act all[] = {act(y), act(x), act(residual)};
    BY_ACCESS(are_wide(all, 3, x.c), x.dtype, start_forward, s, y, bn, x, residual);
}
