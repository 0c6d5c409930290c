/* cuda_pieces.h: sums over the rows of a matrix [rows,C], in pieces of them: each piece's sums by
 * blocks of their own, into scratch memory, then added in order. */
#ifndef CUDA_PIECES_H
#define CUDA_PIECES_H
#include "cuda_kernel.h"

/* `count` pieces of `length` rows; the last may be short, or empty. */
typedef struct Pieces {
    int count, length;
} Pieces;

/* A row has `floats` sums. */
static inline Pieces pieces_of(int rows, int floats)
{
    enum { PIECE_ROWS = 512 };
    int count = div_up(rows, PIECE_ROWS), fit = SCRATCH_BYTES / (int)sizeof(float) / floats;
    Pieces p;
    p.count = count < fit ? count : fit;
    p.length = div_up(rows, p.count);
    return p;
}

DEVICE int min_of(int a, int b) { return a < b ? a : b; }

/* to [C] += the sums over the pieces of part [pieces,C], rows `step` floats apart. */
KERNEL add_pieces(float *to, const float *part, int pieces, size_t step, int C)
{
    FOR_EACH (c, (size_t)C) {
        double sum = 0;
        for (int i = 0; i < pieces; i++)
            sum += part[(size_t)i * step + c];
        to[c] += (float)sum;
    }
}
#endif
