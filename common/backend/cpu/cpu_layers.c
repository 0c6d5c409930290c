/* cpu_layers.c: ReLU, pooling, flatten. Each loop is over images; `add` adds to the existing
 * gradient. */
#include "cpu.h"

#define FOR_IMAGES(s, n, N) \
    _Pragma("omp parallel for num_threads((s)->threads) schedule(static)") for (int n = 0; \
                                                                                n < (N); n++)

INLINE void relu_row(void *to, const void *from, int n, const DType type)
{
    for (int i = 0; i < n; i++) {
        float v = load(from, i, type);
        store(to, i, v < 0 ? 0 : v, type); /* NaN stays NaN */
    }
}

void cpu_relu_forward(Stream *s, Tensor y, Tensor x)
{
    ASSERT(same_shape(y, x) && y.dtype == x.dtype);
    FOR_IMAGES(s, n, x.n)
    for (int h = 0; h < x.h; h++)
        FOR_TYPE(x.dtype, relu_row(cpu_pixels(y, n, h), cpu_pixels(x, n, h), x.w * x.c, type_))
}

INLINE void relu_back_row(void *dx, const void *dy, const void *y, int n, bool add,
                          const DType type)
{
    for (int i = 0; i < n; i++) {
        float g = load(y, i, type) > 0 ? load(dy, i, type) : 0;
        store(dx, i, (add ? load(dx, i, type) : 0) + g, type);
    }
}

void cpu_relu_backward(Stream *s, Tensor dx, Tensor dy, Tensor y, bool add)
{
    ASSERT(same_shape(dx, dy) && same_shape(dy, y) && dx.dtype == y.dtype && dy.dtype == y.dtype);
    FOR_IMAGES(s, n, y.n)
    for (int h = 0; h < y.h; h++)
        FOR_TYPE(y.dtype, relu_back_row(cpu_pixels(dx, n, h), cpu_pixels(dy, n, h),
                                        cpu_pixels(y, n, h), y.w * y.c, add, type_))
}

/* The maxima of side x side pixels from element `at` of x on, rows `line` elements apart, and their
 * positions. A NaN wins and propagates. */
INLINE void largest(void *y, long to, uint8_t *restrict which, const void *x, long at, long line,
                    const int side, int C, const DType type_y, const DType type_x)
{
#pragma omp simd
    for (int c = 0; c < C; c++) {
        float most = load(x, at + c, type_x);
        int best = 0;
        UNROLL
        for (int k = 1; k < side * side; k++) {
            float next = load(x, at + k / side * line + k % side * C + c, type_x);
            bool more = (next > most) | (next != next);
            best = more ? k : best, most = more ? next : most;
        }
        store(y, to + c, most, type_y);
        which[c] = (uint8_t)best;
    }
}

/* A row of y. */
INLINE void pool_row(Tensor y, uint8_t *which, Tensor x, int n, int h, const int side,
                     const DType type_y, const DType type_x)
{
    void *to = cpu_pixels(y, n, h);
    const void *from = cpu_pixels(x, n, side * h);
    long line = (long)(x.w + 2 * x.halo) * x.c;
    for (long w = 0; w < y.w; w++)
        largest(to, w * y.c, which + w * y.c, from, side * w * x.c, line, side, y.c, type_y,
                type_x);
}

static uint8_t *which_row(Tensor which, int n, int h)
{
    return (uint8_t *)cpu_at(which) + ((size_t)n * which.h + h) * which.w * which.c;
}

void cpu_maxpool_forward(Stream *s, Tensor y, Tensor which, Tensor x, int side)
{
    ASSERT(y.h == x.h / side && y.w == x.w / side && y.c == x.c && y.n == x.n &&
           which.dtype == U8 && which.halo == 0 && (side == 2 || side == 3));
    FOR_IMAGES(s, n, y.n)
    for (int h = 0; h < y.h; h++)
        if (side == 2)
            FOR_TYPES(y.dtype, x.dtype,
                      pool_row(y, which_row(which, n, h), x, n, h, 2, other_, type_))
        else
            FOR_TYPES(y.dtype, x.dtype,
                      pool_row(y, which_row(which, n, h), x, n, h, 3, other_, type_))
}

/* A row of dy to `side` rows of dx: the maximum takes all of it. */
INLINE void pool_back_row(Tensor dx, Tensor dy, const uint8_t *restrict which, int n, int h,
                          int side, bool add, const DType type_y, const DType type_x)
{
    int C = dy.c;
    float g_copy[C], to_copy[C];
    for (long w = 0; w < dy.w; w++, which += C) {
        const float *g = load_all(cpu_pixels(dy, n, h), w * C, g_copy, C, type_y);
        for (int k = 0, r = 0; r < side; r++)
            for (int q = 0; q < side; q++, k++) {
                void *row = cpu_pixels(dx, n, side * h + r);
                long at = (side * w + q) * C;
                float *to = room_for(row, at, to_copy, type_x);
                if (add)
                    load_all(row, at, to_copy, C, type_x);
#pragma omp simd
                for (int c = 0; c < C; c++)
                    to[c] = (add ? to[c] : 0) + (which[c] == k ? g[c] : 0);
                store_all(row, at, to, C, type_x);
            }
    }
}

/* Pixels of an image that fill no square. */
static void clear_edges(Tensor t, int n, int rows, int columns)
{
    size_t pixel = t.c * dtype_size(t.dtype);
    for (int h = 0; h < t.h; h++) {
        int first = h < rows ? columns : 0;
        memset((char *)cpu_pixels(t, n, h) + first * pixel, 0, (t.w - first) * pixel);
    }
}

void cpu_maxpool_backward(Stream *s, Tensor dx, Tensor dy, Tensor which, int side, bool add)
{
    FOR_IMAGES(s, n, dy.n)
    {
        if (!add)
            clear_edges(dx, n, side * dy.h, side * dy.w);
        for (int h = 0; h < dy.h; h++)
            FOR_TYPES(dy.dtype, dx.dtype,
                      pool_back_row(dx, dy, which_row(which, n, h), n, h, side, add, other_, type_))
    }
}

/* Sums in float32; only then is the mean stored. */
void cpu_avgpool_forward(Stream *s, Tensor y, Tensor x)
{
    ASSERT(y.h == 1 && y.w == 1 && y.c == x.c && y.n == x.n && x.c <= MAX_CHANNELS);
    FOR_IMAGES(s, n, x.n)
    {
        float sum[x.c], copy[x.c];
        memset(sum, 0, sizeof sum);
        for (int h = 0; h < x.h; h++)
            for (long w = 0; w < x.w; w++) {
                const float *from = load_all(cpu_pixels(x, n, h), w * x.c, copy, x.c, x.dtype);
                for (int c = 0; c < x.c; c++)
                    sum[c] += from[c];
            }
        for (int c = 0; c < x.c; c++)
            store(cpu_pixels(y, n, 0), c, sum[c] / (x.h * x.w), y.dtype);
    }
}

void cpu_avgpool_backward(Stream *s, Tensor dx, Tensor dy, bool add)
{
    FOR_IMAGES(s, n, dx.n)
    for (int h = 0; h < dx.h; h++)
        for (int w = 0; w < dx.w; w++) {
            const void *g = cpu_pixels(dy, n, 0);
            void *to = cpu_pixels(dx, n, h);
            long at = (long)w * dx.c;
            for (int c = 0; c < dx.c; c++)
                store(to, at + c,
                      (add ? load(to, at + c, dx.dtype) : 0) + load(g, c, dy.dtype) / (dx.h * dx.w),
                      dx.dtype);
        }
}

/* PyTorch flattens [C,H,W]; weights behind it expect that order. */
void cpu_flatten_forward(Stream *s, Tensor y, Tensor x)
{
    ASSERT(y.n == x.n && y.c == x.h * x.w * x.c);
    FOR_IMAGES(s, n, x.n)
    for (int h = 0; h < x.h; h++)
        for (int c = 0; c < x.c; c++)
            for (int w = 0; w < x.w; w++)
                store(cpu_pixels(y, n, 0), ((long)c * x.h + h) * x.w + w,
                      load(cpu_pixels(x, n, h), (long)w * x.c + c, x.dtype), y.dtype);
}

void cpu_flatten_backward(Stream *s, Tensor dx, Tensor dy, bool add)
{
    FOR_IMAGES(s, n, dx.n)
    for (int h = 0; h < dx.h; h++)
        for (int c = 0; c < dx.c; c++)
            for (int w = 0; w < dx.w; w++) {
                void *to = cpu_pixels(dx, n, h);
                long at = (long)w * dx.c + c;
                float g = load(cpu_pixels(dy, n, 0), ((long)c * dx.h + h) * dx.w + w, dy.dtype);
                store(to, at, (add ? load(to, at, dx.dtype) : 0) + g, dx.dtype);
            }
}
