/* cuda_vector.cu: loops over flat vectors: the optimiser's update, axpy, scale and dot. */
#include "cuda_wide.h"

/* ---- a few bytes from the host, as the kernel's argument: no waiting, no memory to keep ---- */
typedef struct Small {
    uint8_t byte[SMALL_BYTES];
} Small;

KERNEL put_small(uint8_t *to, Small from, size_t bytes)
{
    FOR_EACH (i, bytes)
        to[i] = from.byte[i];
}

void cuda_put_small(Stream *s, void *device, const void *host, size_t bytes)
{
    Small small;
    ASSERT(bytes <= sizeof small.byte);
    memcpy(small.byte, host, bytes);
    LAUNCH(s, 1, put_small, blocks_for(bytes), 1, BLOCK, (uint8_t *)device, small, bytes);
}

cudaError_t cuda_try_kernel(void)
{
    struct cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, (const void *)put_small);
}

/* ---- the optimiser ---- */
KERNEL sgd(float *w, float *v, const float *g, const float *rate, float momentum, float decay,
           int nesterov, size_t n)
{
    float eta = *rate;
    FOR_EACH (i, n) {
        float d = g[i] + decay * w[i], speed = momentum * v[i] + d;
        v[i] = speed;
        w[i] -= eta * (nesterov ? d + momentum * speed : speed);
    }
}

void cuda_sgd(Stream *s, Tensor w, Tensor v, Tensor g, Tensor rate, float momentum,
              float weight_decay, bool nesterov)
{
    ASSERT(w.n == v.n && w.n == g.n);
    LAUNCH(s, 1, sgd, blocks_for(w.n), 1, BLOCK, (float *)cuda_at(w), (float *)cuda_at(v),
           (const float *)cuda_at(g), (const float *)cuda_at(rate), momentum, weight_decay,
           nesterov, (size_t)w.n);
}

/* ---- sums of tensors ---- */

/* One access, or one of the elements behind the last. */
template <class V> DEVICE void axpy_at(Act y, float a, Act x, size_t i)
{
    V to, from;
    load(to, y, i);
    load(from, x, i);
    for (int c = 0; c < V::WIDTH; c++)
        set(to, c, value(to, c) + a * value(from, c));
    store(y, i, to);
}

template <class V> KERNEL axpy(Act y, float a, Act x, size_t n)
{
    size_t accesses = n / V::WIDTH, rest = n % V::WIDTH;
    FOR_EACH (i, accesses)
        axpy_at<V>(y, a, x, i);
    FOR_EACH (i, rest)
        axpy_at<Single>(y, a, x, n - rest + i);
}

template <class V> static void start_axpy(Stream *s, Act y, float a, Act x, size_t n)
{
    LAUNCH(s, 1, axpy<V>, blocks_for(n / V::WIDTH), 1, BLOCK, y, a, x, n);
}

void cuda_axpy(Stream *s, Tensor y, float a, Tensor x)
{
    ASSERT(same_shape(y, x));
    const Act all[] = {act(y), act(x)};
    BY_ACCESS(are_wide(all, 2, 0), all[0].type, start_axpy, s, all[0], a, all[1], tensor_count(y));
}

KERNEL scale(float *x, float a, size_t n)
{
    FOR_EACH (i, n)
        x[i] *= a;
}

void cuda_scale(Stream *s, Tensor x, float a)
{
    LAUNCH(s, 1, scale, blocks_for(x.n), 1, BLOCK, (float *)cuda_at(x), a, (size_t)x.n);
}

/* ---- dot product: a partial sum per block, then their sum; always in the same order ---- */
enum { DOT_BLOCKS = BLOCK };

KERNEL dot(double *out, const float *x, const float *y, size_t n)
{
    __shared__ double part[BLOCK], column[COLUMNS];
    FIRST
    {
        double sum = 0;
        FOR_EACH (i, n)
            sum += (double)x[i] * y[i];
        part[threadIdx.x] = sum;
    }
    SUM_BLOCK(&out[blockIdx.x], part, column)
}

KERNEL dot_end(double *out, const double *of_block)
{
    __shared__ double part[BLOCK], column[COLUMNS];
    FIRST { part[threadIdx.x] = of_block[threadIdx.x]; }
    SUM_BLOCK(out, part, column)
}

void cuda_dot(Stream *s, Tensor out, Tensor x, Tensor y)
{
    ASSERT(x.n == y.n && out.dtype == F64);
    double *of_block = (double *)cuda_scratch(s);
    LAUNCH(s, 3, dot, DOT_BLOCKS, 1, BLOCK, of_block, (const float *)cuda_at(x),
           (const float *)cuda_at(y), (size_t)x.n);
    LAUNCH(s, 3, dot_end, 1, 1, BLOCK, (double *)cuda_at(out), (const double *)of_block);
}
