/* 10b_shard_of.c: exercise: where a rank's shard begins and ends. */
#include "check.h"
#include "lab2.h"

/* `count` elements on P ranks: all shards have the same size, each = count / P rounded up, as
 * reduce-scatter and all-gather require. Rank r's shard is elements [r * each, (r + 1) *
 * each) of the padded vector: first = r * each. Of these only the `own` elements below `count` are
 * real; the rest is padding. The last rank may have fewer real elements than the others, and if P
 * does not divide a small count several ranks may have none: own is never negative.
 *
 *     7 elements on 3 ranks: each 3; first 0, 3, 6; own 3, 3, 1
 *     5 elements on 4 ranks: each 2; first 0, 2, 4, 6; own 2, 2, 1, 0 */
Shard shard_of(int count, int P, int rank)
{
    TODO("equal shards, rounded up; how many of this rank's elements are real");
}
