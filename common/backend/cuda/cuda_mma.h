/* cuda_mma.h: a warp's products on the tensor cores: 16 x 8 sums += 16 x 16 times 16 x 8 elements,
 * BF16 or F16, with sums in float32 (PTX: mma.sync.m16n8k16, from compute capability 8.0 on).
 *
 * A fragment is what the warp's 32 threads hold of four 8 x 8 matrices in shared memory. Row r of
 * matrix m, eight elements aligned to 16 bytes, lies where row_at(8 m + r) says (PTX: ldmatrix).
 *   Left:   m = 0 … 3: rows 0-7 and 8-15 of columns 0-7, then the same of columns 8-15
 *   Right2: m = 0, 1: rows 0-7 and 8-15 of the first 16 x 8; m = 2, 3: of the second. A row here is
 *           a column of the product's right side: eight elements of the summed index
 * TURNED: the matrices lie transposed.
 * Thread g = lane / 4, t = lane % 4 has the sums (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1).
 */
#ifndef CUDA_MMA_H
#define CUDA_MMA_H
#include "cuda_wide.h"

enum { WARP = 32 };
DEVICE int lane_of(void) { return (int)threadIdx.x % WARP; }

#ifdef __CUDACC__
template <class E> struct Left {
    unsigned of[4];
};
template <class E> struct Right2 {
    unsigned of[4];
};

/* Its instructions are those of 8.0; below it no kernel with them is started. */
#if __CUDA_ARCH__ >= 800
#define FROM_80(...) __VA_ARGS__
#else
#define FROM_80(...)
#endif

template <bool TURNED, class Fragment, class RowAt>
static __device__ __forceinline__ void fragment(Fragment &f, RowAt row_at)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(row_at(lane_of()));
    (void)at;
#define LDMATRIX(turned) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" turned ".shared.b16 {%0,%1,%2,%3}, [%4];" \
                 : "=r"(f.of[0]), "=r"(f.of[1]), "=r"(f.of[2]), "=r"(f.of[3]) \
                 : "r"(at) \
                 : "memory")
    if (TURNED)
        FROM_80(LDMATRIX(".trans"));
    else
        FROM_80(LDMATRIX(""));
}
template <bool TURNED, class E, class RowAt> DEVICE void load_left(Left<E> &f, RowAt row_at)
{
    fragment<TURNED>(f, row_at);
}
template <bool TURNED, class E, class RowAt> DEVICE void load_right(Right2<E> &f, RowAt row_at)
{
    fragment<TURNED>(f, row_at);
}

/* *to = inside ? *from : zeros, 16 bytes from the GPU's memory to shared memory, until copies_done
 * (PTX: cp.async). */
template <class V> DEVICE void copy_or_zero(V *to, const V *from, bool inside)
{
    static_assert(sizeof(V) == 16, "an access");
    FROM_80(
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :
                     : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(inside ? 16 : 0)
                     : "memory"));
}
DEVICE void copies_done(void) { FROM_80(asm volatile("cp.async.wait_all;" : : : "memory")); }

#define MMA(type) \
    FROM_80(asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type \
                ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]) \
                : "r"(a.of[0]), "r"(a.of[1]), "r"(a.of[2]), "r"(a.of[3]), "r"(b.of[2 * j]), \
                  "r"(b.of[2 * j + 1])))
/* sum += a times the j-th of b. */
DEVICE void multiply(float *sum, const Left<Bfloat> &a, const Right2<Bfloat> &b, int j)
{
    MMA("bf16");
}
DEVICE void multiply(float *sum, const Left<__half> &a, const Right2<__half> &b, int j)
{
    MMA("f16");
}
#else
#include "host_mma.h"
#endif
#endif
