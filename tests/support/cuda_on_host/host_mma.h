/* host_mma.h: cuda_mma.h's fragments on the CPU, where threads run one after the other: each loads
 * all that its own sums need. Included by cuda_mma.h. */
#ifndef HOST_MMA_H
#define HOST_MMA_H

template <class V> static inline void copy_or_zero(V *to, const V *from, bool inside)
{
    if (inside)
        *to = *from;
    else
        memset((void *)to, 0, sizeof *to);
}
static inline void copies_done(void) {}

template <class E> struct Left {
    float of[4][8]; /* this thread's row of each matrix */
};
template <class E> struct Right2 {
    float of[4][2][8]; /* its two rows of each */
};

template <bool TURNED, class E, class RowAt> static inline void load_left(Left<E> &f, RowAt row_at)
{
    int g = lane_of() / 4;
    for (int m = 0; m < 4; m++)
        for (int k = 0; k < 8; k++)
            f.of[m][k] = widen(TURNED ? row_at(8 * m + k)[g] : row_at(8 * m + g)[k]);
}

template <bool TURNED, class E, class RowAt>
static inline void load_right(Right2<E> &f, RowAt row_at)
{
    int t = lane_of() % 4;
    for (int m = 0; m < 4; m++)
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < 8; k++)
                f.of[m][e][k] = widen(TURNED ? row_at(8 * m + k)[2 * t + e]
                                             : row_at(8 * m + 2 * t + e)[k]);
}

template <class E>
static inline void multiply(float *sum, const Left<E> &a, const Right2<E> &b, int j)
{
    for (int half = 0; half < 2; half++)
        for (int e = 0; e < 2; e++)
            for (int m = 0; m < 2; m++)
                for (int k = 0; k < 8; k++)
                    sum[2 * half + e] += a.of[2 * m + half][k] * b.of[2 * j + m][e][k];
}
#endif
