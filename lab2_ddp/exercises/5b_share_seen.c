/* 5b_share_seen.c: exercise: how much of the data has been seen? */
#include "check.h"
#include "lab2.h"

/* What share of the training images, 0 … 1, has been read by any rank after `epochs` epochs, on
 * average? There are `size` ranks (1 or more), each reads 1/size of the images in an epoch, by this
 * kind of partition (5a_partition.c), and size divides the number of images. 0 after 0 epochs.
 *
 * Draws that know nothing of each other overlap. If each reads a random share s of the images, one
 * draw misses an image with probability 1 - s, and k draws all miss it with probability (1 - s)^k.
 * How many such draws are there in an epoch, if all ranks use one order? If each has its own? */
double share_seen(PartitionKind kind, int size, int epochs)
{
    TODO("1 - (the probability that an image is missed by all draws); 1 where the parts cover all");
}
