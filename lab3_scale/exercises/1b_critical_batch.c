/* 1b_critical_batch.c: exercise: the critical batch size, by branching. */
#include "check.h"
#include "lab3.h"

/* From one point of a training run n branches continued, over the same number of images, with
 * batches batch[0] < batch[1] < …, n >= 1; loss[i] is that of branch i at its end. Return the
 * largest batch that costs nothing: the last batch[i] such that loss[0] + tolerance (a difference
 * of losses: the program passes 2 % of loss[0]) is exceeded neither by loss[i] nor by that of any
 * smaller batch. At least batch[0]. NaN: that branch diverged, which exceeds everything; where
 * loss[0] is NaN, so do all others: batch[0]. (Merrill et al., arXiv 2505.23971.) */
double critical_batch(const double *batch, const double *loss, int n, double tolerance)
{
    TODO("from the smallest batch up, as long as the loss is within the tolerance");
}
