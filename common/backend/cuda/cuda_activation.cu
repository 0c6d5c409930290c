/* cuda_activation.cu: GELU, SiLU and ReLU of x + bias, and back. The bias's gradient is summed in
 * pieces of the pixels, as batch norm's sums are, and then over the pieces. */
#include "cuda_norm.h"
#include "cuda_pieces.h"

DEVICE float normal_below(float v) { return 0.5f + 0.5f * erff(v * 0.70710678f); }

/* (1 + tanh(u/2)) / 2 of GPT-2's u = 2 sqrt(2/pi) (v + 0.044715 v^3) */
DEVICE float tanh_share(float v)
{
    return 1 / (1 + expf(-v * (1.59576912f + 0.07135481f * v * v)));
}

DEVICE float value_of(float v, int f)
{
    if (f == ACTIVATION_GELU)
        return v * normal_below(v);
    if (f == ACTIVATION_SILU)
        return v / (1 + expf(-v));
    if (f == ACTIVATION_GELU_TANH)
        return v * tanh_share(v);
    return v < 0 ? 0 : v; /* NaN stays NaN */
}

DEVICE float slope_at(float v, int f)
{
    if (f == ACTIVATION_GELU)
        return normal_below(v) + v * expf(-0.5f * v * v) * 0.39894228f;
    if (f == ACTIVATION_RELU)
        return v > 0 ? 1 : 0;
    bool tanh = f == ACTIVATION_GELU_TANH;
    float share = tanh ? tanh_share(v) : 1 / (1 + expf(-v)),
          slope = tanh ? 1.59576912f + 3 * 0.07135481f * v * v : 1;
    return share * (1 + v * (1 - share) * slope);
}

template <class V> KERNEL act_forward(Act y, Act x, const float *bias, int f, int each)
{
    FOR_EACH_ACCESS(n, i, x.n, each)
    {
        size_t at = (size_t)n * each + i;
        int c = i * V::WIDTH % x.c;
        V some, out;
        load(some, x, at);
        UNROLL
        for (int k = 0; k < V::WIDTH; k++)
            set(out, k, value_of(value(some, k) + (bias ? bias[c + k] : 0), f));
        store(y, at, out);
    }
}

static const float *elements(Tensor t) { return given(t) ? (const float *)cuda_at(t) : NULL; }

template <class V> static int accesses_of(Tensor x) { return x.h * x.w * x.c / V::WIDTH; }

template <class V>
static void start_act_forward(Stream *s, Tensor y, Tensor x, const float *bias, Activation f)
{
    int each = accesses_of<V>(x);
    LAUNCH(s, 1, act_forward<V>, div_up(each, BLOCK), each_image(x.n), BLOCK, act(y), act(x), bias,
           f, each);
}

void cuda_act_forward(Stream *s, Tensor y, Tensor x, Tensor bias, Activation f)
{
    ASSERT(same_shape(y, x) && (!given(bias) || bias.n == x.c));
    const Act all[] = {act(y), act(x)};
    BY_ACCESS(are_wide(all, 2, x.c), x.dtype, start_act_forward, s, y, x, elements(bias), f);
}

template <class V>
KERNEL act_backward(Act dx, Act dy, Act x, const float *bias, int f, int add, int each)
{
    FOR_EACH_ACCESS(n, i, x.n, each)
    {
        size_t at = (size_t)n * each + i;
        int c = i * V::WIDTH % x.c;
        V some, g, out = nothing<V>();
        load(some, x, at);
        load(g, dy, at);
        if (add)
            load(out, dx, at);
        UNROLL
        for (int k = 0; k < V::WIDTH; k++) {
            float d = value(g, k) * slope_at(value(some, k) + (bias ? bias[c + k] : 0), f);
            set(out, k, add ? value(out, k) + d : d);
        }
        store(dx, at, out);
    }
}

template <class V>
static void start_act_backward(Stream *s, Tensor dx, Tensor dy, Tensor x, const float *bias,
                               Activation f, bool add)
{
    int each = accesses_of<V>(x);
    LAUNCH(s, 1, act_backward<V>, div_up(each, BLOCK), each_image(x.n), BLOCK, act(dx), act(dy),
           act(x), bias, f, add, each);
}

/* part [pieces,C] = the sums over the pixels of piece blockIdx.x. */
template <class V>
KERNEL bias_pieces(float *part, Act dy, Act x, const float *bias, int f, NormCut cut)
{
    __shared__ LaneSums sums;
    FIRST
    {
        Part me = part_of<V>(cut, x, x.n);
        V some[V::AHEAD], g[V::AHEAD];
        float a[V::WIDTH] = {0}, b[V::WIDTH] = {0};
        for (int c = 0; c < V::WIDTH; c++)
            b[c] = bias[me.channel + c];
        for (size_t i = me.begin; i < me.end; i += V::AHEAD * me.step) {
            load_ahead(some, x, i, me);
            load_ahead(g, dy, i, me);
            UNROLL
            for (int k = 0; k < V::AHEAD; k++)
                for (int c = 0; i + k * me.step < me.end && c < V::WIDTH; c++)
                    a[c] += value(g[k], c) * slope_at(value(some[k], c) + b[c], f);
        }
        keep_sums<V>(sums, a, a);
    }
    THEN { add_lanes<V>(sums, cut); }
    LAST
    {
        int channels = cut.accesses * V::WIDTH, t = (int)threadIdx.x;
        if (t < channels)
            part[(size_t)blockIdx.x * x.c + (int)blockIdx.y * channels + t] =
                (float)total(sums.of_chunk[0], channels);
    }
}

template <class V>
static void add_bias(Stream *s, Tensor dbias, Tensor dy, Tensor x, Tensor bias, Activation f)
{
    float *part = (float *)cuda_scratch(s);
    NormCut cut = norm_sums_cut(x.c / V::WIDTH, 1, (long)x.n * x.h * x.w, x.c, SCRATCH_BYTES);
    LAUNCH(s, 3, bias_pieces<V>, cut.pieces, cut.strips, NORM_BLOCK, part, act(dy), act(x),
           elements(bias), f, cut);
    LAUNCH(s, 1, add_pieces, blocks_for((size_t)x.c), 1, BLOCK, (float *)cuda_at(dbias), part,
           cut.pieces, (size_t)x.c, x.c);
}

void cuda_act_backward(Stream *s, Tensor dx, Tensor dbias, Tensor dy, Tensor x, Tensor bias,
                       Activation f, bool add)
{
    ASSERT(same_shape(dy, x) && (!given(dx) || same_shape(dx, x)) && given(bias) == given(dbias) &&
           x.c <= MAX_CHANNELS);
    const Act all[] = {act(dy), act(x), given(dx) ? act(dx) : act(x)};
    if (given(bias)) /* before dx, which may be dy */
        BY_ACCESS(are_wide(all, 2, x.c), x.dtype, add_bias, s, dbias, dy, x, bias, f);
    if (given(dx))
        BY_ACCESS(are_wide(all, 3, x.c), x.dtype, start_act_backward, s, dx, dy, x, elements(bias),
                  f, add);
}
