/* cuda_wide.h: activations by 16 bytes: a thread reads or writes several neighbouring channels at
 * once.
 *
 * A kernel is a template over the access V: Wide<E>, 16 bytes of elements E (four float, eight
 * Bfloat or __half), or Single (one element of any type, any halo) for tensors that allow no Wide.
 * Access i of a tensor is its elements WIDTH i … WIDTH i + WIDTH - 1, counted without borders.
 * AHEAD: how many a thread has in flight at once.
 *
 * Elementwise kernels have a grid over an image's accesses and over the images (each_image), so
 * that an index is divided in 32 bits.
 */
#ifndef CUDA_WIDE_H
#define CUDA_WIDE_H
#include "cuda_kernel.h"

#ifdef __CUDACC__
#define UNROLL _Pragma("unroll")
#define UNROLL_BY(times) UNROLLED(unroll times)
#define UNROLLED(words) _Pragma(#words)
#else
#define UNROLL
#define UNROLL_BY(times)
#endif

enum { WIDE_BYTES = 16, WIDEST = WIDE_BYTES / sizeof(uint16_t) }; /* elements, at most */
template <class E> struct alignas(WIDE_BYTES) Wide {
    static constexpr int WIDTH = WIDE_BYTES / sizeof(E), AHEAD = IN_FLIGHT;
    E of[WIDTH];
};
struct Single {
    static constexpr int WIDTH = 1, AHEAD = 1;
    float f;
};

/* Element c of an access. */
template <class E> DEVICE float value(const Wide<E> &v, int c) { return widen(v.of[c]); }
DEVICE float value(const Single &v, int c) { return v.f; }
template <class E> DEVICE void set(Wide<E> &v, int c, float x) { narrow(v.of[c], x); }
DEVICE void set(Single &v, int c, float x) { v.f = x; }

template <class V> DEVICE V nothing(void) /* zeros */
{
    V v;
    UNROLL
    for (int c = 0; c < V::WIDTH; c++)
        set(v, c, 0);
    return v;
}

template <class V> DEVICE void load(V &to, Act a, size_t i) { to = ((const V *)a.at)[i]; }
DEVICE void load(Single &to, Act a, size_t i) { to.f = get(a, at_element(a, i)); }
template <class V> DEVICE void store(Act a, size_t i, const V &v) { ((V *)a.at)[i] = v; }
DEVICE void store(Act a, size_t i, const Single &v) { put(a, at_element(a, i), v.f); }

/* WIDTH bytes, one for each element of an access. */
template <int WIDTH> struct alignas(WIDTH) Bytes {
    uint8_t of[WIDTH];
};

/* The loop over the accesses 0 … each-1 of every image n < N. */
#define FOR_EACH_ACCESS(n, i, N, each) \
    for (int n = (int)blockIdx.y; n < (N); n += (int)gridDim.y) \
        for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < (each); \
             i += (int)(gridDim.x * blockDim.x))
/* Its grid's second side. */
static inline int each_image(int N) { return N < 4096 ? N : 4096; }

/* Column, row and first channel of access i of an image, w columns wide, of `row` accesses a
 * pixel. */
typedef struct Spot {
    int h, w, c;
} Spot;
template <class V> DEVICE Spot spot_of(int i, int w, int row)
{
    Spot s;
    int pixel = i / row;
    s.c = i % row * V::WIDTH;
    s.h = pixel / w;
    s.w = pixel % w;
    return s;
}
/* The access with channel c of pixel (h, w) of image n. */
template <class V> DEVICE size_t access_at(Act a, int n, int h, int w, int c)
{
    return ((((size_t)n * a.h + h) * a.w + w) * a.c + c) / V::WIDTH;
}

/* Do all of these tensors (at NULL: not given) allow Wide? One type, no halo, aligned; rows of
 * `row` elements are whole accesses (0: rows do not matter). */
static inline bool are_wide(const Act *all, int count, int row)
{
    int width = WIDE_BYTES / (int)dtype_size(all[0].type);
    for (int i = 0; i < count; i++)
        if (all[i].at && (all[i].type != all[0].type || all[i].halo || row % width ||
                          (uintptr_t)all[i].at % WIDE_BYTES))
            return false;
    return true;
}

/* Calls f<V>(…) with the access for tensors of this type. */
#define BY_ACCESS(wide, type, f, ...) \
    do { \
        if (!(wide)) \
            f<Single>(__VA_ARGS__); \
        else if ((type) == F32) \
            f<Wide<float>>(__VA_ARGS__); \
        else if ((type) == BF16) \
            f<Wide<Bfloat>>(__VA_ARGS__); \
        else \
            f<Wide<__half>>(__VA_ARGS__); \
    } while (0)
#endif
