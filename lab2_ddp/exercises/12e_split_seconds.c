/* 12e_split_seconds.c: exercise: what a block takes on P ranks, cut in four ways. */
#include "check.h"
#include "lab2.h"

/* Seconds of a block's forward and backward pass on P >= 1 ranks (BlockWork, split.h), nothing
 * overlapped: the computing, divided by P, and what is sent, one after the other. A collective on n
 * bytes, of the whole vector, takes link_seconds(LINK_ALL_REDUCE, P, n, link) (link.h), or
 * LINK_REDUCE_SCATTER, also for an all-gather; a message n bytes / link.bandwidth + link.latency.
 * With W = work.weights and A = work.activation:
 *
 *     SPLIT_DATA       the gradient: an all-reduce of W
 *     SPLIT_TENSOR     attention and MLP each make an all-reduce of A, forward and backward: 4
 *     SPLIT_SEQUENCE   in place of each of those an all-gather and a reduce-scatter of A; and
 *                      backward two more all-gathers, since whole inputs are not kept
 *     SPLIT_CONTEXT    P - 1 passes around the ring with 2 A / P bytes, forward; P - 1 with
 *                      4 A / P, backward (the gradients of keys and values go along); and as every
 *                      rank has all weights, the gradient: an all-reduce of W
 *
 * One rank sends nothing. */
double split_seconds(SplitKind kind, int P, BlockWork work, Link link)
{
    TODO("computing / P, and the messages of this kind");
}
