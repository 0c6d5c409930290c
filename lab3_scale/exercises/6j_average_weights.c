/* 6j_average_weights.c: exercise: a running mean of the weights. */
#include "check.h"
#include "lab3.h"

/* After each update: average [n], zero before the first, becomes a running mean of the weights w
 * [n], which stay as they are. step is 1 after the first update, then 2, …
 *
 *     k = min(keep, (step - 1) / step)
 *     average = k average + (1 - k) w
 *
 * At first this is the plain mean of all weights so far; from step 1 / (1 - keep) on it forgets the
 * older ones. (Polyak & Juditsky, 1992; Izmailov et al., arXiv 1803.05407.) */
void average_weights(float *average, const float *w, int n, int step, double keep)
{
    TODO("how much of the average is kept; the new average");
}
