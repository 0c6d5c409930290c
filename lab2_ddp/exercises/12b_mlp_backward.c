/* 12b_mlp_backward.c: exercise: the backward pass of the MLP in 12a. */
#include "check.h"
#include "lab2.h"

/* dy [T, C], the derivative of the loss with respect to y, is the same on every rank; x [T, C],
 * m->inner and m->active are as 12a left them. Write
 *
 *     m->dw2 [C, F], m->dw1 [F, C]    the gradient of this rank's shard
 *     dx [T, C]                       the derivative with respect to x, whole, on every rank
 *
 * Go back layer by layer: w2, GELU, w1. The gradients of the shard need nothing from other ranks.
 * But x went into the rows of all ranks, and each rank knows only what came back through its own:
 * where the forward pass hands the same x to all, the backward pass adds up. (Megatron-LM calls the
 * two a pair of conjugate operators.)
 *
 * For the derivative with respect to m->active take memory from alloc(T * F, sizeof(float))
 * (check.h), and free() it. dx, dy and x are different arrays; change neither dy nor x. */
void mlp_backward(Split *s, MlpShard *m, float *dx, const float *dy, const float *x)
{
    TODO("back through w2, GELU and w1; dx is a sum over the ranks, the gradients are not");
}
