/* cuda_plan.h: how work is cut for a GPU: plain arithmetic, the same on the host, in the kernels
 * and in the tests. */
#ifndef CUDA_PLAN_H
#define CUDA_PLAN_H
#include <stddef.h>
#ifdef __CUDACC__
#define HOST_AND_DEVICE static __host__ __device__ inline
#else
#define HOST_AND_DEVICE static inline
#endif

enum {
    BLOCK = 256,          /* threads of a block in elementwise kernels */
    WIDE_BLOCK = 512,     /* in kernels that sum: a power of two */
    STRIP_CHANNELS = 128, /* channels of one strip, at most */
    IN_FLIGHT = 4,        /* accesses of 16 bytes that a thread has in flight at once */
    /* batch norm: threads of a block; accesses in a strip, at most; blocks that an H100 has room
     * for at once, and four times as many */
    NORM_BLOCK = 256,
    STRIP_ACCESSES = 8,
    LEAST_BLOCKS = 132 * 2,
    MOST_BLOCKS = 4 * LEAST_BLOCKS,
    LONGEST_SUM = 64,
    NORM_COUNTERS = 1 << 14 /* blocks that add up the others' sums, at most: [G,strips] */
};

HOST_AND_DEVICE int div_up(long a, long b) { return (int)((a + b - 1) / b); }

/* Elements of a channel, summed or scaled: neighbouring threads take neighbouring channels (they
 * lie side by side), and each thread keeps its channel. So the channels are cut into `count` strips
 * of `channels`, and a block's threads are `lanes` x channels; lane l takes the pixels l, l +
 * lanes, … Threads beyond lanes * channels have nothing to do. */
typedef struct Strips {
    int channels, lanes, count;
} Strips;
HOST_AND_DEVICE Strips strips_of(int C, int threads)
{
    Strips s;
    s.count = div_up(C, STRIP_CHANNELS);
    s.channels = div_up(C, s.count);
    if (s.count > 1)
        s.channels = div_up(s.channels, 32) * 32; /* whole warps */
    s.lanes = threads / s.channels;
    return s;
}

/* Blocks for n elements, at least one, at most enough to keep a large GPU busy: the kernels' loops
 * do the rest. */
HOST_AND_DEVICE int blocks_for(size_t n)
{
    size_t blocks = (n + BLOCK - 1) / BLOCK, most = 132 * 8 * 4;
    return blocks < 1 ? 1 : blocks < most ? (int)blocks : (int)most;
}

/* How batch norm's kernels cut their work. A pixel has C / WIDTH accesses (cuda_wide.h), which are
 * cut into strips of 1, 2, 4 or 8: at most a cache line of 128 bytes, and no strip is a short one.
 * A block's threads are `lanes` x accesses. Each group's pixels are cut into `pieces` of `length`
 * (the last ones may be short, or empty). The grid: G * pieces x strips. */
typedef struct NormCut {
    int accesses, strips, lanes, pieces;
    long length;
} NormCut;

/* row: accesses in a pixel; pixels: of a group. Each thread has IN_FLIGHT pixels; fewer, if there
 * would be fewer blocks than `least`, more, if there would be more than `most`. */
static inline NormCut norm_cut(int row, int G, long pixels, int least, int most)
{
    NormCut cut;
    cut.accesses = row % STRIP_ACCESSES == 0 ? STRIP_ACCESSES : row & -row;
    cut.strips = row / cut.accesses;
    cut.lanes = NORM_BLOCK / cut.accesses;
    long columns = (long)G * cut.strips, pieces = div_up(pixels, cut.lanes * IN_FLIGHT),
         full = div_up(pixels, cut.lanes);
    pieces = pieces < least / columns ? least / columns : pieces;
    pieces = pieces > most / columns ? most / columns : pieces;
    cut.pieces = (int)(pieces < 1 ? 1 : pieces > full ? full : pieces);
    cut.length = div_up(pixels, cut.pieces);
    return cut;
}

/* The same for sums: the pieces' sums, double [G * pieces,2,C], fit into scratch memory, and there
 * are enough pieces that a thread adds up at most LONGEST_SUM elements in float32. */
static inline NormCut norm_sums_cut(int row, int G, long pixels, int C, size_t scratch_bytes)
{
    NormCut cut = norm_cut(row, G, pixels, LEAST_BLOCKS, LEAST_BLOCKS);
    size_t fit = scratch_bytes / (sizeof(double) * 2 * C * G);
    int short_enough = div_up(pixels, (long)cut.lanes * LONGEST_SUM);
    if (cut.pieces < short_enough)
        cut.pieces = short_enough;
    if ((long)G * cut.strips > NORM_COUNTERS || fit < 1)
        fit = 1;
    if ((size_t)cut.pieces > fit)
        cut.pieces = (int)fit;
    cut.length = div_up(pixels, cut.pieces);
    return cut;
}
HOST_AND_DEVICE int group_size(int N, int group, int g)
{
    return N - g * group < group ? N - g * group : group;
}
/* ceil(N / group); group may be as large as an int. */
HOST_AND_DEVICE int group_count(int N, int group) { return (N - 1) / group + 1; }

/* How many images a convolution turns into im2col's matrix at a time: its rows are `row_bytes`
 * long, P*Q of them per image. At least one image. */
HOST_AND_DEVICE int im2col_images(int N, int pixels, size_t row_bytes, size_t most_bytes)
{
    size_t fit = most_bytes / (row_bytes * pixels);
    return fit < 1 ? 1 : fit < (size_t)N ? (int)fit : N;
}
#endif
