/* cuda_activation.cu: GELU, SiLU and ReLU of x + bias, and back. A thread computes one element; the
 * bias's gradient is summed in pieces of the pixels, and then over the pieces. */
#include "cuda_kernel.h"

DEVICE float normal_below(float v) { return 0.5f * erfcf(v * -0.70710678f); }

DEVICE float value_of(float v, int f)
{
    if (f == ACTIVATION_GELU)
        return v * normal_below(v);
    if (f == ACTIVATION_SILU)
        return v / (1 + expf(-v));
    return v < 0 ? 0 : v; /* NaN stays NaN */
}

DEVICE float slope_of(float v, int f)
{
    if (f == ACTIVATION_GELU)
        return normal_below(v) + v * expf(-0.5f * v * v) * 0.39894228f;
    if (f == ACTIVATION_RELU)
        return v > 0 ? 1 : 0;
    float share = 1 / (1 + expf(-v));
    return share * (1 + v * (1 - share));
}

KERNEL act_forward(Act y, Act x, const float *bias, int f, size_t n)
{
    FOR_EACH (i, n)
        put(y, at_element(y, i),
            value_of(get(x, at_element(x, i)) + (bias ? bias[i % x.c] : 0), f));
}

static const float *elements(Tensor t) { return given(t) ? (const float *)cuda_at(t) : NULL; }

void cuda_act_forward(Stream *s, Tensor y, Tensor x, Tensor bias, Activation f)
{
    ASSERT(same_shape(y, x) && (!given(bias) || bias.n == x.c));
    LAUNCH(s, 1, act_forward, blocks_for(tensor_count(y)), 1, BLOCK, act(y), act(x), elements(bias),
           f, tensor_count(y));
}

KERNEL act_backward(Act dx, Act dy, Act x, const float *bias, int f, int add, size_t n)
{
    FOR_EACH (i, n) {
        float v = get(x, at_element(x, i)) + (bias ? bias[i % x.c] : 0);
        put_or_add(dx, at_element(dx, i), get(dy, at_element(dy, i)) * slope_of(v, f), add);
    }
}

/* The first of `count` pixels in piece `piece` of `pieces`; it ends where the next begins. */
DEVICE int piece_begin(int count, int piece, int pieces)
{
    return (int)((long)count * piece / pieces);
}

/* part [pieces,C] = the sums over the pixels of piece blockIdx.x. */
KERNEL bias_pieces(float *part, Act dy, Act x, const float *bias, int f, int pieces, Strips s)
{
    __shared__ float sum[WIDE_BLOCK];
    Place me = place_in(s, x.c);
    FIRST
    {
        int hw = x.h * x.w, pixels = x.n * hw, piece = (int)blockIdx.x,
            end = piece_begin(pixels, piece + 1, pieces);
        float a = 0;
        for (int p = piece_begin(pixels, piece, pieces) + me.lane; me.busy && p < end;
             p += s.lanes) {
            float v = get(x, at_place(x, p / hw, p % hw) + me.channel) + bias[me.channel];
            a += get(dy, at_place(dy, p / hw, p % hw) + me.channel) * slope_of(v, f);
        }
        sum[threadIdx.x] = a;
    }
    THEN
    {
        if (me.busy && me.lane == 0) {
            float a = 0;
            SUM_LANES(a, sum, s);
            part[(size_t)blockIdx.x * x.c + me.channel] = a;
        }
    }
}

KERNEL add_pieces(float *dbias, const float *part, int pieces, int C)
{
    FOR_EACH (c, (size_t)C) {
        double sum = 0;
        for (int i = 0; i < pieces; i++)
            sum += part[(size_t)i * C + c];
        dbias[c] += (float)sum;
    }
}

static void add_bias(Stream *s, Tensor dbias, Tensor dy, Tensor x, Tensor bias, Activation f)
{
    enum { PIECES = 512 }; /* of at most MAX_CHANNELS sums: they fit the scratch memory */
    static_assert(sizeof(float) * PIECES * MAX_CHANNELS <= SCRATCH_BYTES, "scratch is too small");
    ASSERT(x.c <= MAX_CHANNELS && (double)x.n * x.h * x.w <= INT32_MAX);
    Strips strips = strips_of(x.c, WIDE_BLOCK);
    int pixels = x.n * x.h * x.w, pieces = pixels < PIECES ? pixels : PIECES;
    float *part = (float *)cuda_scratch(s);
    LAUNCH(s, 2, bias_pieces, pieces, strips.count, WIDE_BLOCK, part, act(dy), act(x),
           elements(bias), f, pieces, strips);
    LAUNCH(s, 1, add_pieces, blocks_for((size_t)x.c), 1, BLOCK, (float *)cuda_at(dbias), part,
           pieces, x.c);
}

void cuda_act_backward(Stream *s, Tensor dx, Tensor dbias, Tensor dy, Tensor x, Tensor bias,
                       Activation f, bool add)
{
    ASSERT(same_shape(dy, x) && (!given(dx) || same_shape(dx, x)) && given(bias) == given(dbias));
    if (given(bias)) /* before dx, which may be dy */
        add_bias(s, dbias, dy, x, bias, f);
    if (given(dx))
        LAUNCH(s, 1, act_backward, blocks_for(tensor_count(dx)), 1, BLOCK, act(dx), act(dy), act(x),
               elements(bias), f, add, tensor_count(dx));
}
