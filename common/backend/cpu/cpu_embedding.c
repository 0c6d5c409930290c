/* cpu_embedding.c: a language model's input: a row of one table for each token, and a row of
 * another for its position. */
#include "cpu.h"

static int token_at(Tensor x, int row, int V)
{
    float id = ((const float *)cpu_at(x))[row];
    ASSERT(id >= 0 && id < V && id == (float)(int)id);
    return (int)id;
}

static void check(Tensor y, Tensor x, Tensor tokens, Tensor positions)
{
    ASSERT(x.h == 1 && x.c == 1 && x.dtype == F32 && y.n == x.n && y.h == 1 && y.w == x.w);
    ASSERT(tokens.c == y.c && positions.c == y.c && positions.n == x.w && !x.halo && !y.halo);
}

void cpu_embedding_forward(Stream *s, Tensor y, Tensor x, Tensor tokens, Tensor positions)
{
    check(y, x, tokens, positions);
    int T = x.w, C = y.c;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int row = 0; row < x.n * T; row++) {
        float *to = (float *)cpu_at(y) + (size_t)row * C;
        const float *a = (float *)cpu_at(tokens) + (size_t)token_at(x, row, tokens.n) * C,
                    *b = (float *)cpu_at(positions) + (size_t)(row % T) * C;
        for (int c = 0; c < C; c++)
            to[c] = a[c] + b[c];
    }
}

/* Each thread has some of the channels, so that every sum keeps its order. */
void cpu_embedding_backward(Stream *s, Tensor dtokens, Tensor dpositions, Tensor x, Tensor dy)
{
    check(dy, x, dtokens, dpositions);
    int T = x.w, C = dy.c;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int slice = 0; slice < s->threads; slice++) {
        int c0 = chunk_begin(C, slice, s->threads), c1 = chunk_begin(C, slice + 1, s->threads);
        for (int row = 0; row < x.n * T; row++) {
            const float *g = (float *)cpu_at(dy) + (size_t)row * C;
            float *a = (float *)cpu_at(dtokens) + (size_t)token_at(x, row, dtokens.n) * C,
                  *b = (float *)cpu_at(dpositions) + (size_t)(row % T) * C;
            for (int c = c0; c < c1; c++) {
                a[c] += g[c];
                b[c] += g[c];
            }
        }
    }
}
