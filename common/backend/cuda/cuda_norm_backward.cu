/* cuda_norm_backward.cu: batch normalisation, backward (backend.h). A group's images are cut into
 * pieces; each piece's sums lie in the stream's scratch memory until they are added up, in
 * order. */
#include "cuda_kernel.h"

/* A kernel's inputs for an element's gradient: g = dy where the ReLU passed it. out.at NULL: no
 * ReLU. */
typedef struct Gradient {
    Act dy, out, x;
    const float *mean, *istd;
    int group;
} Gradient;

static Gradient gradient_of(const BatchNorm *bn, Tensor dy, Tensor y, Tensor x)
{
    Gradient g;
    g.dy = act(dy), g.out = act(y), g.x = act(x);
    if (!bn->relu)
        g.out.at = NULL;
    g.mean = (const float *)cuda_at(bn->mean), g.istd = (const float *)cuda_at(bn->istd),
    g.group = bn->group;
    return g;
}

DEVICE float gradient_at(Gradient q, int n, int p, int c)
{
    if (q.out.at && !(get(q.out, at_place(q.out, n, p) + c) > 0))
        return 0;
    return get(q.dy, at_place(q.dy, n, p) + c);
}

/* blockIdx.x is group * pieces + piece. to [G * pieces,2,C]: sum g, sum g xhat. */
KERNEL bn_backward_sums(double *to, Gradient q, int pieces, Strips s)
{
    __shared__ double sum[WIDE_BLOCK], slope[WIDE_BLOCK];
    int C = q.x.c, pixels = q.x.h * q.x.w, g = (int)blockIdx.x / pieces,
        piece = (int)blockIdx.x % pieces;
    int images = group_size(q.x.n, q.group, g), n0 = g * q.group,
        end = n0 + piece_begin(images, piece + 1, pieces);
    Place me = place_in(s, C);
    FIRST
    {
        double a = 0, b = 0;
        float mean = me.busy ? q.mean[(size_t)g * C + me.channel] : 0;
        for (int n = n0 + piece_begin(images, piece, pieces); me.busy && n < end; n++) {
            float of_image = 0, of_slope = 0;
            for (int p = me.lane; p < pixels; p += s.lanes) {
                float v = gradient_at(q, n, p, me.channel);
                of_image += v;
                of_slope += v * (get(q.x, at_place(q.x, n, p) + me.channel) - mean);
            }
            a += of_image;
            b += of_slope;
        }
        sum[threadIdx.x] = a;
        slope[threadIdx.x] = b;
    }
    THEN
    {
        if (me.busy && me.lane == 0) {
            double a = 0, b = 0, *out = to + (size_t)blockIdx.x * 2 * C + me.channel;
            SUM_LANES(a, sum, s);
            SUM_LANES(b, slope, s);
            out[0] = a;
            out[C] = b * q.istd[(size_t)g * C + me.channel];
        }
    }
}

/* sums [G,2,C] from the pieces' [G * pieces,2,C]; here a "channel" is one of a group's 2C.
 * blockIdx.x is the group. */
KERNEL add_pieces(double *sums, const double *of_piece, int entries, int pieces, Strips s)
{
    __shared__ double sum[WIDE_BLOCK];
    Place me = place_in(s, entries);
    const double *from = of_piece + (size_t)blockIdx.x * pieces * entries + me.channel;
    FIRST
    {
        double a = 0;
        for (int i = me.lane; me.busy && i < pieces; i += s.lanes)
            a += from[(size_t)i * entries];
        sum[threadIdx.x] = a;
    }
    THEN
    {
        if (me.busy && me.lane == 0) {
            double a = 0;
            SUM_LANES(a, sum, s);
            sums[(size_t)blockIdx.x * entries + me.channel] = a;
        }
    }
}

/* dgamma, dbeta += the sums over all groups. */
KERNEL add_groups(float *dgamma, float *dbeta, const double *sums, int G, int C)
{
    FOR_EACH (c, (size_t)C) {
        double beta = 0, gamma = 0;
        for (int g = 0; g < G; g++) {
            beta += sums[(size_t)g * 2 * C + c];
            gamma += sums[(size_t)g * 2 * C + C + c];
        }
        dbeta[c] += (float)beta;
        dgamma[c] += (float)gamma;
    }
}

void cuda_bn_backward_sums(Stream *s, Tensor sums, const BatchNorm *bn, Tensor dgamma, Tensor dbeta,
                           Tensor dy, Tensor y, Tensor x)
{
    int C = x.c, G = group_count(x.n, bn->group);
    int pieces = norm_pieces(bn->group < x.n ? bn->group : x.n, G, C, SCRATCH_BYTES);
    ASSERT(sums.dtype == F64 && sums.n >= G && sums.c == C && C <= MAX_CHANNELS &&
           same_shape(dy, x));
    Strips strips = strips_of(C, WIDE_BLOCK), wide = strips_of(2 * C, WIDE_BLOCK);
    double *out = (double *)cuda_at(sums), *of_piece = pieces > 1 ? (double *)cuda_scratch(s) : out;
    LAUNCH(s, 2, bn_backward_sums, G * pieces, strips.count, WIDE_BLOCK, of_piece,
           gradient_of(bn, dy, y, x), pieces, strips);
    if (pieces > 1)
        LAUNCH(s, 2, add_pieces, G, wide.count, WIDE_BLOCK, out, (const double *)of_piece, 2 * C,
               pieces, wide);
    LAUNCH(s, 1, add_groups, blocks_for(C), 1, BLOCK, (float *)cuda_at(dgamma),
           (float *)cuda_at(dbeta), (const double *)out, G, C);
}

/* blockIdx.x is image * pieces + piece: lanes * PIXELS_PER_THREAD pixels of an image. */
KERNEL bn_backward(Act dx, Act dresidual, Gradient q, const float *gamma, const double *sums,
                   int ranks, int add, int add_residual, Strips s, int pieces)
{
    int C = q.x.c, n = (int)blockIdx.x / pieces, pixels = q.x.h * q.x.w, g = n / q.group;
    int first = (int)blockIdx.x % pieces * s.lanes * PIXELS_PER_THREAD;
    int end = first + s.lanes * PIXELS_PER_THREAD < pixels ? first + s.lanes * PIXELS_PER_THREAD
                                                           : pixels;
    Place me = place_in(s, C);
    if (!me.busy)
        return;
    int c = me.channel;
    double count = (double)group_size(q.x.n, q.group, g) * pixels * ranks;
    float mean = q.mean[(size_t)g * C + c], istd = q.istd[(size_t)g * C + c],
          scale = gamma[c] * istd;
    float mean_g = (float)(sums[(size_t)g * 2 * C + c] / count);
    float slope = (float)(sums[(size_t)g * 2 * C + C + c] / count) * istd;
    for (int p = first + me.lane; p < end; p += s.lanes) {
        float v = gradient_at(q, n, p, c);
        float d = scale * (v - mean_g - (get(q.x, at_place(q.x, n, p) + c) - mean) * slope);
        put_or_add(dx, at_place(dx, n, p) + c, d, add);
        if (dresidual.at)
            put_or_add(dresidual, at_place(dresidual, n, p) + c, v, add_residual);
    }
}

void cuda_bn_backward(Stream *s, Tensor dx, Tensor dresidual, const BatchNorm *bn, Tensor sums,
                      Tensor dy, Tensor y, Tensor x, int ranks, bool add, bool add_residual)
{
    ASSERT(same_shape(dx, x) && same_shape(dy, x) && x.c <= MAX_CHANNELS &&
           (!bn->relu || same_shape(y, x)));
    Strips strips = strips_of(x.c, BLOCK);
    int pieces = div_up((long)x.h * x.w, strips.lanes * PIXELS_PER_THREAD);
    LAUNCH(s, 1, bn_backward, x.n * pieces, strips.count, BLOCK, act(dx), act(dresidual),
           gradient_of(bn, dy, y, x), (const float *)cuda_at(bn->gamma),
           (const double *)cuda_at(sums), ranks, add, add_residual, strips, pieces);
}
