/* 2f_all_reduce_seconds.c: the α-β prediction of each all-reduce. */
#include "check.h"
#include "lab2.h"
#include <math.h>

/* The largest power of two that is not above P. */
static int power_below(int P)
{
    int Q = 1;
    while (2 * Q <= P)
        Q *= 2;
    return Q;
}

double all_reduce_seconds(Algorithm a, int P, double bytes, double alpha, double beta)
{
    int Q = power_below(P);
    double steps = log2(Q), message = alpha + bytes * beta, extra = P > Q ? 2 * message : 0;
    switch (a) {
    case ALL_REDUCE_NAIVE: return P == 1 ? 0 : 2 * alpha + 2 * (P - 1) * bytes * beta;
    case ALL_REDUCE_RING: return 2 * (P - 1) * (alpha + bytes / P * beta);
    case ALL_REDUCE_DOUBLING: return steps * message + extra;
    case ALL_REDUCE_HALVING: return 2 * steps * alpha + 2 * (Q - 1.0) / Q * bytes * beta + extra;
    case ALL_REDUCE_TREE: return 2 * (steps + (P > Q)) * message;
    default: return NAN;
    }
}
