/* cuda_norm.h: shared by batch norm's kernels.
 *
 * A block has one strip of channels and one piece of a group's pixels (cuda_plan.h: NormCut). A
 * thread keeps to one access of the strip (cuda_wide.h), so that its channels' coefficients stay in
 * registers, and takes every lanes-th pixel, AHEAD of them at a time: their loads are in flight
 * together, which is what memory needs to be busy.
 */
#ifndef CUDA_NORM_H
#define CUDA_NORM_H
#include "cuda_wide.h"

enum { STRIP_WIDEST = STRIP_ACCESSES * WIDEST };

/* A layer's parameters as a kernel sees them. */
typedef struct Norm {
    const float *gamma, *beta;
    float *running_mean, *running_var, *mean, *istd, eps, momentum;
    int group;
} Norm;

static inline Norm norm_of(const BatchNorm *bn)
{
    Norm n;
    n.gamma = (const float *)cuda_at(bn->gamma), n.beta = (const float *)cuda_at(bn->beta);
    n.running_mean = (float *)cuda_at(bn->running_mean),
    n.running_var = (float *)cuda_at(bn->running_var);
    n.mean = (float *)cuda_at(bn->mean), n.istd = (float *)cuda_at(bn->istd);
    n.eps = bn->eps, n.momentum = bn->momentum, n.group = bn->group;
    return n;
}

/* A thread's part: accesses begin, begin + step, … before end. */
typedef struct Part {
    size_t first, begin, end, step; /* first: lane 0's begin */
    int group, channel, in_strip;   /* the first of its channels: in the tensor, in the strip */
} Part;

/* blockIdx.x is group * pieces + piece, blockIdx.y the strip. */
template <class V> DEVICE Part part_of(NormCut cut, Act x, int group)
{
    int pixels = x.h * x.w, row = x.c / V::WIDTH, g = (int)blockIdx.x / cut.pieces,
        lane = (int)threadIdx.x / cut.accesses, access = (int)threadIdx.x % cut.accesses;
    size_t from = (size_t)((int)blockIdx.x % cut.pieces) * cut.length, to = from + cut.length,
           count = (size_t)group_size(x.n, group, g) * pixels, before = (size_t)g * group * pixels;
    int first = (int)blockIdx.y * cut.accesses + access;
    Part p;
    p.first = (before + from) * row + first;
    p.begin = p.first + (size_t)lane * row;
    p.end = (before + (to < count ? to : count)) * row;
    p.step = (size_t)cut.lanes * row;
    p.group = g, p.channel = first * V::WIDTH, p.in_strip = access * V::WIDTH;
    return p;
}

/* The next AHEAD accesses of a from i on; in place of those beyond the end the first again. */
template <class V> DEVICE void load_ahead(V *to, Act a, size_t i, const Part &p)
{
    UNROLL
    for (int k = 0; k < V::AHEAD; k++) {
        size_t at = i + k * p.step;
        load(to[k], a, at < p.end ? at : i);
    }
}

/* ---- a channel's coefficients in a group ---- */
typedef struct Coefficients {
    float mean, scale, beta;
} Coefficients;
DEVICE Coefficients coefficients_of(Norm bn, int g, int C, int c)
{
    size_t at = (size_t)g * C + c;
    Coefficients q = {bn.mean[at], bn.gamma[c] * bn.istd[at], bn.beta[c]};
    return q;
}
/* y before the residual and the ReLU. The backward pass may compute it again, and gets the same
 * bits: fmaf leaves the compiler no choice. */
DEVICE float normalised(float x, Coefficients q) { return fmaf(x - q.mean, q.scale, q.beta); }

/* ---- two sums for each channel of the strip: in float32 by each thread, then over the lanes in
 * float64, in three phases, always in the same order ---- */
typedef struct LaneSums {
    float of_lane[2][NORM_BLOCK * WIDEST]; /* [lane][channel of the strip] */
    double of_chunk[2][NORM_BLOCK];        /* [chunk of WIDTH lanes][channel] */
} LaneSums;

/* A thread's own. */
template <class V> DEVICE void keep_sums(LaneSums &s, const float *a, const float *b)
{
    for (int c = 0; c < V::WIDTH; c++) {
        s.of_lane[0][threadIdx.x * V::WIDTH + c] = a[c];
        s.of_lane[1][threadIdx.x * V::WIDTH + c] = b[c];
    }
}
/* Each thread had WIDTH channels of one lane; now it takes one channel of WIDTH lanes. */
template <class V> DEVICE void add_lanes(LaneSums &s, NormCut cut)
{
    int channels = cut.accesses * V::WIDTH, t = (int)threadIdx.x,
        from = t / channels * channels * V::WIDTH + t % channels;
    for (int q = 0; q < 2; q++) {
        double sum = 0;
        for (int lane = 0; lane < V::WIDTH; lane++)
            sum += s.of_lane[q][from + lane * channels];
        s.of_chunk[q][t] = sum;
    }
}
/* Of this thread's channel of the strip; only the first `channels` threads have one. */
DEVICE double total(const double *of_chunk, int channels)
{
    double sum = 0;
    for (int i = (int)threadIdx.x; i < NORM_BLOCK; i += channels)
        sum += of_chunk[i];
    return sum;
}
#endif
