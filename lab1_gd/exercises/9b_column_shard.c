/* 9b_column_shard.c: exercise: which rank owns which columns? */
#include "check.h"
#include "lab1.h"

/* Tensor parallelism splits the `columns` columns of the activations [images,columns] between a
 * block's two layers over `ranks` ranks. (The weights are [outputs,inputs], so these are rows of
 * the first layer's weights and columns of the second's; both are split by this function.) Rank
 * `rank` owns the columns [*first, *first + *count). The shards follow each other in rank order,
 * without gaps. Their sizes differ by at most one, and the first columns % ranks ranks have the
 * larger ones. With more ranks than columns the last ranks own none: *first = columns,
 * *count = 0. */
void column_shard(int *first, int *count, int columns, int rank, int ranks)
{
    TODO("set *first and *count; the first columns % ranks ranks own one column more");
}
