/* 12e_split_seconds.c: what a block takes on P ranks, cut in four ways. */
#include "lab2.h"

double split_seconds(SplitKind kind, int P, BlockWork work, Link link)
{
    double A = work.activation, weights = link_seconds(LINK_ALL_REDUCE, P, work.weights, link),
           seconds = work.compute / P;
    if (P == 1)
        return seconds;
    switch (kind) {
    case SPLIT_DATA: return seconds + weights;
    case SPLIT_TENSOR: return seconds + 4 * link_seconds(LINK_ALL_REDUCE, P, A, link);
    case SPLIT_SEQUENCE: return seconds + 10 * link_seconds(LINK_REDUCE_SCATTER, P, A, link);
    default: return seconds + weights + (P - 1) * (2 * link.latency + 6 * A / P / link.bandwidth);
    }
}
