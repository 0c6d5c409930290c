/* 9b_column_shard.c: exercise: who owns which columns. */
#include "check.h"
#include "lab1.h"

/* Which columns [*first, *first + *count) of `columns` rank `rank` of `ranks` owns in tensor
 * parallelism. In the ranks' order, without gaps; the counts differ by at most one, and the first
 * ranks have the larger ones. There may be more ranks than columns: then the last ones have
 * none. */
void column_shard(int *first, int *count, int columns, int rank, int ranks)
{
    TODO("the columns of this rank: *first and *count; the first columns % ranks ranks own one "
         "more");
}
