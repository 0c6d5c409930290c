/* 8d_sparse_delta.c: exercise: the k largest elements of a pseudo-gradient, with 2 bits each. */
#include "check.h"
#include "lab2.h"

/* SparseLoCo's compression of a pseudo-gradient (Sarfi et al., arXiv 2508.15706). Of a chunk of
 * n <= SPARSE_CHUNK elements send only the k largest, each with 2 bits; what is not sent is not
 * lost, but waits in this rank's `residual` [n], which is 0 at first (error feedback):
 *
 *   1. residual = decay residual + delta
 *   2. choose the k elements of residual with the largest |.| (of equal ones those that come
 *      first). Write their positions, in ascending order, into at [k], and what the others will
 *      receive into value [k]: without two_bits the element itself
 *   3. with two_bits: let m be the largest |.| of the chosen. An element becomes +m or -m where its
 *      |.| is 3m/4 or more, else +m/2 or -m/2, with its own sign, as copysignf gives it
 *   4. take what was sent off the residual: residual[at[i]] -= value[i]
 *
 * 1 <= k <= n; delta [n] stays as it is. The other ranks add up what all ranks sent, and make an
 * outer step with the mean. */
void sparse_delta(int32_t *at, float *value, float *residual, const float *delta, int n, int k,
                  double decay, bool two_bits)
{
    TODO("add delta, choose the k largest, round them, and take off what was sent");
}
