/* cuda_attention.cu: causal self-attention. A thread has one query of one head (or, for the
 * gradients of keys and values, one key), its vectors in registers, and walks over the keys up to
 * it (or the queries from it on). The threads of a warp read the same key at the same time, so that
 * one access serves all. No T x T matrix is written: the softmax is rescaled whenever its maximum
 * grows (Milakov & Gimelshein, arXiv 1805.02867). */
#include "cuda_kernel.h"

enum { ROWS = 64 }; /* queries, or keys, of a block */

/* Rows of qkv are 3C floats, of y C floats; a head is d of them. */
typedef struct Heads {
    int T, C, heads, d;
    float scale;
} Heads;

/* This thread's row t, and where row 0 of its head lies. */
typedef struct HeadRow {
    int t;
    size_t qkv, y, saved;
} HeadRow;
DEVICE HeadRow row_of(Heads a)
{
    HeadRow r;
    size_t n = blockIdx.x / a.heads, h = blockIdx.x % a.heads;
    r.t = (int)(blockIdx.y * ROWS + threadIdx.x);
    r.qkv = n * a.T * 3 * a.C + h * a.d;
    r.y = n * a.T * a.C + h * a.d;
    r.saved = (size_t)blockIdx.x * a.T * 2;
    return r;
}

#ifdef __CUDACC__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif
/* Over a head's channels; D, a constant, is at least d. */
#define FOR_CHANNELS(c) UNROLL for (int c = 0; c < D; c++) if (c < a.d)

/* to [D] = from [d], and 0s. */
template <int D> DEVICE void load(float *to, const float *from, Heads a)
{
    UNROLL
    for (int c = 0; c < D; c++)
        to[c] = c < a.d ? from[c] : 0;
}
template <int D> DEVICE float dot(const float *x, const float *y, Heads a)
{
    float sum = 0;
    FOR_CHANNELS(c) sum += x[c] * y[c];
    return sum;
}
template <int D> DEVICE void add_scaled(float *sum, float by, const float *x, Heads a)
{
    FOR_CHANNELS(c) sum[c] += by * x[c];
}

template <int D> KERNEL attention_forward(float *y, float *saved, const float *qkv, Heads a)
{
    HeadRow r = row_of(a);
    if (r.t >= a.T)
        return;
    const float *q_at = qkv + r.qkv, *k_at = q_at + a.C, *v_at = k_at + a.C;
    float q[D], sum[D] = {0}, most = -INFINITY, all = 0;
    load<D>(q, q_at + (size_t)r.t * 3 * a.C, a);
    for (int j = 0; j <= r.t; j++) {
        size_t key = (size_t)j * 3 * a.C;
        float score = a.scale * dot<D>(q, k_at + key, a);
        if (score > most) {
            float smaller = expf(most - score);
            most = score;
            all *= smaller;
            FOR_CHANNELS(c) sum[c] *= smaller;
        }
        float p = expf(score - most);
        all += p;
        add_scaled<D>(sum, p, v_at + key, a);
    }
    FOR_CHANNELS(c) y[r.y + (size_t)r.t * a.C + c] = sum[c] / all;
    saved[r.saved + 2 * r.t] = most + logf(all);
}

/* Also the second of `saved`: dy . y, for the keys' gradients. */
template <int D>
KERNEL query_gradients(float *dqkv, float *saved, const float *dy, const float *y, const float *qkv,
                       Heads a, int add)
{
    HeadRow r = row_of(a);
    if (r.t >= a.T)
        return;
    const float *q_at = qkv + r.qkv, *k_at = q_at + a.C, *v_at = k_at + a.C;
    size_t own = r.y + (size_t)r.t * a.C;
    float q[D], g[D], dq[D] = {0}, log = saved[r.saved + 2 * r.t];
    load<D>(q, q_at + (size_t)r.t * 3 * a.C, a);
    load<D>(g, dy + own, a);
    float mean = dot<D>(g, y + own, a);
    for (int j = 0; j <= r.t; j++) {
        size_t key = (size_t)j * 3 * a.C;
        float p = expf(a.scale * dot<D>(q, k_at + key, a) - log);
        float ds = p * (dot<D>(g, v_at + key, a) - mean) * a.scale;
        add_scaled<D>(dq, ds, k_at + key, a);
    }
    saved[r.saved + 2 * r.t + 1] = mean;
    float *to = dqkv + r.qkv + (size_t)r.t * 3 * a.C;
    FOR_CHANNELS(c) to[c] = add ? to[c] + dq[c] : dq[c];
}

template <int D>
KERNEL key_gradients(float *dqkv, const float *saved, const float *dy, const float *qkv, Heads a,
                     int add)
{
    HeadRow r = row_of(a);
    if (r.t >= a.T)
        return;
    const float *q_at = qkv + r.qkv;
    size_t own = (size_t)r.t * 3 * a.C;
    float k[D], v[D], dk[D] = {0}, dv[D] = {0};
    load<D>(k, q_at + own + a.C, a);
    load<D>(v, q_at + own + 2 * a.C, a);
    for (int i = r.t; i < a.T; i++) {
        const float *q = q_at + (size_t)i * 3 * a.C, *g = dy + r.y + (size_t)i * a.C,
                    *of = saved + r.saved + 2 * i;
        float p = expf(a.scale * dot<D>(k, q, a) - of[0]);
        float ds = p * (dot<D>(v, g, a) - of[1]) * a.scale;
        add_scaled<D>(dv, p, g, a);
        add_scaled<D>(dk, ds, q, a);
    }
    float *to = dqkv + r.qkv + own + a.C;
    FOR_CHANNELS(c) to[c] = add ? to[c] + dk[c] : dk[c];
    to += a.C;
    FOR_CHANNELS(c) to[c] = add ? to[c] + dv[c] : dv[c];
}

static Heads heads_of(Tensor y, Tensor saved, Tensor qkv, int heads)
{
    Heads a = {y.w, y.c, heads, y.c / heads, 1 / sqrtf((float)(y.c / heads))};
    ASSERT(y.h == 1 && qkv.n == y.n && qkv.w == y.w && qkv.c == 3 * y.c && y.c % heads == 0);
    ASSERT(y.dtype == F32 && qkv.dtype == F32 && !y.halo && !qkv.halo && y.w <= MAX_CONTEXT &&
           a.d <= MAX_HEAD);
    ASSERT(saved.n == y.n && saved.h == heads && saved.w == y.w && saved.c == 2);
    return a;
}

/* start<D>(…) with the least D for heads of d channels. */
#define BY_HEAD(d, start, ...) \
    do { \
        if ((d) <= 16) \
            start<16>(__VA_ARGS__); \
        else if ((d) <= 32) \
            start<32>(__VA_ARGS__); \
        else if ((d) <= 64) \
            start<64>(__VA_ARGS__); \
        else \
            start<MAX_HEAD>(__VA_ARGS__); \
    } while (0)

static float *at(Tensor t) { return (float *)cuda_at(t); }

template <int D> static void start_forward(Stream *s, Tensor y, Tensor saved, Tensor qkv, Heads a)
{
    LAUNCH(s, 1, attention_forward<D>, (long)y.n * a.heads, div_up(a.T, ROWS), ROWS, at(y),
           at(saved), at(qkv), a);
}

void cuda_attention_forward(Stream *s, Tensor y, Tensor saved, Tensor qkv, int heads)
{
    Heads a = heads_of(y, saved, qkv, heads);
    BY_HEAD(a.d, start_forward, s, y, saved, qkv, a);
}

template <int D>
static void start_backward(Stream *s, Tensor dqkv, Tensor saved, Tensor dy, Tensor y, Tensor qkv,
                           Heads a, bool add)
{
    long x = (long)y.n * a.heads;
    int tiles = div_up(a.T, ROWS);
    LAUNCH(s, 1, query_gradients<D>, x, tiles, ROWS, at(dqkv), at(saved), at(dy), at(y), at(qkv), a,
           add);
    LAUNCH(s, 1, key_gradients<D>, x, tiles, ROWS, at(dqkv), at(saved), at(dy), at(qkv), a, add);
}

void cuda_attention_backward(Stream *s, Tensor dqkv, Tensor saved, Tensor dy, Tensor y, Tensor qkv,
                             int heads, bool add)
{
    Heads a = heads_of(y, saved, qkv, heads);
    ASSERT(same_shape(dy, y) && same_shape(dqkv, qkv) && dy.dtype == F32 && dqkv.dtype == F32);
    BY_HEAD(a.d, start_backward, s, dqkv, saved, dy, y, qkv, a, add);
}
