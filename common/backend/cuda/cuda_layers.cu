/* cuda_layers.cu: ReLU, pooling, flatten. No two threads write the same element: gradients are
 * gathered, or windows do not overlap. */
#include "cuda_wide.h"

KERNEL relu_forward(Act y, Act x, size_t n)
{
    FOR_EACH (i, n) {
        float v = get(x, at_element(x, i));
        put(y, at_element(y, i), v < 0 ? 0 : v); /* NaN stays NaN */
    }
}

void cuda_relu_forward(Stream *s, Tensor y, Tensor x)
{
    ASSERT(same_shape(y, x));
    LAUNCH(s, 1, relu_forward, blocks_for(tensor_count(y)), 1, BLOCK, act(y), act(x),
           tensor_count(y));
}

KERNEL relu_backward(Act dx, Act dy, Act y, int add, size_t n)
{
    FOR_EACH (i, n) {
        float g = get(dy, at_element(dy, i));
        put_or_add(dx, at_element(dx, i), get(y, at_element(y, i)) > 0 ? g : 0, add);
    }
}

void cuda_relu_backward(Stream *s, Tensor dx, Tensor dy, Tensor y, bool add)
{
    ASSERT(same_shape(dx, dy) && same_shape(dy, y));
    LAUNCH(s, 1, relu_backward, blocks_for(tensor_count(y)), 1, BLOCK, act(dx), act(dy), act(y),
           add, tensor_count(y));
}

/* ---- max pooling: a thread has an access of y and its side x side accesses of x ---- */

template <class V> KERNEL maxpool_forward(Act y, Bytes<V::WIDTH> *which, Act x, int side, int each)
{
    FOR_EACH_ACCESS(n, i, y.n, each)
    {
        Spot to = spot_of<V>(i, y.w, y.c / V::WIDTH);
        V most, some;
        Bytes<V::WIDTH> best = {};
        load(most, x, access_at<V>(x, n, side * to.h, side * to.w, to.c));
        for (int k = 1; k < side * side; k++) {
            load(some, x, access_at<V>(x, n, side * to.h + k / side, side * to.w + k % side, to.c));
            UNROLL
            for (int c = 0; c < V::WIDTH; c++) {
                float v = value(some, c);
                if (v > value(most, c) || v != v) /* a NaN wins and propagates */
                    set(most, c, v), best.of[c] = (uint8_t)k;
            }
        }
        store(y, (size_t)n * each + i, most);
        which[(size_t)n * each + i] = best;
    }
}

template <class V>
static void start_pool_forward(Stream *s, Tensor y, Tensor which, Tensor x, int side)
{
    int each = y.h * y.w * y.c / V::WIDTH;
    LAUNCH(s, 1, maxpool_forward<V>, div_up(each, BLOCK), each_image(y.n), BLOCK, act(y),
           (Bytes<V::WIDTH> *)cuda_at(which), act(x), side, each);
}

/* Do the images and their `which` allow Wide? */
static bool pools_wide(Tensor x, Tensor y, Tensor which)
{
    const Act both[] = {act(x), act(y)};
    return are_wide(both, 2, x.c) && (uintptr_t)cuda_at(which) % WIDEST == 0;
}

void cuda_maxpool_forward(Stream *s, Tensor y, Tensor which, Tensor x, int side)
{
    ASSERT(y.h == x.h / side && y.w == x.w / side && y.c == x.c && y.n == x.n &&
           which.dtype == U8 && which.halo == 0 && (side == 2 || side == 3));
    BY_ACCESS(pools_wide(x, y, which), x.dtype, start_pool_forward, s, y, which, x, side);
}

/* A thread has a window of x, also those at the edge that were dropped; each: their accesses in an
 * image, `across` windows side by side. */
template <class V>
KERNEL maxpool_backward(Act dx, Act dy, const Bytes<V::WIDTH> *which, int side, int add, int across,
                        int each)
{
    FOR_EACH_ACCESS(n, i, dx.n, each)
    {
        Spot from = spot_of<V>(i, across, dx.c / V::WIDTH);
        bool kept = from.h < dy.h && from.w < dy.w;
        V g = nothing<V>(), out = nothing<V>();
        Bytes<V::WIDTH> best = {};
        if (kept) {
            size_t at = access_at<V>(dy, n, from.h, from.w, from.c);
            load(g, dy, at);
            best = which[at];
        }
        for (int k = 0; k < side * side; k++) {
            int h = side * from.h + k / side, w = side * from.w + k % side;
            if (h >= dx.h || w >= dx.w)
                continue;
            size_t at = access_at<V>(dx, n, h, w, from.c);
            if (add)
                load(out, dx, at);
            UNROLL
            for (int c = 0; c < V::WIDTH; c++) {
                float d = best.of[c] == k ? value(g, c) : 0;
                set(out, c, add ? value(out, c) + d : d);
            }
            store(dx, at, out);
        }
    }
}

template <class V>
static void start_pool_backward(Stream *s, Tensor dx, Tensor dy, Tensor which, int side, bool add)
{
    int across = div_up(dx.w, side), each = across * div_up(dx.h, side) * (dx.c / V::WIDTH);
    LAUNCH(s, 1, maxpool_backward<V>, div_up(each, BLOCK), each_image(dx.n), BLOCK, act(dx),
           act(dy), (const Bytes<V::WIDTH> *)cuda_at(which), side, add, across, each);
}

void cuda_maxpool_backward(Stream *s, Tensor dx, Tensor dy, Tensor which, int side, bool add)
{
    ASSERT(dy.h == dx.h / side && dy.w == dx.w / side && dy.c == dx.c && dy.n == dx.n &&
           which.halo == 0);
    BY_ACCESS(pools_wide(dx, dy, which), dx.dtype, start_pool_backward, s, dx, dy, which, side,
              add);
}

/* ---- average over an image ---- */
/* A thread has an access's channels of one image; y may be of another type. */
template <class V> KERNEL avgpool_forward(Act y, Act x, size_t n)
{
    FOR_EACH (i, n) {
        int row = x.c / V::WIDTH, pixels = x.h * x.w, image = (int)(i / row);
        size_t first = (size_t)image * pixels * row + i % row;
        float sum[V::WIDTH] = {0};
        UNROLL_BY(8)
        for (int p = 0; p < pixels; p++) {
            V some;
            load(some, x, first + (size_t)p * row);
            for (int c = 0; c < V::WIDTH; c++)
                sum[c] += value(some, c);
        }
        for (int c = 0; c < V::WIDTH; c++)
            put(y, at_element(y, i * V::WIDTH + c), sum[c] / pixels);
    }
}

template <class V> static void start_average_forward(Stream *s, Tensor y, Tensor x)
{
    size_t n = tensor_count(y) / V::WIDTH;
    LAUNCH(s, 1, avgpool_forward<V>, blocks_for(n), 1, BLOCK, act(y), act(x), n);
}

void cuda_avgpool_forward(Stream *s, Tensor y, Tensor x)
{
    ASSERT(y.h == 1 && y.w == 1 && y.c == x.c && y.n == x.n);
    const Act all[] = {act(x)};
    BY_ACCESS(are_wide(all, 1, x.c), x.dtype, start_average_forward, s, y, x);
}

/* dy may be of another type: it is read element by element. */
template <class V> KERNEL avgpool_backward(Act dx, Act dy, int add, int each)
{
    FOR_EACH_ACCESS(n, i, dx.n, each)
    {
        size_t at = (size_t)n * each + i, from = at_pixel(dy, n, 0, 0) + i * V::WIDTH % dx.c;
        V out = nothing<V>();
        if (add)
            load(out, dx, at);
        UNROLL
        for (int c = 0; c < V::WIDTH; c++) {
            float g = get(dy, from + c) / (dx.h * dx.w);
            set(out, c, add ? value(out, c) + g : g);
        }
        store(dx, at, out);
    }
}

template <class V> static void start_average_backward(Stream *s, Tensor dx, Tensor dy, bool add)
{
    int each = dx.h * dx.w * dx.c / V::WIDTH;
    LAUNCH(s, 1, avgpool_backward<V>, div_up(each, BLOCK), each_image(dx.n), BLOCK, act(dx),
           act(dy), add, each);
}

void cuda_avgpool_backward(Stream *s, Tensor dx, Tensor dy, bool add)
{
    ASSERT(dy.h == 1 && dy.w == 1 && dy.c == dx.c && dy.n == dx.n);
    const Act all[] = {act(dx)};
    BY_ACCESS(are_wide(all, 1, dx.c), dx.dtype, start_average_backward, s, dx, dy, add);
}

/* ---- PyTorch flattens [C,H,W]; weights behind it expect that order ---- */
/* Where element i of x lies then. */
DEVICE size_t flat(size_t i, Act x)
{
    size_t pixels = (size_t)x.h * x.w, each = pixels * x.c, in = i % each;
    return i - in + in % x.c * pixels + in / x.c;
}

KERNEL flatten_forward(Act y, Act x, size_t n)
{
    FOR_EACH (i, n) {
        put(y, flat(i, x), get(x, at_element(x, i)));
    }
}

void cuda_flatten_forward(Stream *s, Tensor y, Tensor x)
{
    ASSERT(y.n == x.n && y.c == x.h * x.w * x.c && y.halo == 0);
    LAUNCH(s, 1, flatten_forward, blocks_for(tensor_count(x)), 1, BLOCK, act(y), act(x),
           tensor_count(x));
}

KERNEL flatten_backward(Act dx, Act dy, int add, size_t n)
{
    FOR_EACH (i, n) {
        put_or_add(dx, at_element(dx, i), get(dy, flat(i, dx)), add);
    }
}

void cuda_flatten_backward(Stream *s, Tensor dx, Tensor dy, bool add)
{
    ASSERT(dy.n == dx.n && dy.c == dx.h * dx.w * dx.c && dy.halo == 0);
    LAUNCH(s, 1, flatten_backward, blocks_for(tensor_count(dx)), 1, BLOCK, act(dx), act(dy), add,
           tensor_count(dx));
}
