/* 5a_partition.c: exercise: which images does a rank read in an epoch? */
#include "check.h"
#include "lab2.h"

/* Rank `rank` of `size` reads n = count / size of the `count` training images in epoch `epoch`:
 * write their indices, 0 … count-1, in the order in which it reads them, into mine [n], and return
 * n. If size does not divide count, n is rounded down: every rank makes equally many updates, and
 * the last images of an order are left out, others in every epoch.
 *
 * epoch_order(order, count, seed, epoch) fills order [count] with a random order of all images, the
 * same for the same arguments (epoch_order.h). The four kinds use it in four ways; i = 0 … n-1:
 *
 *     PARTITION_PLAIN       one order for all ranks, dealt out like cards: mine[i] is at i * size +
 *                           rank. So for any batch size B, the ranks' t-th batches together are
 *                           positions [tPB, (t+1)PB): the global batches of part 3
 *     PARTITION_CUT         option 1: one order for all ranks, cut into `size` parts of n images
 *                           each: mine[i] is at rank * n + i
 *     PARTITION_OWN_ORDERS  option 2: each rank draws a different order, with seed + rank in
 *                           place of seed, and reads its first n images
 *     PARTITION_ONE_ORDER   option 2 as it often goes wrong: all ranks draw the same order, with
 *                           the same seed, and read its first n images
 *
 * Take memory for the whole order from alloc(count, sizeof *order) (check.h), and free() it. Write
 * nothing beyond mine [n]. The result depends on the arguments alone: without a message, every rank
 * knows what every other one reads. */
int partition(int32_t *mine, PartitionKind kind, int count, int rank, int size, uint64_t seed,
              int epoch)
{
    TODO("draw the epoch's order, and copy this rank's count / size images of it into mine");
}
