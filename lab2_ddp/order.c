/* order.c: the order in which an epoch goes through the training pictures: a shuffle by Fisher and Yates.
 *
 * Swap each place, from the last to the second, with one drawn at random from those up to it: every permutation is
 * equally likely. All draws come from (seed, epoch), so the order is the same on every rank, and after a resume.
 */
#include "lab2.h"
#include "rng.h"

void epoch_order(int32_t *order, int count, uint64_t seed, int epoch)
{
    Rng r = rng_at(seed, RNG_ORDER, (uint32_t)epoch, 0);
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)rng_below(&r, (uint32_t)i + 1);
        int32_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}
