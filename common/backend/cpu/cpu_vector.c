/* cpu_vector.c: loops over flat vectors: the optimiser's update, axpy, scale and dot. */
#include "cpu.h"

#define FOR_ELEMENTS(s, i, n) \
    _Pragma("omp parallel for simd num_threads((s)->threads) schedule(static)") for (int i = 0; \
                                                                                     i < (n); i++)

void cpu_sgd(Stream *s, Tensor w, Tensor v, Tensor g, Tensor rate, float momentum,
             float weight_decay, bool nesterov)
{
    ASSERT(w.n == v.n && w.n == g.n);
    float *restrict W = cpu_at(w), *restrict V = cpu_at(v), eta = *(float *)cpu_at(rate);
    const float *restrict G = cpu_at(g);
    FOR_ELEMENTS(s, i, w.n)
    {
        float d = G[i] + weight_decay * W[i];
        V[i] = momentum * V[i] + d;
        W[i] -= eta * (nesterov ? d + momentum * V[i] : V[i]);
    }
}

INLINE void axpy_row(void *y, float a, const void *x, long n, const DType type_y,
                     const DType type_x)
{
    for (long i = 0; i < n; i++)
        store(y, i, load(y, i, type_y) + a * load(x, i, type_x), type_y);
}

void cpu_axpy(Stream *s, Tensor y, float a, Tensor x)
{
    ASSERT(same_shape(y, x));
    if (tensor_count(y) == (size_t)y.n && !y.halo && !x.halo) { /* a vector */
        int rows = y.n < CHUNKS ? 1 : CHUNKS;
#pragma omp parallel for num_threads(s->threads) schedule(static)
        for (int i = 0; i < rows; i++) {
            int first = chunk_begin(y.n, i, rows), count = chunk_begin(y.n, i + 1, rows) - first;
            FOR_TYPES(y.dtype, x.dtype,
                      axpy_row(cpu_pixels(tensor_slice(y, first, count), 0, 0), a,
                               cpu_pixels(tensor_slice(x, first, count), 0, 0), count, other_,
                               type_))
        }
        return;
    }
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < y.n; n++)
        for (int h = 0; h < y.h; h++)
            FOR_TYPES(y.dtype, x.dtype,
                      axpy_row(cpu_pixels(y, n, h), a, cpu_pixels(x, n, h), (long)y.w * y.c, other_,
                               type_))
}

void cpu_scale(Stream *s, Tensor x, float a)
{
    float *X = cpu_at(x);
    FOR_ELEMENTS(s, i, x.n)
    X[i] *= a;
}

void cpu_dot(Stream *s, Tensor out, Tensor x, Tensor y)
{
    ASSERT(x.n == y.n && out.dtype == F64);
    const float *X = cpu_at(x), *Y = cpu_at(y);
    double part[CHUNKS], sum = 0;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        part[chunk] = 0;
        for (int i = chunk_begin(x.n, chunk, CHUNKS); i < chunk_begin(x.n, chunk + 1, CHUNKS); i++)
            part[chunk] += (double)X[i] * Y[i];
    }
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        sum += part[chunk];
    *(double *)cpu_at(out) = sum;
}
