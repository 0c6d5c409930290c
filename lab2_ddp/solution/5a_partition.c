/* 5a_partition.c: which images a rank reads in an epoch. */
#include "check.h"
#include "lab2.h"
#include <stdlib.h>

int partition(int32_t *mine, PartitionKind kind, int count, int rank, int size, uint64_t seed,
              int epoch)
{
    int n = count / size;
    int32_t *order = alloc(count, sizeof *order);
    epoch_order(order, count, kind == PARTITION_OWN_ORDERS ? seed + rank : seed, epoch);
    for (int i = 0; i < n; i++)
        mine[i] = kind == PARTITION_PLAIN ? order[i * size + rank]
                : kind == PARTITION_CUT   ? order[rank * n + i]
                                          : order[i];
    free(order);
    return n;
}
