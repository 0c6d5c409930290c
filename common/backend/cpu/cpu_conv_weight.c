/* cpu_conv_weight.c: the gradient of a convolution's weights, directly:
 *
 *     dw[r][j][k] = sum over pixels of x[pixel, r][j] * dy[pixel][k]
 *
 * j runs over the R*C elements of one kernel row, which lie side by side in x. A tile of J of them
 * x one vector of output channels stays in J registers for all pixels of an image. Each image's sum
 * starts at zero and is then added to its thread's, and the threads' are added at the end: three
 * short sums in a fixed order, where one long float32 sum would lose digits.
 */
#include "cpu_conv.h"

/* dw[j][VEC] += sum over P x Q pixels, j = 0 … J-1, rows of dw K apart. */
INLINE void tile(float *dw, long K, const float *x, long x_line, long x_step, const float *dy,
                 long dy_line, int P, int Q, const int J, const DType type)
{
    vec sum[MAX_TILE]; /* of which J are used */
    UNROLL
    for (int j = 0; j < J; j++)
        sum[j] = (vec){};
    for (int h = 0; h < P; h++) {
        const float *from = x + h * x_line, *g = dy + h * dy_line;
        for (int q = 0; q < Q; q++, from += x_step, g += K) {
            vec gradient = *(const vec *)g;
            UNROLL
            for (int j = 0; j < J; j++)
                if (type == F32)
                    sum[j] += from[j] * gradient;
                else
                    sum[j] = vec_dot(sum[j], gradient, from + j);
        }
    }
    UNROLL
    for (int j = 0; j < J; j++)
        *(vec *)(dw + j * K) += sum[j];
}

INLINE void weight_sum(float *d, int J, int K, const float *x, long x_line, long x_step,
                       const float *dy, long dy_line, int P, int Q, const DType type)
{
    for (int j = 0, T = 0; j < J; j += T)
        for (int k = 0; k < K; k += VEC) {
            int left = J - j;
#define TILE(t) \
    tile(d + (size_t)j * K + k, K, x + j, x_line, x_step, dy + k, dy_line, P, Q, T = (t), type)
            if (left >= 16 && MAX_TILE >= 16)
                TILE(16);
            else if (left == 9)
                TILE(9);
            else if (left >= 8)
                TILE(8);
            else if (left >= 3)
                TILE(3);
            else
                TILE(1);
#undef TILE
        }
}

void conv_weight_sum(float *d, int J, int K, const float *x, long x_line, long x_step,
                     const float *dy, long dy_line, int P, int Q, DType type)
{
    ASSERT(type == F32 || DOTS);
    FOR_TYPE(type, weight_sum(d, J, K, x, x_line, x_step, dy, dy_line, P, Q, type_))
}

/* One image: d [R][R*C][K] += */
static void one_image(float *d, const ConvPlan *p, Tensor x, Tensor dy)
{
    long x_line = (long)(x.w + 2 * x.halo) * p->C, dy_line = (long)(dy.w + 2 * dy.halo) * p->K;
    int J = p->R * p->C;
    for (int r = 0; r < p->R; r++)
        conv_weight_sum(d + (size_t)r * J * p->K, J, p->K,
                        cpu_row(x, 0, 0) + (r - p->pad) * x_line - p->pad * p->C,
                        p->stride * x_line, p->stride * p->C, cpu_row(dy, 0, 0), dy_line, p->P,
                        p->Q, F32);
}

INLINE void pair_pixels(Pair *to, long apart, const uint16_t *from, long step, int Q, const int J)
{
    int q = 0;
    for (; q + 1 < Q; q += 2, to += apart, from += 2 * step) {
        int j = 0;
        for (; j + VEC <= J; j += VEC)
            *(vec_pairs *)(to + j) = vec_widened(from, j) |
                                     (vec_bits)vec_load(from + step, j, BF16);
        for (; j < J; j++)
            to[j] = from[j] | (Pair)from[step + j] << 16;
    }
    for (int j = 0; q < Q && j < J; j++)
        to[j] = from[j];
}

void conv_pair_pixels(Pair *to, long apart, const uint16_t *from, long step, int Q, int J)
{
    if (J == 3 * 16)
        pair_pixels(to, apart, from, step, Q, 3 * 16);
    else
        FOR_CHANNELS(J, pair_pixels(to, apart, from, step, Q, c_))
}

/* The same of image n in BF16, by dots of two neighbouring pixels. */
static void image_of_pairs(float *d, Stream *s, const ConvPlan *p, Tensor x, Tensor dy, int n)
{
    int J = p->R * p->C, pairs = (p->Q + 1) / 2, lines = p->stride * (p->P - 1) + p->R;
    float *xs = conv_block(s, p), *dys = xs + p->image;
    long x_line = (long)(x.w + 2 * x.halo) * p->C;
    const uint16_t *first = (uint16_t *)cpu_pixels(x, n, 0) - p->pad * (x_line + p->C);
    for (int h = 0; h < lines; h++)
        conv_pair_pixels((Pair *)xs + (long)h * pairs * J, J, first + h * x_line,
                         (long)p->stride * p->C, p->Q, J);
    for (int h = 0; h < p->P; h++)
        conv_pair_pixels((Pair *)dys + (long)h * pairs * p->K, p->K, cpu_pixels(dy, n, h), p->K,
                         p->Q, p->K);
    for (int r = 0; r < p->R; r++)
        conv_weight_sum(d + (size_t)r * J * p->K, J, p->K, xs + (long)r * pairs * J,
                        (long)p->stride * pairs * J, J, dys, (long)pairs * p->K, p->P, pairs, BF16);
}

void direct_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
    if (p->amx && dy.dtype == BF16) {
        amx_backward_weight(s, p, dw, x, dy);
        return;
    }
    bool pairs = DOTS && x.dtype == BF16 && dy.dtype == BF16;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int part = 0; part < s->threads; part++) {
        float *d = conv_partial(s, p, part);
        memset(d, 0, sizeof(float) * conv_weights(p));
        for (int n = chunk_begin(x.n, part, s->threads); n < chunk_begin(x.n, part + 1, s->threads);
             n++) {
            Buffer rooms[2];
            if (pairs)
                image_of_pairs(d, s, p, x, dy, n);
            else
                one_image(d, p, conv_floats(s, p, x, n, 0, rooms),
                          conv_floats(s, p, dy, n, 1, rooms + 1));
        }
    }
    conv_add_parts(s, p, dw, false);
}
