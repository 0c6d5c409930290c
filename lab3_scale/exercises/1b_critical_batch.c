/* 1b_critical_batch.c: exercise: the critical batch size, by branching. */
#include "check.h"
#include "lab3.h"

/* From one point of a training run n branches continued, over the same number of images, with
 * batches batch[0] < batch[1] < …, n >= 1; loss[i] is that of branch i at its end (NaN: it
 * diverged). Return the largest batch that costs nothing. Start at batch[0] and go up while
 *
 *     loss[i] <= loss[0] + tolerance        tolerance: the program passes 2 % of loss[0]
 *
 * Stop at the first batch for which that is false (a NaN makes it false), and return the batch
 * before it: at least batch[0], also if loss[0] is NaN. (Merrill et al., arXiv 2505.23971.) */
double critical_batch(const double *batch, const double *loss, int n, double tolerance)
{
    TODO("from the smallest batch up, as long as the loss is within the tolerance");
}
