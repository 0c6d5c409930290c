/* cuda_embedding.cu: a language model's input: a row of one table for each token, and a row of
 * another for its position. */
#include "cuda_kernel.h"

static void check_embedding(Tensor y, Tensor x, Tensor tokens, Tensor positions)
{
    ASSERT(x.h == 1 && x.c == 1 && x.dtype == F32 && y.n == x.n && y.h == 1 && y.w == x.w);
    ASSERT(tokens.c == y.c && positions.c == y.c && positions.n == x.w && !x.halo && !y.halo);
}

/* A token that is out of range, or no whole number, shows as NaN. */
KERNEL embedding_forward(Act y, const float *x, const float *tokens, const float *positions, int V,
                         size_t n)
{
    FOR_EACH (i, n) {
        size_t row = i / y.c, c = i % y.c;
        float id = x[row];
        bool known = id >= 0 && id < V && id == floorf(id);
        put(y, i, known ? tokens[(size_t)id * y.c + c] + positions[row % y.w * y.c + c] : NAN);
    }
}

void cuda_embedding_forward(Stream *s, Tensor y, Tensor x, Tensor tokens, Tensor positions)
{
    check_embedding(y, x, tokens, positions);
    size_t n = tensor_count(y);
    LAUNCH(s, 1, embedding_forward, blocks_for(n), 1, BLOCK, act(y), (const float *)cuda_at(x),
           (const float *)cuda_at(tokens), (const float *)cuda_at(positions), tokens.n, n);
}

/* Each element of a table looks for its rows of dy and adds them in order: no atomic additions. Of
 * token blockIdx.y all threads read the same x. */
KERNEL token_gradients(float *dtokens, const float *x, Act dy, int rows)
{
    FOR_EACH (c, (size_t)dy.c) {
        float sum = 0, id = (float)blockIdx.y;
        for (int row = 0; row < rows; row++)
            if (x[row] == id)
                sum += get(dy, (size_t)row * dy.c + c);
        dtokens[(size_t)blockIdx.y * dy.c + c] += sum;
    }
}

KERNEL position_gradients(float *dpositions, Act dy, size_t each)
{
    FOR_EACH (i, each) {
        float sum = 0;
        for (int n = 0; n < dy.n; n++)
            sum += get(dy, (size_t)n * each + i);
        dpositions[i] += sum;
    }
}

void cuda_embedding_backward(Stream *s, Tensor dtokens, Tensor dpositions, Tensor x, Tensor dy)
{
    check_embedding(dy, x, dtokens, dpositions);
    size_t each = (size_t)x.w * dy.c;
    LAUNCH(s, 1, token_gradients, div_up(dy.c, BLOCK), dtokens.n, BLOCK, (float *)cuda_at(dtokens),
           (const float *)cuda_at(x), act(dy), x.n * x.w);
    LAUNCH(s, 1, position_gradients, blocks_for(each), 1, BLOCK, (float *)cuda_at(dpositions),
           act(dy), each);
}
