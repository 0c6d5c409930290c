/* cuda_loss_scale.cu: loss scaling (model.h: model_backward) without the host: S lies in the GPU's
 * memory, where the next pass finds it, be it queued or replayed. */
#include "cuda_kernel.h"
#include <float.h>

static LossScale *state_of(Tensor scale)
{
    ASSERT(scale.dtype == U8 && tensor_count(scale) == sizeof(LossScale));
    return (LossScale *)cuda_at(scale);
}

KERNEL scale_up(float *x, const LossScale *state, size_t n)
{
    float by = state->scale;
    FOR_EACH (i, n)
        x[i] *= by;
}

void cuda_scale_up(Stream *s, Tensor x, Tensor scale)
{
    size_t n = tensor_count(x);
    ASSERT(x.dtype == F32 && x.halo == 0);
    LAUNCH(s, 1, scale_up, blocks_for(n), 1, BLOCK, (float *)cuda_at(x),
           (const LossScale *)state_of(scale), n);
}

KERNEL scale_down(float *g, LossScale *state, size_t n)
{
    float by = 1 / state->scale; /* exact: S is a power of two */
    bool finite = true;
    FOR_EACH (i, n) {
        float v = g[i] * by;
        g[i] = v;
        finite = finite && fabsf(v) <= FLT_MAX;
    }
    if (!finite)
        atomicOr(&state->overflow, 1u);
}

DEVICE void move_scale(LossScale *state)
{
    if (state->overflow) {
        state->scale = fmaxf(state->scale / 2, LOSS_SCALE_LEAST);
        state->good = 0;
    } else if (++state->good == LOSS_SCALE_GOOD) {
        state->scale = fminf(state->scale * 2, LOSS_SCALE_MOST);
        state->good = 0;
    }
    state->overflow = 0;
}

/* After scale_down has seen all of g. One block: it seldom has more to do than to look. */
KERNEL settle(float *g, LossScale *state, int last, size_t n)
{
    FIRST
    {
        for (size_t i = threadIdx.x; state->overflow && i < n; i += WIDE_BLOCK)
            g[i] = 0;
    }
    THEN
    {
        if (last && threadIdx.x == 0)
            move_scale(state);
    }
}

void cuda_scale_down(Stream *s, Tensor g, Tensor scale, bool last)
{
    size_t n = tensor_count(g);
    LossScale *state = state_of(scale);
    float *at = given(g) ? (float *)cuda_at(g) : NULL;
    ASSERT(g.dtype == F32 && g.halo == 0);
    if (n > 0)
        LAUNCH(s, 1, scale_down, blocks_for(n), 1, BLOCK, at, state, n);
    LAUNCH(s, 2, settle, 1, 1, WIDE_BLOCK, at, state, last, n);
}
