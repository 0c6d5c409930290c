/* tensor.h: a view of elements in a device's memory. Owns nothing; passed by value.
 *
 * A batch of images is NHWC: image n, row h, column w, channel c, the channel running fastest.
 * Element (n,h,w,c) lies at
 *
 *     at + ((n * (H + 2 halo) + h + halo) * (W + 2 halo) + w + halo) * C + c
 *
 * `halo` is a border of zeros around every image, so that a 3x3 convolution may read beyond the
 * edge without a test. Only the inside of a tensor is written; the border is zeroed once, when the
 * buffer is made, and stays zero. A matrix of R rows and K columns is n=R, c=K (h=w=1); a vector of
 * n elements is n=n, c=1; both without halo.
 */
#ifndef TENSOR_H
#define TENSOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum { F32, F64, BF16, F16, I32, U8 } DType;
typedef struct Buffer Buffer; /* opaque memory of a device: backend.h */

typedef struct Tensor {
    Buffer *buf; /* NULL: no tensor (see NO_TENSOR) */
    size_t at;   /* offset of image 0, border included, in elements of dtype */
    DType dtype;
    int n, h, w, c;
    int halo; /* pixels of zero border on each side of H and of W */
} Tensor;

#define NO_TENSOR ((Tensor){0})                              /* for an omitted optional argument */
static inline bool given(Tensor t) { return t.buf != NULL; } /* NO_TENSOR: false */

static inline size_t dtype_size(DType t)
{
    return t == F64 ? 8 : t == BF16 || t == F16 ? 2 : t == U8 ? 1 : 4;
}
/* Elements, without the border. */
static inline size_t tensor_count(Tensor t) { return (size_t)t.n * t.h * t.w * t.c; }
/* A bfloat16 is the upper half of a float32: the one nearest to v, ties to even, NaN stays NaN; and
 * the value of one. */
static inline uint16_t bf16_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint32_t nearest = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;
    return (uint16_t)((v == v ? nearest : quiet) >> 16);
}
static inline float bf16_value(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
/* Elements, border included: the buffer's minimum behind `at`. */
static inline size_t tensor_span(Tensor t)
{
    return (size_t)t.n * (t.h + 2 * t.halo) * (t.w + 2 * t.halo) * t.c;
}
static inline Tensor tensor_matrix(Buffer *buf, size_t at, DType dtype, int rows, int columns)
{
    return (Tensor){buf, at, dtype, rows, 1, 1, columns, 0};
}
static inline Tensor tensor_vector(Buffer *buf, size_t at, DType dtype, int n)
{
    return tensor_matrix(buf, at, dtype, n, 1);
}
/* Elements [first, first + n) of a vector, not checked: a bucket of the gradient, one layer's
 * weights. */
static inline Tensor tensor_slice(Tensor vector, size_t first, int n)
{
    vector.at += first;
    vector.n = n;
    return vector;
}
/* The first n images (rows) of a batch: the last batch of an epoch may be short. */
static inline Tensor tensor_first(Tensor t, int n)
{
    t.n = n;
    return t;
}
#endif
