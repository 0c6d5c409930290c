/* cuda_conv_tile.cu: the convolutions of few channels, for which cuDNN's kernels stay far from the
 * memory's speed: 3 x 3, stride 1, of 16 channels to 16, 32 to 32, or an F32 image's up to 8 to 16
 * or 32, in BF16 and F16. An implicit matrix product on the tensor cores (cuda_mma.h).
 *
 * A block has `rows` rows of an image. The image's rows and a border of zeros lie in shared memory
 * one behind the other, W + 2 pixels each, so that 16 neighbouring outputs read 16 neighbouring
 * pixels for each of the nine taps: position q of the output reads q + r (W + 2) + s. The outputs
 * at the two columns of the border are computed and dropped. A pixel is C / 8 octets of 16 bytes,
 * which are permuted so that eight neighbouring pixels' lie in different banks (16 pixels on, the
 * same).
 *
 *   forward: y [pixels,K] = x [pixels,9 C] w [9 C,K]
 *   data:    dx, the same with y's gradient as x, and w turned by 180 degrees and transposed
 *   weights: dw [K,9 C] = dy [K,pixels] x [pixels,9 C]: a block keeps its sums over many tiles; a
 *            second kernel adds the blocks' in order, so that the bits are the same each time.
 */
#include "cuda_conv.h"
#include "cuda_mma.h"
#include <stdlib.h>
#include <string.h>

enum {
    TILE_BLOCK = 128,
    WEIGHT_BLOCK = 256, /* threads of the weights' kernel */
    TAPS = 9,
    AT_ONCE = 32,         /* positions that a warp of the forward kernel has at a time */
    TILE_OCTETS = 1328,   /* of x in the forward kernel: 21 KiB */
    WEIGHT_OCTETS = 1472, /* of x and dy in the other, which has two such tiles: 46 KiB */
    WEIGHT_BLOCKS = 2 * 132,
    COLUMNS_OF_WARP = 18, /* 16 x 8 sums that a warp of the weights' kernel keeps, at most */
    ADD_LANES = WEIGHT_BLOCK / WARP /* threads that add up one weight's sums */
};

/* How images of H rows are cut: `parts` per image, of `rows` rows (the last may be short). */
typedef struct RowCut {
    int H, W, rows, parts, across; /* across: W + 2 */
    unsigned inverse;              /* 2^22 / across, rounded up */
} RowCut;
/* Positions of the output in a tile, and of the input. */
HOST_AND_DEVICE int outputs_of(RowCut c) { return div_up(c.rows * c.across, AT_ONCE) * AT_ONCE; }
HOST_AND_DEVICE int inputs_of(RowCut c) { return outputs_of(c) + 2 * c.across + 2; }
/* position / across; exact, since both are below 2^11 */
DEVICE int row_of(RowCut c, int position) { return (int)((unsigned)position * c.inverse >> 22); }

/* The most rows for which a tile has at most `octets`; rows is 0 if there are none. */
static RowCut row_cut(int H, int W, int in_octets, int out_octets, int octets)
{
    RowCut c = {H, W, H, 1, W + 2, 0};
    while (c.rows > 0 && inputs_of(c) * in_octets + outputs_of(c) * out_octets > octets)
        c.rows = c.parts < H ? div_up(H, ++c.parts) : 0;
    c.inverse = (unsigned)div_up(1 << 22, c.across);
    return c;
}

/* ---- what a block has in shared memory ---- */

/* Octet o of OC of the pixel at position q. */
template <int OC> DEVICE int octet_at(int q, int o) { return q * OC + (o ^ (q / (8 / OC) % OC)); }

/* Where octet o of 9 OC of the output at position q lies. Of four octets the upper two lie where
 * the lower two do, but for a bit: a thread keeps half as many addresses. */
template <int OC> DEVICE int tap_at(int q, int o, int across)
{
    int tap = o / OC, upper = OC == 4 ? o & 2 : 0;
    return octet_at<OC>(q + tap / 3 * across + tap % 3, o % OC - upper) ^ upper;
}

/* Up to eight channels of a pixel of an F32 image, rounded; 0 if it is not inside. */
template <class E> DEVICE Wide<E> pixel_of(Act x, size_t pixel, bool inside)
{
    Wide<E> v;
    UNROLL
    for (int c = 0; c < WIDEST; c++)
        set(v, c, inside && c < x.c ? ((const float *)x.at)[pixel * x.c + c] : 0);
    return v;
}

/* tile = `positions` pixels of a part of image n, behind `before` rows and columns of border: a
 * warp has a row. Until copies_done. */
template <class E, int OC, bool IMAGE>
DEVICE void load_tile(Wide<E> *tile, Act x, int n, int part, RowCut cut, int positions, int before)
{
    for (int row = (int)threadIdx.x / WARP; row * cut.across < positions;
         row += (int)blockDim.x / WARP) {
        int q = row * cut.across, h = part * cut.rows + row - before, lane = lane_of(),
            end = (positions - q < cut.across ? positions - q : cut.across) * OC,
            w = lane / OC - before;
        bool live = row < cut.rows + 2 * before && h >= 0 && h < cut.H;
        size_t pixel = ((size_t)n * x.h + (live ? h : 0)) * x.w;
        /* WARP octets on: as many pixels further, in the same order */
        Wide<E> *to = tile + octet_at<OC>(q + lane / OC, lane % OC);
        const Wide<E> *from = (const Wide<E> *)x.at + pixel * OC + w * OC + lane % OC;
        UNROLL_BY(3)
        for (int i = lane; i < end; i += WARP) {
            bool inside = live && w >= 0 && w < cut.W;
            if constexpr (IMAGE)
                *to = pixel_of<E>(x, pixel + w, inside);
            else
                copy_or_zero(to, inside ? from : (const Wide<E> *)x.at, inside);
            to += WARP, from += WARP, w += WARP / OC;
        }
    }
}

/* Steps of 16 summed elements, two octets each; of nine octets the tenth is zero. */
template <int OC> struct Steps {
    static constexpr int OCTETS = TAPS * OC, COUNT = (OCTETS + 1) / 2,
                         ROW = 2 * COUNT + 1; /* odd: eight rows lie in different banks */
};

/* ---- forward, and the data's gradient ---- */

/* A filter as it is read: packed [K,9,C]; of an image PyTorch's [K,C,9]; TURNED_ROUND for
 * the data's gradient, where packed is [in,9,out]. */
enum FilterOrder { STRAIGHT, OF_IMAGE, TURNED_ROUND };

/* filters [OUT][ROW octets]: the product's columns, eight by eight. Column 2t + e of part 2p + j is
 * channel 16p + 4t + 2j + e, so that a thread's four sums of a pixel lie side by side in y. */
DEVICE int column_of(int k) { return (k & ~15) | (k & 2) << 2 | (k >> 1 & 6) | (k & 1); }

template <class E, int OC, int OUT, FilterOrder ORDER>
DEVICE void load_filters(Wide<E> *filters, const void *w, int image_channels)
{
    enum { OCTETS = Steps<OC>::OCTETS, COUNT = Steps<OC>::COUNT, ROW = Steps<OC>::ROW };
    for (int i = (int)threadIdx.x; i < OUT * 2 * COUNT; i += TILE_BLOCK) {
        /* neighbouring threads read neighbouring elements */
        int k = ORDER == TURNED_ROUND ? i % OUT : i / (2 * COUNT),
            o = ORDER == TURNED_ROUND ? i / OUT : i % (2 * COUNT);
        Wide<E> *to = &filters[column_of(k) * ROW + o];
        if constexpr (ORDER == STRAIGHT) {
            copy_or_zero(to, (const Wide<E> *)w + i, true);
        } else {
            Wide<E> v;
            UNROLL
            for (int c = 0; c < WIDEST; c++)
                if (ORDER == TURNED_ROUND)
                    v.of[c] = ((
                        const E *)w)[((o % OC * WIDEST + c) * TAPS + TAPS - 1 - o / OC) * OUT + k];
                else
                    set(v, c,
                        o < OCTETS && c < image_channels
                            ? ((const float *)w)[(k * image_channels + c) * TAPS + o]
                            : 0);
            *to = v;
        }
    }
}

/* Four neighbouring channels. */
template <class E> struct alignas(8) Four {
    E of[4];
};

/* y = the convolution (+ added, which may be y). blockIdx.x is image * parts + part. */
template <class E, int OC, int OUT, FilterOrder ORDER>
KERNEL conv_tile(Act y, Act x, const void *w, Act added, RowCut cut)
{
    constexpr int COUNT = Steps<OC>::COUNT, OCTETS = Steps<OC>::OCTETS, ROW = Steps<OC>::ROW,
                  PAIRS = OUT / 16;
    static_assert(ORDER == OF_IMAGE || OCTETS == 2 * COUNT, "no octet of zeros");
    __shared__ Wide<E> tile[TILE_OCTETS], filters[OUT * ROW];
    int n = (int)blockIdx.x / cut.parts, part = (int)blockIdx.x % cut.parts;
    FIRST
    {
        load_filters<E, OC, OUT, ORDER>(filters, w, x.c);
        load_tile<E, OC, ORDER == OF_IMAGE>(tile, x, n, part, cut, inputs_of(cut), 1);
        copies_done();
    }
    THEN
    {
        int g = lane_of() / 4, t = lane_of() % 4;
        size_t before = (size_t)n * cut.H * cut.W * (OUT / 4) + t;
        for (int first = (int)threadIdx.x / WARP * AT_ONCE; first < cut.rows * cut.across;
             first += TILE_BLOCK / WARP * AT_ONCE) {
            float sum[2][2 * PAIRS][4] = {};
            UNROLL
            for (int step = 0; step < COUNT; step++) {
                Left<E> a[2];
                UNROLL
                for (int m = 0; m < 2; m++)
                    load_left<false>(a[m], [&](int i) {
                        int o = 2 * step + i / 16;
                        o = o < OCTETS ? o : OCTETS - 1; /* times zero */
                        return tile[(first + 16 * m) * OC + tap_at<OC>(i % 16, o, cut.across)].of;
                    });
                UNROLL
                for (int p = 0; p < PAIRS; p++) {
                    Right2<E> b;
                    load_right<false>(b, [&](int i) {
                        int column = 16 * p + i / 16 * 8 + i % 8;
                        return filters[column * ROW + 2 * step + i / 8 % 2].of;
                    });
                    UNROLL
                    for (int m = 0; m < 2; m++) {
                        multiply(sum[m][2 * p], a[m], b, 0);
                        multiply(sum[m][2 * p + 1], a[m], b, 1);
                    }
                }
            }
            UNROLL
            for (int half = 0; half < 4; half++) { /* eight positions */
                int q = first + 8 * half + g, row = row_of(cut, q), column = q - row * cut.across,
                    h = part * cut.rows + row;
                if (row >= cut.rows || h >= cut.H || column >= cut.W)
                    continue;
                UNROLL
                for (int p = 0; p < PAIRS; p++) {
                    size_t at = before + (h * cut.W + column) * (OUT / 4) + 4 * p;
                    Four<E> out;
                    UNROLL
                    for (int c = 0; c < 4; c++) {
                        float v = sum[half / 2][2 * p + c / 2][2 * (half % 2) + c % 2];
                        if (added.at)
                            v += widen(((const Four<E> *)added.at)[at].of[c]);
                        narrow(out.of[c], v);
                    }
                    ((Four<E> *)y.at)[at] = out;
                }
            }
        }
    }
}

/* ---- the weights' gradient ---- */

/* Who does what: a warp has 16 of the K channels, a row of the product, and some of its columns of
 * eight; warps with the same take turns at the pixels. */
template <int OC, int OK> struct Roles {
    static constexpr int COLUMNS = (Steps<OC>::OCTETS + COLUMNS_OF_WARP - 1) / COLUMNS_OF_WARP,
                         COUNT = OK / 2 * COLUMNS, GROUPS = WEIGHT_BLOCK / WARP / COUNT,
                         HERE = Steps<OC>::OCTETS / COLUMNS;
};

/* part [gridDim.x][K][9 * OC * 8] = the sums over the tiles blockIdx.x, blockIdx.x + gridDim.x, …,
 * of which a block has at most `turns`. While it multiplies one, the next arrives. */
template <class E, int OC, int OK, bool IMAGE>
KERNEL __launch_bounds__(WEIGHT_BLOCK, 2)
    conv_tile_weights(float *part, Act dy, Act x, RowCut cut, int turns)
{
    typedef Roles<OC, OK> R;
    constexpr int OCTETS = Steps<OC>::OCTETS, PAIRS = (R::HERE + 1) / 2, WIDE_ROW = OCTETS * WIDEST;
    __shared__ Wide<E> tiles[2][WEIGHT_OCTETS]; /* octets of x, then of dy */
    static_assert(sizeof tiles >= sizeof(float) * OK * 8 * WIDE_ROW, "the sums fit in their place");
    PER_THREAD(float, sum, WEIGHT_BLOCK, PAIRS * 2 * 4);
    int warp = (int)threadIdx.x / WARP, role = warp % R::COUNT, group = warp / R::COUNT,
        channel = role / R::COLUMNS * 2, column = role % R::COLUMNS * R::HERE, g = lane_of() / 4,
        t = lane_of() % 4, all = x.n * cut.parts, dy_at = inputs_of(cut) * OC,
        block = (int)blockIdx.x, blocks = (int)gridDim.x;
    FIRST
    {
        UNROLL
        for (int i = 0; i < PAIRS * 2 * 4; i++)
            sum[i] = 0;
    }
    for (int turn = -1; turn < turns; turn++) {
        NEXT(turn + 2)
        {
            int mine = block + turn * blocks, next = mine + blocks;
            const Wide<E> *tile = tiles[turn & 1];
            if (next < all && turn + 1 < turns) {
                Wide<E> *to = tiles[(turn + 1) & 1];
                load_tile<E, OC, IMAGE>(to, x, next / cut.parts, next % cut.parts, cut,
                                        inputs_of(cut), 1);
                load_tile<E, OK, false>(to + dy_at, dy, next / cut.parts, next % cut.parts, cut,
                                        outputs_of(cut), 0);
            }
            for (int first = group * 16; turn >= 0 && mine < all && first < cut.rows * cut.across;
                 first += R::GROUPS * 16) {
                Left<E> a;
                load_left<true>(a, [&](int i) {
                    return tile[dy_at + first * OK +
                                octet_at<OK>(i / 16 * 8 + i % 8, channel + i / 8 % 2)]
                        .of;
                });
                UNROLL
                for (int pair = 0; pair < PAIRS; pair++) {
                    Right2<E> b;
                    load_right<true>(b, [&](int i) {
                        int o = column + 2 * pair + i / 16;
                        o = o < OCTETS ? o : OCTETS - 1; /* its sums are dropped */
                        return tile[first * OC + tap_at<OC>(i % 16, o, cut.across)].of;
                    });
                    multiply(sum + 8 * pair, a, b, 0);
                    multiply(sum + 8 * pair + 4, a, b, 1);
                }
            }
            copies_done();
        }
    }
    /* the groups of warps add theirs in turn, in place of the tile */
    float *total = (float *)tiles;
    for (int turn = 0; turn < R::GROUPS; turn++) {
        NEXT(turns + 2 + turn)
        {
            UNROLL
            for (int i = 0; i < R::HERE * 4; i++) {
                int k = 8 * channel + g + i % 4 / 2 * 8,
                    at = k * WIDE_ROW + (column + i / 4) * WIDEST + 2 * t + i % 2;
                if (group == turn)
                    total[at] = (turn > 0 ? total[at] : 0) + sum[i];
            }
        }
    }
    NEXT(turns + 2 + R::GROUPS)
    {
        for (int i = (int)threadIdx.x; i < OK * 8 * WIDE_ROW; i += WEIGHT_BLOCK)
            part[(size_t)block * OK * 8 * WIDE_ROW + i] = total[i];
    }
}

/* dw [K,C,9] += the blocks' part [count][K,9,channels], in float64. */
KERNEL add_tile_parts(float *dw, const float *part, int count, int K, int C, int channels)
{
    __shared__ double sum[WEIGHT_BLOCK];
    int lane = (int)threadIdx.x / WARP, all = K * TAPS * channels,
        i = (int)blockIdx.x * WARP + lane_of();
    FIRST
    {
        double a = 0;
        for (int b = lane; i < all && b < count; b += ADD_LANES)
            a += part[(size_t)b * all + i];
        sum[threadIdx.x] = a;
    }
    THEN
    {
        int c = i % channels, tap = i / channels % TAPS, k = i / channels / TAPS;
        if (lane == 0 && i < all && c < C) {
            double a = 0;
            for (int l = 0; l < ADD_LANES; l++)
                a += sum[l * WARP + lane_of()];
            dw[(k * C + c) * TAPS + tap] += (float)a;
        }
    }
}

/* ---- which convolutions, and the calls ---- */

static int in_channels(const ConvPlan *p) { return p->image ? PADDED_C : p->C; }
/* in: channels of the input, as the kernel sees it */
static RowCut forward_cut(const ConvPlan *p, int in)
{
    return row_cut(p->H, p->W, in / WIDEST, 0, TILE_OCTETS);
}
static RowCut weight_cut(const ConvPlan *p)
{
    return row_cut(p->H, p->W, in_channels(p) / WIDEST, p->K / WIDEST, WEIGHT_OCTETS);
}

void cuda_tile_plan(Backend *be, ConvPlan *p, Tensor y, Tensor x)
{
    const char *wanted = getenv("LABS_CONV"); /* cudnn: to compare */
    bool image = x.dtype == F32 && p->C <= PADDED_C;
    if ((wanted && !strcmp(wanted, "cudnn")) || !be->op->bf16 || p->type == F32 || p->R != 3 ||
        p->stride != 1 || !(image || (x.dtype == p->type && p->C == p->K)) ||
        (p->K != 16 && p->K != 32) || x.halo || y.halo)
        return;
    p->image = image;
    p->tiled = forward_cut(p, in_channels(p)).rows > 0 && weight_cut(p).rows > 0 &&
               (image || forward_cut(p, p->K).rows > 0);
    p->image = p->tiled && image;
}

size_t cuda_tile_bytes(const ConvPlan *p)
{
    return sizeof(float) * WEIGHT_BLOCKS * p->K * TAPS * in_channels(p);
}

static bool fits(const ConvPlan *p, Tensor t) /* y or x */
{
    return !t.halo && (uintptr_t)cuda_at(t) % WIDE_BYTES == 0 && t.dtype == p->type;
}
bool cuda_tile_fits(const ConvPlan *p, Tensor y, Tensor x)
{
    return p->tiled && fits(p, y) && (p->image ? !x.halo && x.dtype == F32 : fits(p, x));
}

template <class E, int OC, int OUT, FilterOrder ORDER>
static void start_tile(Stream *s, Tensor y, Tensor x, const void *w, Act added, RowCut cut)
{
    LAUNCH(s, 2, (conv_tile<E, OC, OUT, ORDER>), x.n * cut.parts, 1, TILE_BLOCK, act(y), act(x), w,
           added, cut);
}

/* Calls f<E, …>(…). */
#define BY_TYPE(type, f, more, ...) \
    do { \
        if ((type) == BF16) \
            f<Bfloat, UNPACK more>(__VA_ARGS__); \
        else \
            f<__half, UNPACK more>(__VA_ARGS__); \
    } while (0)
#define UNPACK(...) __VA_ARGS__

void cuda_tile_forward(Stream *s, const ConvPlan *p, Tensor y, Tensor x, Tensor w, Tensor residual)
{
    RowCut cut = forward_cut(p, in_channels(p));
    Act added = act(residual);
    const void *filters = p->image ? cuda_at(w) : cuda_conv_filters(s, p, w, p->C);
    if (p->image && p->K == 16)
        BY_TYPE(p->type, start_tile, (1, 16, OF_IMAGE), s, y, x, filters, added, cut);
    else if (p->image)
        BY_TYPE(p->type, start_tile, (1, 32, OF_IMAGE), s, y, x, filters, added, cut);
    else if (p->K == 16)
        BY_TYPE(p->type, start_tile, (2, 16, STRAIGHT), s, y, x, filters, added, cut);
    else
        BY_TYPE(p->type, start_tile, (4, 32, STRAIGHT), s, y, x, filters, added, cut);
}

void cuda_tile_backward_data(Stream *s, const ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    RowCut cut = forward_cut(p, p->K);
    const void *filters = cuda_conv_filters(s, p, w, p->C);
    Act added = act(dx);
    if (!add)
        added.at = NULL;
    if (p->K == 16)
        BY_TYPE(p->type, start_tile, (2, 16, TURNED_ROUND), s, dx, dy, filters, added, cut);
    else
        BY_TYPE(p->type, start_tile, (4, 32, TURNED_ROUND), s, dx, dy, filters, added, cut);
}

template <class E, int OC, int OK>
static void start_tile_weights(Stream *s, float *part, Tensor dy, Tensor x, RowCut cut, int blocks,
                               int turns)
{
    LAUNCH(s, turns + 3 + (Roles<OC, OK>::GROUPS), (conv_tile_weights<E, OC, OK, OC == 1>), blocks,
           1, WEIGHT_BLOCK, part, act(dy), act(x), cut, turns);
}
void cuda_tile_backward_weight(Stream *s, const ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
    RowCut cut = weight_cut(p);
    int tiles = x.n * cut.parts, blocks = tiles < WEIGHT_BLOCKS ? tiles : WEIGHT_BLOCKS,
        turns = div_up(tiles, blocks), channels = in_channels(p), all = p->K * TAPS * channels;
    float *part = (float *)conv_scratch(s, p->tile_at);
    if (p->image && p->K == 16)
        BY_TYPE(p->type, start_tile_weights, (1, 2), s, part, dy, x, cut, blocks, turns);
    else if (p->image)
        BY_TYPE(p->type, start_tile_weights, (1, 4), s, part, dy, x, cut, blocks, turns);
    else if (p->K == 16)
        BY_TYPE(p->type, start_tile_weights, (2, 2), s, part, dy, x, cut, blocks, turns);
    else
        BY_TYPE(p->type, start_tile_weights, (4, 4), s, part, dy, x, cut, blocks, turns);
    LAUNCH(s, 2, add_tile_parts, div_up(all, WARP), 1, WEIGHT_BLOCK, (float *)cuda_at(dw), part,
           blocks, p->K, p->C, channels);
}
