/* 4a_ghost_norm.c: exercise: batch norm whose statistics come from small parts of the batch. */
#include "check.h"
#include "lab3.h"

/* x [rows, channels] is the input of a batch norm, one row for each pixel of each image, images
 * one after the other. Cut the rows into groups of `group` rows, in order; the last group has what
 * is left. Each group has its own mean and variance of each channel (the variance divided by the
 * group's number of rows, not by one less), over which
 *
 *     y = gamma · (x - mean) / sqrt(variance + 1e-5) + beta
 *
 * with gamma and beta [channels]. Write y [rows, channels]; y may be x. Compute the statistics in
 * double, the variance as the mean of (x - mean)^2. group >= rows is plain batch norm; with less
 * it is "ghost batch norm", with which a large batch has the noise of a small one's statistics
 * (Hoffer et al., arXiv 1705.08741). */
void ghost_norm(float *y, const float *x, const float *gamma, const float *beta, int rows,
                int channels, int group)
{
    TODO("for each group and channel: the mean, the variance, then y");
}
