/* cuda_layers.cu: ReLU, pooling, flatten. A thread writes one element and reads its inputs;
 * gradients are gathered, not scattered, so no two threads add to the same element. */
#include "cuda_kernel.h"

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

/* Channel, column, row, image of element i of a tensor [*,h,w,c]. */
typedef struct Spot {
    int n, h, w, c;
} Spot;
DEVICE Spot spot_of(size_t i, int h, int w, int c)
{
    Spot s;
    size_t pixel = i / c;
    s.c = (int)(i % c);
    s.w = (int)(pixel % w);
    s.h = (int)(pixel / w % h);
    s.n = (int)(pixel / w / h);
    return s;
}

/* ---- max pooling ---- */
KERNEL maxpool_forward(Act y, uint8_t *which, Act x, int side, size_t n)
{
    FOR_EACH (i, n) {
        Spot to = spot_of(i, y.h, y.w, y.c);
        float most = 0;
        int best = 0;
        for (int k = 0; k < side * side; k++) {
            int h = side * to.h + k / side, w = side * to.w + k % side;
            float v = get(x, at_pixel(x, to.n, h, w) + to.c);
            if (k == 0 || v > most || v != v) /* a NaN wins and propagates */
                most = v, best = k;
        }
        put(y, at_element(y, i), most);
        which[i] = (uint8_t)best;
    }
}

void cuda_maxpool_forward(Stream *s, Tensor y, Tensor which, Tensor x, int side)
{
    ASSERT(y.h == x.h / side && y.w == x.w / side && y.c == x.c && y.n == x.n &&
           which.dtype == U8 && which.halo == 0 && (side == 2 || side == 3));
    LAUNCH(s, 1, maxpool_forward, blocks_for(tensor_count(y)), 1, BLOCK, act(y),
           (uint8_t *)cuda_at(which), act(x), side, tensor_count(y));
}

KERNEL maxpool_backward(Act dx, Act dy, const uint8_t *which, int side, int add, size_t n)
{
    FOR_EACH (i, n) {
        Spot to = spot_of(i, dx.h, dx.w, dx.c);
        int h = to.h / side, w = to.w / side, mine = to.h % side * side + to.w % side;
        float g = 0;
        if (h < dy.h && w < dy.w) { /* an edge may have been dropped */
            size_t from = (((size_t)to.n * dy.h + h) * dy.w + w) * dy.c + to.c;
            g = which[from] == mine ? get(dy, at_element(dy, from)) : 0;
        }
        put_or_add(dx, at_element(dx, i), g, add);
    }
}

void cuda_maxpool_backward(Stream *s, Tensor dx, Tensor dy, Tensor which, int side, bool add)
{
    ASSERT(dy.h == dx.h / side && dy.w == dx.w / side && dy.c == dx.c && dy.n == dx.n &&
           which.halo == 0);
    LAUNCH(s, 1, maxpool_backward, blocks_for(tensor_count(dx)), 1, BLOCK, act(dx), act(dy),
           (const uint8_t *)cuda_at(which), side, add, tensor_count(dx));
}

/* ---- average over an image ---- */
KERNEL avgpool_forward(Act y, Act x, size_t n)
{
    FOR_EACH (i, n) {
        int image = (int)(i / x.c), c = (int)(i % x.c), pixels = x.h * x.w;
        float sum = 0;
        for (int p = 0; p < pixels; p++)
            sum += get(x, at_place(x, image, p) + c);
        put(y, at_element(y, i), sum / pixels);
    }
}

void cuda_avgpool_forward(Stream *s, Tensor y, Tensor x)
{
    ASSERT(y.h == 1 && y.w == 1 && y.c == x.c && y.n == x.n);
    LAUNCH(s, 1, avgpool_forward, blocks_for(tensor_count(y)), 1, BLOCK, act(y), act(x),
           tensor_count(y));
}

KERNEL avgpool_backward(Act dx, Act dy, int add, size_t n)
{
    FOR_EACH (i, n) {
        Spot to = spot_of(i, dx.h, dx.w, dx.c);
        float g = get(dy, at_pixel(dy, to.n, 0, 0) + to.c);
        put_or_add(dx, at_element(dx, i), g / (dx.h * dx.w), add);
    }
}

void cuda_avgpool_backward(Stream *s, Tensor dx, Tensor dy, bool add)
{
    ASSERT(dy.h == 1 && dy.w == 1 && dy.c == dx.c && dy.n == dx.n);
    LAUNCH(s, 1, avgpool_backward, blocks_for(tensor_count(dx)), 1, BLOCK, act(dx), act(dy), add,
           tensor_count(dx));
}

/* ---- PyTorch flattens [C,H,W]; weights behind it expect that order ---- */
KERNEL flatten_forward(Act y, Act x, size_t n)
{
    FOR_EACH (i, n) {
        Spot from = spot_of(i, x.h, x.w, x.c);
        put(y, ((size_t)from.n * x.c + from.c) * x.h * x.w + from.h * x.w + from.w,
            get(x, at_element(x, i)));
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
        Spot to = spot_of(i, dx.h, dx.w, dx.c);
        float g = get(dy, ((size_t)to.n * dx.c + to.c) * dx.h * dx.w + to.h * dx.w + to.w);
        put_or_add(dx, at_element(dx, i), g, add);
    }
}

void cuda_flatten_backward(Stream *s, Tensor dx, Tensor dy, bool add)
{
    ASSERT(dy.n == dx.n && dy.c == dx.h * dx.w * dx.c && dy.halo == 0);
    LAUNCH(s, 1, flatten_backward, blocks_for(tensor_count(dx)), 1, BLOCK, act(dx), act(dy), add,
           tensor_count(dx));
}
