/* generate.c: see generate.h. A window is as long for one token as for T, and attention looks back
 * only: what lies behind the last token does not matter. */
#include "generate.h"
#include "check.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>

/* Token i with probability exp(z[i]) / sum exp(z). */
static int draw(Rng *r, const float *z, int count)
{
    float highest = z[0];
    double sum = 0, below = 0;
    int token = 0;
    for (int i = 1; i < count; i++)
        highest = z[i] > highest ? z[i] : highest;
    for (int i = 0; i < count; i++)
        sum += exp(z[i] - highest);
    double point = rng_uniform(r) * sum;
    while (token < count - 1 && (below += exp(z[token] - highest)) <= point)
        token++;
    return token;
}

void generate(Model *m, uint8_t *text, int count, uint8_t first, uint64_t seed)
{
    const BackendOps *op = m->be->op;
    int T = model_positions(m), tokens = m->spec.classes;
    ASSERT(T > 1 && count >= 0 && count <= T && first < tokens && tokens <= 256);
    Tensor x = tensor_new(m->be, F32, 1, 1, T, 1, model_halo(m));
    float *window = alloc((size_t)T, sizeof *window);
    float *logits = alloc((size_t)T * (size_t)tokens, sizeof *logits);
    Rng r = rng_at(seed, RNG_TEXT, 1, 0);
    window[0] = first;
    for (int t = 0; t < count; t++) {
        op->upload(m->s, x, window);
        model_forward(m, x, MODEL_EVAL);
        op->download(m->s, logits, m->logits);
        text[t] = (uint8_t)draw(&r, logits + (size_t)t * (size_t)tokens, tokens);
        if (t + 1 < T)
            window[t + 1] = text[t];
    }
    tensor_free(m->be, x);
    free(window);
    free(logits);
}
