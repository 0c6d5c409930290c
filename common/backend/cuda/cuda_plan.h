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
    PIXELS_PER_THREAD = 8
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

/* Pieces into which each of G groups' images are cut for batch norm's sums: one per image, as far
 * as scratch holds their sums (double [G,pieces,2,C]); 1: no pieces are needed. */
HOST_AND_DEVICE int norm_pieces(int images, int G, int C, size_t scratch_bytes)
{
    size_t fit = scratch_bytes / (sizeof(double) * 2 * C * G);
    int pieces = images < 512 ? images : 512;
    return fit < 2 ? 1 : (size_t)pieces < fit ? pieces : (int)fit;
}
/* The first of `count` items in piece `piece` of `pieces`; it ends where the next begins. */
HOST_AND_DEVICE int piece_begin(int count, int piece, int pieces)
{
    return (int)((long)count * piece / pieces);
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
