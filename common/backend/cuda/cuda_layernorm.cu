/* cuda_layernorm.cu: layer norm: each position by its own mean and variance: a block for each. */
#include "cuda_pieces.h"

enum { ROW_BLOCK = 64 };

static void check_layernorm(Tensor y, Tensor saved, Tensor x, Tensor gamma)
{
    ASSERT(same_shape(y, x) && tensor_count(saved) == (size_t)2 * x.n * x.h * x.w);
    ASSERT(gamma.n == x.c && !x.halo && !y.halo && x.c <= MAX_CHANNELS);
}

static int rows_of(Tensor t) { return t.n * t.h * t.w; }

/* Of the threads' parts; every thread adds them in the same order. */
DEVICE float mean_of(const float *part, int C)
{
    float sum = 0;
    for (int i = 0; i < ROW_BLOCK; i++)
        sum += part[i];
    return sum / (float)C;
}

KERNEL layernorm_forward(Act y, float *saved, Act x, const float *gamma, const float *beta,
                         float eps)
{
    __shared__ float sums[ROW_BLOCK], squares[ROW_BLOCK];
    size_t at = (size_t)blockIdx.x * x.c;
    FIRST
    {
        float sum = 0;
        for (int c = (int)threadIdx.x; c < x.c; c += ROW_BLOCK)
            sum += get(x, at + c);
        sums[threadIdx.x] = sum;
    }
    THEN
    {
        float sum = 0, mean = mean_of(sums, x.c);
        for (int c = (int)threadIdx.x; c < x.c; c += ROW_BLOCK)
            sum += (get(x, at + c) - mean) * (get(x, at + c) - mean);
        squares[threadIdx.x] = sum;
    }
    LAST
    {
        float mean = mean_of(sums, x.c), istd = 1 / sqrtf(mean_of(squares, x.c) + eps);
        for (int c = (int)threadIdx.x; c < x.c; c += ROW_BLOCK)
            put(y, at + c, (get(x, at + c) - mean) * istd * gamma[c] + beta[c]);
        if (threadIdx.x == 0) {
            saved[2 * (size_t)blockIdx.x] = mean;
            saved[2 * (size_t)blockIdx.x + 1] = istd;
        }
    }
}

void cuda_layernorm_forward(Stream *s, Tensor y, Tensor saved, Tensor x, Tensor gamma, Tensor beta,
                            float eps)
{
    check_layernorm(y, saved, x, gamma);
    LAUNCH(s, 3, layernorm_forward, rows_of(x), 1, ROW_BLOCK, act(y), (float *)cuda_at(saved),
           act(x), (const float *)cuda_at(gamma), (const float *)cuda_at(beta), eps);
}

KERNEL layernorm_backward(Act dx, const float *saved, Act dy, Act x, const float *gamma, int add)
{
    __shared__ float sums[ROW_BLOCK], products[ROW_BLOCK];
    size_t at = (size_t)blockIdx.x * x.c;
    float mean = saved[2 * (size_t)blockIdx.x], istd = saved[2 * (size_t)blockIdx.x + 1];
    FIRST
    {
        float sum = 0, product = 0;
        for (int c = (int)threadIdx.x; c < x.c; c += ROW_BLOCK) {
            float g = get(dy, at + c) * gamma[c];
            sum += g;
            product += g * (get(x, at + c) - mean) * istd;
        }
        sums[threadIdx.x] = sum;
        products[threadIdx.x] = product;
    }
    THEN
    {
        float sum = mean_of(sums, x.c), product = mean_of(products, x.c);
        for (int c = (int)threadIdx.x; c < x.c; c += ROW_BLOCK) {
            float xhat = (get(x, at + c) - mean) * istd;
            put_or_add(dx, at + c, istd * (get(dy, at + c) * gamma[c] - sum - xhat * product), add);
        }
    }
}

/* part [pieces,2,C] = the sums of dy xhat, and of dy, over a piece of the rows. */
KERNEL parameter_pieces(float *part, const float *saved, Act dy, Act x, int rows, Strips s,
                        Pieces cut)
{
    __shared__ float gammas[WIDE_BLOCK], betas[WIDE_BLOCK];
    Place me = place_in(s, x.c);
    FIRST
    {
        float a = 0, b = 0;
        int end = min_of(((int)blockIdx.x + 1) * cut.length, rows);
        for (int r = (int)blockIdx.x * cut.length + me.lane; me.busy && r < end; r += s.lanes) {
            size_t i = (size_t)r * x.c + me.channel;
            float g = get(dy, i);
            a += g * (get(x, i) - saved[2 * (size_t)r]) * saved[2 * (size_t)r + 1];
            b += g;
        }
        gammas[threadIdx.x] = a;
        betas[threadIdx.x] = b;
    }
    THEN
    {
        if (me.busy && me.lane == 0) {
            float a = 0, b = 0, *to = part + (size_t)blockIdx.x * 2 * x.c + me.channel;
            SUM_LANES(a, gammas, s);
            SUM_LANES(b, betas, s);
            to[0] = a;
            to[x.c] = b;
        }
    }
}

void cuda_layernorm_backward(Stream *s, Tensor dx, Tensor dgamma, Tensor dbeta, Tensor saved,
                             Tensor dy, Tensor x, Tensor gamma, bool add)
{
    check_layernorm(dy, saved, x, gamma);
    int C = x.c, rows = rows_of(x);
    Strips strips = strips_of(C, WIDE_BLOCK);
    Pieces cut = pieces_of(rows, 2 * C);
    float *part = (float *)cuda_scratch(s);
    const float *m = (const float *)cuda_at(saved);
    LAUNCH(s, 2, parameter_pieces, cut.count, strips.count, WIDE_BLOCK, part, m, act(dy), act(x),
           rows, strips, cut);
    LAUNCH(s, 1, add_pieces, blocks_for((size_t)C), 1, BLOCK, (float *)cuda_at(dgamma), part,
           cut.count, (size_t)2 * C, C);
    LAUNCH(s, 1, add_pieces, blocks_for((size_t)C), 1, BLOCK, (float *)cuda_at(dbeta), part + C,
           cut.count, (size_t)2 * C, C);
    LAUNCH(s, 2, layernorm_backward, rows, 1, ROW_BLOCK, act(dx), m, act(dy), act(x),
           (const float *)cuda_at(gamma), add);
}
