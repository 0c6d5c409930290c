/* 5b_grow_batch.c: exercise: raise the batch instead of lowering the rate. */
#include "check.h"
#include "lab3.h"

/* A schedule divides the learning rate by `factor` >= 1 at some epochs. What calms the training
 * there is the ratio rate / batch, so the batch can grow instead, and the updates become fewer
 * (Smith et al., arXiv 1711.00489). At such an epoch, from *batch and *rate:
 *
 *   1. multiply the batch by the factor, in double, and round to the nearest whole number (halves
 *      up), but to `most` at the most: there is a largest batch that fits, or is useful. Limit the
 *      product while it is a double: it may exceed an int. *batch is at most `most` before;
 *   2. set the rate so that rate / batch has fallen by exactly the factor: it stays as it is where
 *      the batch took up all of the factor, changes a little where the batch was rounded, and falls
 *      by what is left where `most` was in the way.
 *
 * Write the new ones into *batch and *rate. */
void grow_batch(int *batch, double *rate, int most, double factor)
{
    TODO("the new batch, limited; then the rate that makes rate / batch fall by the factor");
}
