/* check_costs.c: how long each algorithm takes, counted by hand at some P. */
#include "check_collective.h"

const int path_ranks[PATH_COSTS] = {2, 4, 8, 16, 1, 3, 6, 32};
const PathCost path_costs[ALL_REDUCES][PATH_COSTS] = {
    [ALL_REDUCE_NAIVE] = {{2, 2}, {2, 6}, {2, 14}, {2, 30}, {0}, {2, 4}, {2, 10}, {2, 62}},
    [ALL_REDUCE_RING] =
        {{2, 1}, {6, 1.5}, {14, 1.75}, {30, 1.875}, {0}, {4, 4 / 3.0}, {10, 5 / 3.0}, {62, 1.9375}},
    [ALL_REDUCE_DOUBLING] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {0}, {3, 3}, {4, 4}, {5, 5}},
    [ALL_REDUCE_HALVING] =
        {{2, 1}, {4, 1.5}, {6, 1.75}, {8, 1.875}, {0}, {4, 3}, {6, 3.5}, {10, 1.9375}},
    [ALL_REDUCE_TREE] = {{2, 2}, {4, 4}, {6, 6}, {8, 8}, {0}, {4, 4}, {6, 6}, {10, 10}}};
