/* 9b_column_shard.c: which rank owns which columns? */
#include "lab1.h"

void column_shard(int *first, int *count, int columns, int rank, int ranks)
{
    int each = columns / ranks, more = columns % ranks;
    *first = rank * each + (rank < more ? rank : more);
    *count = each + (rank < more);
}
