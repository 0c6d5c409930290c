/* 10b_shard_of.c: where a rank's shard begins and ends. */
#include "lab2.h"

Shard shard_of(int count, int P, int rank)
{
    int each = (count + P - 1) / P, first = rank * each, left = count - first;
    return (Shard){each, first, left < 0 ? 0 : left < each ? left : each};
}
