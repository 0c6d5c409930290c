/* 10a_rank_costs.c: what a rank has in memory, and what it sends. */
#include "lab2.h"
#include <math.h>

RankCosts rank_costs(ZeroStage stage, int P, const int *count, int units, int states, int micro)
{
    double n = 0, shards = 0, largest = 0;
    for (int i = 0; i < units; i++) {
        double each = ceil((double)count[i] / P);
        n += count[i];
        shards += each;
        largest = fmax(largest, P * each);
    }
    if (stage < ZERO_2)
        shards = ceil(n / P);
    double whole = stage == ZERO_0 ? n : P * shards;
    double sent = 4 * whole * (P - 1) / P; /* by a reduce-scatter or an all-gather */
    switch (stage) {
    case ZERO_0: return (RankCosts){4 * n, 4 * n, 4 * n * states, 2 * sent};
    case ZERO_1: return (RankCosts){4 * whole, 4 * whole, 4 * shards * states, 2 * sent};
    case ZERO_2:
        return (RankCosts){4 * whole, 4 * (shards + largest), 4 * shards * states,
                           (micro + 1) * sent};
    default:
        return (RankCosts){4 * (shards + largest), 4 * (shards + largest), 4 * shards * states,
                           3 * micro * sent};
    }
}
