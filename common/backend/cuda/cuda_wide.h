/* cuda_wide.h: activations by 16 bytes: a thread reads or writes several neighbouring channels at
 * once.
 *
 * A kernel is a template over the access V: Wide<E>, 16 bytes of elements E (four float, eight
 * Bfloat or __half), or Single (one element of any type, any halo) for tensors that allow no Wide.
 * Access i of a tensor is its elements WIDTH i … WIDTH i + WIDTH - 1, counted without borders.
 * AHEAD: how many a thread has in flight at once.
 */
#ifndef CUDA_WIDE_H
#define CUDA_WIDE_H
#include "cuda_kernel.h"

#ifdef __CUDACC__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
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

template <class V> DEVICE void load(V &to, Act a, size_t i) { to = ((const V *)a.at)[i]; }
DEVICE void load(Single &to, Act a, size_t i) { to.f = get(a, at_element(a, i)); }
template <class V> DEVICE void store(Act a, size_t i, const V &v) { ((V *)a.at)[i] = v; }
DEVICE void store(Act a, size_t i, const Single &v) { put(a, at_element(a, i), v.f); }

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
