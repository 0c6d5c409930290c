/* 10a_rank_costs.c: exercise: what a rank has in memory, and what it sends. */
#include "check.h"
#include "lab2.h"

/* A network has n parameters, the sum of count [units]; each count is a layer's. P ranks train it,
 * in float32: 4 bytes. Without sharding a rank has all parameters, all gradients, and `states`
 * vectors of optimiser state (momentum: 1, Adam: 2), each of n elements.
 *
 * Sharding pads, because all shards are of one size: of m elements a rank has each(m) = m / P,
 * rounded up, and the whole is P * each(m).
 *
 *   stage   whole, at any time                 its shard only
 *   0       parameters, gradients, state       -                            nothing is padded
 *   1       parameters, gradients              state                        of all n at once
 *   2       parameters; the gradient of ONE    gradients, state             layer by layer
 *           layer, the largest
 *   3       ONE layer's parameters and         parameters, gradients,       layer by layer
 *           gradient, the largest              state
 *
 * In stage 1 a rank's shards of parameters and gradients are part of the whole vectors. In stages 2
 * and 3 the whole layer comes on top of all shards, also where P is 1.
 *
 * What a rank sends: with rings, and whole vectors of m bytes in total, a reduce-scatter or an
 * all-gather takes (P - 1) / P * m, and an all-reduce both. An update of `micro` micro-batches
 * makes
 *
 *   0       one all-reduce of the gradient
 *   1       one reduce-scatter of the gradient, and after the step one all-gather of the parameters
 *   2       the reduce-scatter after each micro-batch (there is no room to add up whole
 *           gradients), and the all-gather of stage 1
 *   3       for each micro-batch two all-gathers of the parameters (forward, backward) and one
 *           reduce-scatter; none after the step: nobody keeps the whole parameters
 *
 * Rajbhandari et al., "ZeRO: memory optimizations toward training trillion parameter models", 2019
 * (arXiv 1910.02054), sections 5 and 7. */
RankCosts rank_costs(ZeroStage stage, int P, const int *count, int units, int states, int micro)
{
    TODO("bytes of parameters, gradients and state at each stage, and bytes sent");
}
