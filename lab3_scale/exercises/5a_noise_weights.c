/* 5a_noise_weights.c: exercise: a weight for each image makes a large batch as noisy as a small
 * one. */
#include "check.h"
#include "lab3.h"

/* The gradient of a batch of n images is the mean of theirs, g_i. Weighted by random z_i that have
 * the mean 1 it is (1/n) sum of z_i g_i: right on average, but noisier. Draw z [n] from N(1,
 * sigma^2), independent of each other, with the sigma for which this is as noisy as a plain batch
 * of `small` images (1 <= small <= n). With z_i independent of g_i, and g's mean small beside its
 * spread,
 *
 *     cov of a plain batch of m images   cov(g) / m
 *     cov of the weighted one            (1 + sigma^2) cov(g) / n
 *
 * from which sigma follows; small = n: all z are 1. rng_normal(r) (rng.h) draws from N(0, 1): one
 * call for each image, in order, and no other source of chance. Hoffer et al., arXiv 1705.08741,
 * section 4. */
void noise_weights(float *z, int n, int small, Rng *r)
{
    TODO("sigma from n and small, then n draws of 1 + sigma · rng_normal(r)");
}
