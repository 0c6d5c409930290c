/* cuda_norm_backward.cu: batch normalisation, backward (backend.h).
 *
 * A group's pixels are cut into pieces; each piece's sums lie in the stream's scratch memory until
 * the block that is done last adds them up, in order: one launch, and the same bits each time.
 */
#include "cuda_norm.h"

/* Which elements' gradient g is dy, the others' being 0: all; where y > 0, the ReLU's; the same
 * without reading y, computed again from x. */
enum { ALL, BY_Y, BY_X };

typedef struct Gradient {
    Act dy, y, x;
    Norm bn;
    float least; /* y as stored is positive where it was above this: else it rounds to 0 */
} Gradient;

static int mask_of(const BatchNorm *bn) { return !bn->relu ? ALL : bn->y_of_x ? BY_X : BY_Y; }

static Gradient gradient_of(const BatchNorm *bn, Tensor dy, Tensor y, Tensor x)
{
    Gradient in = {act(dy), act(y), act(x), norm_of(bn), 0};
    in.least = y.dtype == F32 ? 0 : y.dtype == BF16 ? 0x1p-134f : 0x1p-25f;
    if (mask_of(bn) != BY_Y)
        in.y.at = NULL; /* not read */
    return in;
}

/* Calls f<V, mask>(…). */
#define BY_MASK(mask, f, ...) \
    do { \
        if ((mask) == ALL) \
            f<V, ALL>(__VA_ARGS__); \
        else if ((mask) == BY_Y) \
            f<V, BY_Y>(__VA_ARGS__); \
        else \
            f<V, BY_X>(__VA_ARGS__); \
    } while (0)

/* The next AHEAD accesses of the inputs. */
template <class V, int MASK> struct Inputs {
    V dy[V::AHEAD], y[V::AHEAD], x[V::AHEAD];
};
template <class V, int MASK>
DEVICE void load_inputs(Inputs<V, MASK> &to, const Gradient &in, size_t i, const Part &me)
{
    load_ahead(to.dy, in.dy, i, me);
    load_ahead(to.x, in.x, i, me);
    if (MASK == BY_Y)
        load_ahead(to.y, in.y, i, me);
}
/* Element c of the k-th of them. */
template <class V, int MASK>
DEVICE float gradient(const Inputs<V, MASK> &of, int k, int c, Coefficients q, float least)
{
    bool passes = MASK == ALL  ? true
                : MASK == BY_Y ? value(of.y[k], c) > 0
                               : normalised(value(of.x[k], c), q) > least;
    return passes ? value(of.dy[k], c) : 0;
}

/* ---- the sums ---- */

/* Is this block the last of `blocks` that come here? For one of its threads, behind a barrier. What
 * the others wrote before can then be read by all of the block's threads, behind another. The count
 * begins again at 0. */
DEVICE int is_last(unsigned *count, int blocks)
{
    __threadfence();
    int last = atomicInc(count, (unsigned)blocks - 1) == (unsigned)blocks - 1;
    __threadfence();
    return last;
}

/* A thread's sums: of g, and of g (x - mean). */
template <class V, int MASK>
DEVICE void sum_part(LaneSums &part, const Gradient &in, const Part &me)
{
    Coefficients q[V::WIDTH];
    Inputs<V, MASK> some;
    float a[V::WIDTH] = {0}, b[V::WIDTH] = {0};
    for (int c = 0; c < V::WIDTH; c++)
        q[c] = coefficients_of(in.bn, me.group, in.x.c, me.channel + c);
    for (size_t i = me.begin; i < me.end; i += V::AHEAD * me.step) {
        load_inputs(some, in, i, me);
        UNROLL
        for (int k = 0; k < V::AHEAD; k++)
            for (int c = 0; i + k * me.step < me.end && c < V::WIDTH; c++) {
                float g = gradient(some, k, c, q[c], in.least);
                a[c] += g;
                b[c] += g * (value(some.x[k], c) - q[c].mean);
            }
    }
    keep_sums<V>(part, a, b);
}

/* sums [G,2,C] and of_piece [G * pieces,2,C]: sum g, sum g xhat; of one group also added to dbeta
 * and dgamma. done [G,strips]: how many pieces are there. */
template <class V, int MASK>
KERNEL bn_backward_sums(double *sums, float *dbeta, float *dgamma, double *of_piece, unsigned *done,
                        Gradient in, NormCut cut)
{
    __shared__ LaneSums part;
    __shared__ int last;
    Part me = part_of<V>(cut, in.x, in.bn.group);
    int C = in.x.c, t = (int)threadIdx.x, channels = cut.accesses * V::WIDTH,
        c = (int)blockIdx.y * channels + t % channels;
    FIRST { sum_part<V, MASK>(part, in, me); }
    THEN { add_lanes<V>(part, cut); }
    LAST
    {
        if (t < channels) {
            double *to = of_piece + (size_t)blockIdx.x * 2 * C + c;
            to[0] = total(part.of_chunk[0], channels);
            to[C] = total(part.of_chunk[1], channels) * in.bn.istd[(size_t)me.group * C + c];
        }
    }
    /* then the last block of this group and strip: entry e is one of its channels' two sums */
    int entries = 2 * channels, e = t % entries;
    size_t group = (size_t)me.group * 2 * C, entry = (size_t)(e / channels) * C + c;
    NEXT(3)
    {
        if (t == 0)
            last = cut.pieces == 1 ||
                   is_last(done + (size_t)me.group * cut.strips + blockIdx.y, cut.pieces);
    }
    NEXT(4)
    {
        double sum = 0;
        for (int i = t / entries; last && i < cut.pieces; i += NORM_BLOCK / entries)
            sum += of_piece[group * cut.pieces + (size_t)i * 2 * C + entry];
        part.of_chunk[0][t] = sum;
    }
    NEXT(5)
    {
        if (last && t < entries) {
            double sum = total(part.of_chunk[0], entries);
            sums[group + entry] = sum;
            if (in.bn.group >= in.x.n)
                (e < channels ? dbeta : dgamma)[c] += (float)sum;
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

/* Of one piece, the sums are the group's. */
template <class V, int MASK>
static void launch_sums(Stream *s, double *sums, float *dgamma, float *dbeta, Gradient in, int G,
                        NormCut cut)
{
    LAUNCH(s, 6, (bn_backward_sums<V, MASK>), G * cut.pieces, cut.strips, NORM_BLOCK, sums, dbeta,
           dgamma, cut.pieces > 1 ? (double *)cuda_scratch(s) : sums, cuda_counters(s), in, cut);
}
template <class V>
static void start_sums_backward(Stream *s, double *sums, float *dgamma, float *dbeta, Gradient in,
                                int mask, int G, int images)
{
    NormCut cut = norm_sums_cut(in.x.c / V::WIDTH, G, (long)images * in.x.h * in.x.w, in.x.c,
                                SCRATCH_BYTES);
    BY_MASK(mask, launch_sums, s, sums, dgamma, dbeta, in, G, cut);
}

void cuda_bn_backward_sums(Stream *s, Tensor sums, const BatchNorm *bn, Tensor dgamma, Tensor dbeta,
                           Tensor dy, Tensor y, Tensor x)
{
    int C = x.c, G = group_count(x.n, bn->group);
    ASSERT(sums.dtype == F64 && sums.n >= G && sums.c == C && C <= MAX_CHANNELS &&
           same_shape(dy, x));
    Gradient in = gradient_of(bn, dy, y, x);
    const Act all[] = {in.dy, in.x, in.y};
    double *out = (double *)cuda_at(sums);
    float *gamma = (float *)cuda_at(dgamma), *beta = (float *)cuda_at(dbeta);
    BY_ACCESS(are_wide(all, 3, C), x.dtype, start_sums_backward, s, out, gamma, beta, in,
              mask_of(bn), G, group_size(x.n, bn->group, 0));
    if (G > 1)
        LAUNCH(s, 1, add_groups, blocks_for(C), 1, BLOCK, gamma, beta, (const double *)out, G, C);
}

/* ---- dx ---- */

/* dx = scale g + slope (x - mean) + offset */
typedef struct Slope {
    float slope, offset;
} Slope;
DEVICE Slope slope_of(const Gradient &in, const double *sums, int ranks, int g, int c)
{
    int C = in.x.c, images = group_size(in.x.n, in.bn.group, g);
    const double *sum = sums + (size_t)g * 2 * C + c;
    double each = 1 / ((double)images * in.x.h * in.x.w * ranks);
    float istd = in.bn.istd[(size_t)g * C + c], scale = coefficients_of(in.bn, g, C, c).scale;
    Slope s = {-scale * istd * (float)(sum[C] * each), -scale * (float)(sum[0] * each)};
    return s;
}

/* dresidual (+)= g */
template <class V> DEVICE void put_residual(Act dresidual, size_t at, const float *g, int add)
{
    V out;
    for (int c = 0; c < V::WIDTH; c++)
        set(out, c, g[c]);
    if (add) {
        V old;
        load(old, dresidual, at);
        for (int c = 0; c < V::WIDTH; c++)
            set(out, c, value(old, c) + g[c]);
    }
    store(dresidual, at, out);
}

/* Two blocks find room on a multiprocessor: at most 128 registers. */
template <class V, int MASK, bool ADD>
KERNEL __launch_bounds__(NORM_BLOCK, 2)
    bn_backward(Act dx, Act dresidual, Gradient in, const double *sums, int ranks, int add_residual,
                NormCut cut)
{
    __shared__ Coefficients of_channel[STRIP_WIDEST];
    __shared__ Slope slope_of_channel[STRIP_WIDEST];
    Part me = part_of<V>(cut, in.x, in.bn.group);
    FIRST
    {
        int channels = cut.accesses * V::WIDTH, t = (int)threadIdx.x,
            c = (int)blockIdx.y * channels + t;
        if (t < channels) {
            of_channel[t] = coefficients_of(in.bn, me.group, in.x.c, c);
            slope_of_channel[t] = slope_of(in, sums, ranks, me.group, c);
        }
    }
    THEN
    {
        Coefficients q[V::WIDTH];
        Slope r[V::WIDTH];
        Inputs<V, MASK> some;
        V old[V::AHEAD];
        for (int c = 0; c < V::WIDTH; c++)
            q[c] = of_channel[me.in_strip + c], r[c] = slope_of_channel[me.in_strip + c];
        for (size_t i = me.begin; i < me.end; i += V::AHEAD * me.step) {
            load_inputs(some, in, i, me);
            if (ADD)
                load_ahead(old, dx, i, me);
            UNROLL
            for (int k = 0; k < V::AHEAD; k++) {
                size_t at = i + k * me.step;
                if (at >= me.end)
                    break;
                V out;
                float g[V::WIDTH];
                for (int c = 0; c < V::WIDTH; c++) {
                    g[c] = gradient(some, k, c, q[c], in.least);
                    float d = fmaf(q[c].scale, g[c],
                                   fmaf(value(some.x[k], c) - q[c].mean, r[c].slope, r[c].offset));
                    set(out, c, ADD ? value(old[k], c) + d : d);
                }
                store(dx, at, out);
                if (dresidual.at)
                    put_residual<V>(dresidual, at, g, add_residual);
            }
        }
    }
}

template <class V, int MASK>
static void launch_backward(Stream *s, Act dx, Act dresidual, Gradient in, const double *sums,
                            int ranks, bool add, bool add_residual, int G, NormCut cut)
{
    if (add)
        LAUNCH(s, 2, (bn_backward<V, MASK, true>), G * cut.pieces, cut.strips, NORM_BLOCK, dx,
               dresidual, in, sums, ranks, add_residual, cut);
    else
        LAUNCH(s, 2, (bn_backward<V, MASK, false>), G * cut.pieces, cut.strips, NORM_BLOCK, dx,
               dresidual, in, sums, ranks, add_residual, cut);
}
template <class V>
static void start_backward(Stream *s, Act dx, Act dresidual, Gradient in, const double *sums,
                           int mask, int ranks, bool add, bool add_residual, int G, int images)
{
    NormCut cut = norm_cut(in.x.c / V::WIDTH, G, (long)images * in.x.h * in.x.w, LEAST_BLOCKS,
                           MOST_BLOCKS);
    BY_MASK(mask, launch_backward, s, dx, dresidual, in, sums, ranks, add, add_residual, G, cut);
}

void cuda_bn_backward(Stream *s, Tensor dx, Tensor dresidual, const BatchNorm *bn, Tensor sums,
                      Tensor dy, Tensor y, Tensor x, int ranks, bool add, bool add_residual)
{
    ASSERT(same_shape(dx, x) && same_shape(dy, x) && x.c <= MAX_CHANNELS &&
           (!bn->relu || same_shape(y, x)));
    Gradient in = gradient_of(bn, dy, y, x);
    const Act all[] = {act(dx), act(dresidual), in.dy, in.x, in.y};
    BY_ACCESS(are_wide(all, 5, x.c), x.dtype, start_backward, s, all[0], all[1], in,
              (const double *)cuda_at(sums), mask_of(bn), ranks, add, add_residual,
              group_count(x.n, bn->group), group_size(x.n, bn->group, 0));
}
