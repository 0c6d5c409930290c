/* 12a_mlp_forward.c: exercise: an MLP whose weights are cut over the ranks, forward. */
#include "check.h"
#include "lab2.h"

/* Every rank has all of x [T, C], and its shard of the weights (MlpShard, parts/12_split/split.h).
 * Write y [T, C], the whole MLP's output, on every rank:
 *
 *     y = GELU(x · w1ᵀ) · w2ᵀ        with all rows of w1 and all columns of w2
 *
 * A row of w1 needs all of x, which is here, and computes one inner number. GELU works on each
 * number alone. A column of w2 multiplies one inner number: so this rank's part of the product is a
 * part of every element of y, and the parts of all ranks have to be added up. That is all that is
 * sent.
 *
 * Keep the inner numbers for the backward pass: m->inner [T, F] before GELU, m->active [T, F]
 * after. layer_y, gelu and the calls between ranks are in split.h. */
void mlp_forward(Split *s, MlpShard *m, float *y, const float *x)
{
    TODO("this rank's rows, GELU, this rank's columns, and the sum over the ranks");
}
