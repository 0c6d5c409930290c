/* cuda_wide.h: activations by 16 bytes: a thread reads or writes several neighbouring channels at
 * once.
 *
 * A kernel is a template over the access V: Halves (eight BF16), Floats (four F32), or Single (one
 * element of either type, any halo) for tensors that allow neither. Access i of a tensor is its
 * elements WIDTH i … WIDTH i + WIDTH - 1, counted without borders. AHEAD: how many a thread has
 * under way at once.
 */
#ifndef CUDA_WIDE_H
#define CUDA_WIDE_H
#include "cuda_kernel.h"

#ifdef __CUDACC__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

struct alignas(16) Halves {
    static constexpr int WIDTH = 8, AHEAD = UNDER_WAY;
    uint16_t half[WIDTH];
};
struct alignas(16) Floats {
    static constexpr int WIDTH = 4, AHEAD = UNDER_WAY;
    float f[WIDTH];
};
struct Single {
    static constexpr int WIDTH = 1, AHEAD = 1;
    float f;
};

/* Element c of an access. */
DEVICE float value(const Halves &v, int c) { return from_bf16(v.half[c]); }
DEVICE float value(const Floats &v, int c) { return v.f[c]; }
DEVICE float value(const Single &v, int c) { return v.f; }
DEVICE void set(Halves &v, int c, float x) { v.half[c] = to_bf16(x); }
DEVICE void set(Floats &v, int c, float x) { v.f[c] = x; }
DEVICE void set(Single &v, int c, float x) { v.f = x; }

template <class V> DEVICE void load(V &to, Act a, size_t i) { to = ((const V *)a.at)[i]; }
DEVICE void load(Single &to, Act a, size_t i) { to.f = get(a, at_element(a, i)); }
template <class V> DEVICE void store(Act a, size_t i, const V &v) { ((V *)a.at)[i] = v; }
DEVICE void store(Act a, size_t i, const Single &v) { put(a, at_element(a, i), v.f); }

/* The width that suits all of these tensors (at NULL: not given): one type, no halo, aligned; rows
 * of `row` elements are whole accesses (0: rows do not matter). */
static inline int width_of(const Act *all, int count, int row)
{
    int width = all[0].bf16 ? Halves::WIDTH : Floats::WIDTH;
    for (int i = 0; i < count; i++)
        if (all[i].at &&
            (all[i].bf16 != all[0].bf16 || all[i].halo || row % width || (uintptr_t)all[i].at % 16))
            return Single::WIDTH;
    return width;
}

/* Calls f<V>(…) with the access of this width. */
#define BY_WIDTH(width, f, ...) \
    do { \
        if ((width) == Halves::WIDTH) \
            f<Halves>(__VA_ARGS__); \
        else if ((width) == Floats::WIDTH) \
            f<Floats>(__VA_ARGS__); \
        else \
            f<Single>(__VA_ARGS__); \
    } while (0)
#endif
