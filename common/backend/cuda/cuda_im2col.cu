/* cuda_im2col.cu: the kernels before and after the matrix products of a convolution
 * (cuda_conv.h). */
#include "cuda_conv.h"
#include "cuda_wide.h"

/* A row-major matrix as an activation, for get and put. */
static Act dense(void *at, DType type, int n, int h, int w, int c)
{
    Act a = {at, type, n, h, w, c, 0};
    return a;
}

/* ---- filters: [K,C,RR], PyTorch's, and [K,RR,channels], channels >= C ----
 * A block has one filter and TILE of its channels. They pass through shared memory, so that
 * neighbouring threads read and write neighbouring elements of both. */
enum { TILE = 64, MOST_TAPS = 9, MOST_PACKED = 64 };
typedef struct Filter {
    int C, RR, channels;
} Filter;
/* How many of `count` channels are in this block's tile. */
DEVICE int in_tile(int count, int first)
{
    return count < first ? 0 : count - first < TILE ? count - first : TILE;
}

/* Of several convolutions, whose blocks follow each other. It fits a kernel's 4 KiB of arguments:
 * nothing is uploaded. */
typedef struct ToPack {
    const float *w;
    void *packed;
    Filter filter;
    int block; /* its first */
} ToPack;
typedef struct PackList {
    DType type;
    int count, blocks;
    ToPack of[MOST_PACKED];
} PackList;

KERNEL pack(PackList list)
{
    __shared__ float tile[TILE * MOST_TAPS];
    int mine = 0;
    while (mine + 1 < list.count && (int)blockIdx.x >= list.of[mine + 1].block)
        mine++;
    const ToPack *of = &list.of[mine];
    Filter f = of->filter;
    int tiles = div_up(f.channels, TILE), block = (int)blockIdx.x - of->block, k = block / tiles,
        first = block % tiles * TILE, C = in_tile(f.C, first), wide = in_tile(f.channels, first);
    Act packed = {of->packed, list.type, 0, 0, 0, 0, 0};
    FIRST
    {
        const float *from = of->w + ((size_t)k * f.C + first) * f.RR;
        for (int i = (int)threadIdx.x; i < C * f.RR; i += BLOCK)
            tile[i] = from[i];
    }
    THEN
    {
        for (int i = (int)threadIdx.x; i < wide * f.RR; i += BLOCK) {
            int c = i % wide, tap = i / wide;
            put(packed, ((size_t)k * f.RR + tap) * f.channels + first + c,
                c < C ? tile[c * f.RR + tap] : 0);
        }
    }
}

static void to_pack(PackList *list, const ConvPlan *p, void *packed, Tensor w, int channels)
{
    Filter f = {p->C, p->R * p->R, channels};
    ASSERT(tensor_count(w) == p->weights && w.dtype == F32 && f.RR <= MOST_TAPS);
    ASSERT(list->count < MOST_PACKED && (list->count == 0 || list->type == p->type));
    ToPack one = {(const float *)cuda_at(w), packed, f, list->blocks};
    list->type = p->type;
    list->of[list->count++] = one;
    list->blocks += p->K * div_up(channels, TILE);
}

static void pack_listed(Stream *s, PackList list)
{
    if (list.count)
        LAUNCH(s, 2, pack, list.blocks, 1, BLOCK, list);
}

void cuda_conv_pack_one(Stream *s, const ConvPlan *p, void *packed, Tensor w, int channels)
{
    PackList list = {F32, 0, 0, {}};
    to_pack(&list, p, packed, w, channels);
    pack_listed(s, list);
}

void cuda_conv_pack(Stream *s, int n, ConvPlan *const *plans, const Tensor *packed, const Tensor *w)
{
    PackList list = {F32, 0, 0, {}};
    for (int i = 0; i < n; i++) {
        ASSERT(same_shape(packed[i], cuda_conv_packed(plans[i])));
        ASSERT((uintptr_t)cuda_at(packed[i]) % FILTERS_ALIGNED == 0);
        if (list.count == MOST_PACKED || (list.count && list.type != plans[i]->type)) {
            pack_listed(s, list);
            list.count = list.blocks = 0;
        }
        to_pack(&list, plans[i], cuda_at(packed[i]), w[i], plans[i]->C);
    }
    pack_listed(s, list);
}

KERNEL unpack_add(float *dw, Act packed, Filter f)
{
    __shared__ float tile[TILE * MOST_TAPS];
    int k = (int)blockIdx.x, first = (int)blockIdx.y * TILE, C = in_tile(f.C, first);
    FIRST
    {
        for (int i = (int)threadIdx.x; i < C * f.RR; i += BLOCK) {
            int c = i % C, tap = i / C;
            tile[c * f.RR + tap] = get(packed, ((size_t)k * f.RR + tap) * f.channels + first + c);
        }
    }
    THEN
    {
        float *to = dw + ((size_t)k * f.C + first) * f.RR;
        for (int i = (int)threadIdx.x; i < C * f.RR; i += BLOCK)
            to[i] += tile[i];
    }
}

void cuda_conv_unpack_add(Stream *s, const ConvPlan *p, Tensor dw, void *packed, DType type,
                          int channels)
{
    Filter f = {p->C, p->R * p->R, channels};
    ASSERT(f.RR <= MOST_TAPS);
    LAUNCH(s, 2, unpack_add, p->K, div_up(p->C, TILE), BLOCK, (float *)cuda_at(dw),
           dense(packed, type, p->K, p->R, p->R, channels), f);
}

/* ---- images ---- */

/* A thread writes a pixel's channels by one store of 16 bytes. */
template <class V> KERNEL pad_channels(V *padded, Act x, size_t pixels)
{
    static_assert(V::WIDTH == PADDED_C, "a pixel is an access");
    FOR_EACH (i, pixels) {
        V all;
        for (int c = 0; c < PADDED_C; c++)
            set(all, c, c < x.c ? get(x, i * x.c + c) : 0);
        padded[i] = all;
    }
}

template <class V> static void start_pad(Stream *s, void *padded, Tensor x)
{
    size_t pixels = (size_t)x.n * x.h * x.w;
    LAUNCH(s, 1, pad_channels<V>, blocks_for(pixels), 1, BLOCK, (V *)padded, act(x), pixels);
}

void cuda_conv_pad(Stream *s, const ConvPlan *p, void *padded, Tensor x)
{
    ASSERT(x.c <= PADDED_C && x.halo == 0 && p->type != F32);
    if (p->type == BF16)
        start_pad<Wide<Bfloat>>(s, padded, x);
    else
        start_pad<Wide<__half>>(s, padded, x);
}

/* The sizes of a plan that its kernels need. */
typedef struct Geometry {
    int C, R, stride, pad, P, Q;
} Geometry;

static Geometry geometry_of(const ConvPlan *p)
{
    Geometry g = {p->C, p->R, p->stride, p->pad, p->P, p->Q};
    return g;
}

/* 32-bit indices, for fast divisions: they limit a plan's images at a time. */
KERNEL im2col(Act col, Act x, Geometry g, unsigned n)
{
    FOR_EACH (element, n) {
        unsigned i = (unsigned)element, rest = i / g.C, taps = g.R * g.R, pixel = rest / taps,
                 image = pixel / (g.P * g.Q);
        int c = (int)(i % g.C), tap = (int)(rest % taps), output = (int)(pixel % (g.P * g.Q));
        int h = output / g.Q * g.stride - g.pad + tap / g.R,
            w = output % g.Q * g.stride - g.pad + tap % g.R;
        bool inside = h >= 0 && h < x.h && w >= 0 && w < x.w;
        put(col, i, inside ? get(x, at_pixel(x, (int)image, h, w) + c) : 0);
    }
}

void cuda_im2col(Stream *s, const ConvPlan *p, void *col, Tensor x)
{
    size_t n = (size_t)x.n * p->P * p->Q * conv_row(p);
    ASSERT(n <= UINT32_MAX);
    LAUNCH(s, 1, im2col, blocks_for(n), 1, BLOCK,
           dense(col, p->type, x.n, p->P, p->Q, (int)conv_row(p)), act(x), geometry_of(p),
           (unsigned)n);
}

/* Input (h, w) was tap (r, q) of output ((h + pad - r) / stride, (w + pad - q) / stride), where
 * these are integers and inside. */
KERNEL col2im(Act dx, const float *dcol, Geometry g, int add, unsigned n)
{
    FOR_EACH (element, n) {
        unsigned i = (unsigned)element, pixel = i / g.C, row = pixel / dx.w;
        int c = (int)(i % g.C), w = (int)(pixel % dx.w), h = (int)(row % dx.h),
            image = (int)(row / dx.h), taps = g.R * g.R;
        float sum = 0;
        for (int tap = 0; tap < taps; tap++) {
            int top = h + g.pad - tap / g.R, left = w + g.pad - tap % g.R, p = top / g.stride,
                q = left / g.stride;
            if (top >= 0 && left >= 0 && p * g.stride == top && q * g.stride == left && p < g.P &&
                q < g.Q)
                sum += dcol[((((size_t)image * g.P + p) * g.Q + q) * taps + tap) * g.C + c];
        }
        put_or_add(dx, at_pixel(dx, image, h, w) + c, sum, add);
    }
}

void cuda_col2im(Stream *s, const ConvPlan *p, Tensor dx, const float *dcol, bool add)
{
    size_t n = tensor_count(dx);
    ASSERT(n <= UINT32_MAX);
    LAUNCH(s, 1, col2im, blocks_for(n), 1, BLOCK, act(dx), dcol, geometry_of(p), add, (unsigned)n);
}

KERNEL copy_rows(Act rows, Act t, size_t n)
{
    FOR_EACH (i, n)
        put(rows, i, get(t, at_element(t, i)));
}

void cuda_conv_rows(Stream *s, const ConvPlan *p, void *rows, Tensor t)
{
    LAUNCH(s, 1, copy_rows, blocks_for(tensor_count(t)), 1, BLOCK,
           dense(rows, p->type, t.n, t.h, t.w, t.c), act(t), tensor_count(t));
}

KERNEL take_rows(Act y, const float *rows, Act residual, size_t n)
{
    FOR_EACH (i, n)
        put(y, at_element(y, i),
            rows[i] + (residual.at ? get(residual, at_element(residual, i)) : 0));
}

void cuda_conv_take(Stream *s, Tensor y, const float *rows, Tensor residual)
{
    LAUNCH(s, 1, take_rows, blocks_for(tensor_count(y)), 1, BLOCK, act(y), rows, act(residual),
           tensor_count(y));
}
