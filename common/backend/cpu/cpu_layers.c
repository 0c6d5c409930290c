/* cpu_layers.c: ReLU, pooling, flatten. Each loop is over images; `add` adds to the existing
 * gradient. */
#include "cpu.h"

#define FOR_IMAGES(s, n, N) \
    _Pragma("omp parallel for num_threads((s)->threads) schedule(static)") for (int n = 0; \
                                                                                n < (N); n++)

static void clear_image(Tensor t, int n)
{
    for (int h = 0; h < t.h; h++)
        memset(cpu_row(t, n, h), 0, sizeof(float) * t.w * t.c);
}

void cpu_relu_forward(Stream *s, Tensor y, Tensor x)
{
    ASSERT(same_shape(y, x));
    FOR_IMAGES(s, n, x.n)
    for (int h = 0; h < x.h; h++) {
        float *to = cpu_row(y, n, h);
        const float *from = cpu_row(x, n, h);
        for (int i = 0; i < x.w * x.c; i++)
            to[i] = from[i] < 0 ? 0 : from[i]; /* NaN stays NaN */
    }
}

void cpu_relu_backward(Stream *s, Tensor dx, Tensor dy, Tensor y, bool add)
{
    ASSERT(same_shape(dx, dy) && same_shape(dy, y));
    FOR_IMAGES(s, n, y.n)
    for (int h = 0; h < y.h; h++) {
        float *to = cpu_row(dx, n, h);
        const float *g = cpu_row(dy, n, h), *out = cpu_row(y, n, h);
        for (int i = 0; i < y.w * y.c; i++)
            to[i] = (add ? to[i] : 0) + (out[i] > 0 ? g[i] : 0);
    }
}

/* The maxima of two pixels of `top` and the two below them, and their positions. A NaN wins and
 * propagates. */
static void largest(float *restrict to, uint8_t *restrict which, const float *restrict top,
                    const float *restrict bottom, int C)
{
#pragma omp simd
    for (int c = 0; c < C; c++) {
        float most = top[c], next = top[C + c], third = bottom[c], last = bottom[C + c];
        int best = 0;
        best = ((next > most) | (next != next)) ? 1 : best, most = best == 1 ? next : most;
        best = ((third > most) | (third != third)) ? 2 : best, most = best == 2 ? third : most;
        best = ((last > most) | (last != last)) ? 3 : best, most = best == 3 ? last : most;
        to[c] = most;
        which[c] = (uint8_t)best;
    }
}

/* The same over the `side` x `side` pixels from `from` on, rows `line` floats apart. */
static void largest_of(float *to, uint8_t *which, const float *from, long line, int side, int C)
{
    memcpy(to, from, sizeof(float) * C);
    memset(which, 0, C);
    for (int i = 1; i < side * side; i++) {
        const float *next = from + i / side * line + i % side * C;
#pragma omp simd
        for (int c = 0; c < C; c++) {
            bool more = (next[c] > to[c]) | (next[c] != next[c]);
            to[c] = more ? next[c] : to[c];
            which[c] = more ? (uint8_t)i : which[c];
        }
    }
}

void cpu_maxpool_forward(Stream *s, Tensor y, Tensor which, Tensor x, int side)
{
    ASSERT(y.h == x.h / side && y.w == x.w / side && y.c == x.c && y.n == x.n &&
           which.dtype == U8 && which.halo == 0 && (side == 2 || side == 3));
    long line = (long)(x.w + 2 * x.halo) * x.c;
    FOR_IMAGES(s, n, y.n)
    for (int h = 0; h < y.h; h++)
        for (int w = 0; w < y.w; w++) {
            const float *from = cpu_row(x, n, side * h) + side * w * x.c;
            float *to = cpu_row(y, n, h) + w * y.c;
            uint8_t *mark = (uint8_t *)cpu_at(which) + (((size_t)n * y.h + h) * y.w + w) * y.c;
            if (side == 2)
                largest(to, mark, from, from + line, y.c);
            else
                largest_of(to, mark, from, line, side, y.c);
        }
}

void cpu_maxpool_backward(Stream *s, Tensor dx, Tensor dy, Tensor which, int side, bool add)
{
    FOR_IMAGES(s, n, dy.n)
    {
        if (!add)
            clear_image(dx, n);
        for (int h = 0; h < dy.h; h++)
            for (int w = 0; w < dy.w; w++) {
                const float *g = cpu_row(dy, n, h) + w * dy.c;
                const uint8_t *mark = (uint8_t *)cpu_at(which) +
                                      (((size_t)n * dy.h + h) * dy.w + w) * dy.c;
                for (int c = 0; c < dy.c; c++) {
                    float *to = cpu_row(dx, n, side * h + mark[c] / side);
                    to[(side * w + mark[c] % side) * dx.c + c] += g[c];
                }
            }
    }
}

void cpu_avgpool_forward(Stream *s, Tensor y, Tensor x)
{
    ASSERT(y.h == 1 && y.w == 1 && y.c == x.c && y.n == x.n);
    FOR_IMAGES(s, n, x.n)
    {
        float *to = cpu_row(y, n, 0);
        memset(to, 0, sizeof(float) * x.c);
        for (int h = 0; h < x.h; h++)
            for (int w = 0; w < x.w; w++)
                for (int c = 0; c < x.c; c++)
                    to[c] += cpu_row(x, n, h)[w * x.c + c];
        for (int c = 0; c < x.c; c++)
            to[c] /= x.h * x.w;
    }
}

void cpu_avgpool_backward(Stream *s, Tensor dx, Tensor dy, bool add)
{
    FOR_IMAGES(s, n, dx.n)
    for (int h = 0; h < dx.h; h++)
        for (int w = 0; w < dx.w; w++) {
            float *to = cpu_row(dx, n, h) + w * dx.c;
            const float *g = cpu_row(dy, n, 0);
            for (int c = 0; c < dx.c; c++)
                to[c] = (add ? to[c] : 0) + g[c] / (dx.h * dx.w);
        }
}

/* PyTorch flattens [C,H,W]; weights behind it expect that order. */
void cpu_flatten_forward(Stream *s, Tensor y, Tensor x)
{
    ASSERT(y.n == x.n && y.c == x.h * x.w * x.c);
    FOR_IMAGES(s, n, x.n)
    for (int h = 0; h < x.h; h++)
        for (int c = 0; c < x.c; c++) {
            const float *from = cpu_row(x, n, h) + c;
            float *to = cpu_row(y, n, 0) + (c * x.h + h) * x.w;
            for (int w = 0; w < x.w; w++)
                to[w] = from[w * x.c];
        }
}

void cpu_flatten_backward(Stream *s, Tensor dx, Tensor dy, bool add)
{
    FOR_IMAGES(s, n, dx.n)
    for (int h = 0; h < dx.h; h++)
        for (int c = 0; c < dx.c; c++) {
            const float *from = cpu_row(dy, n, 0) + (c * dx.h + h) * dx.w;
            float *to = cpu_row(dx, n, h) + c;
            for (int w = 0; w < dx.w; w++)
                to[w * dx.c] = (add ? to[w * dx.c] : 0) + from[w];
        }
}
