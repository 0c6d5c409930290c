/* 10b_softmax_backward.c: exercise: the derivative of a softmax. */
#include "check.h"
#include "lab1.h"

/* p [n] is the softmax of the scores s [n]: p_j = exp(s_j) / (exp(s_0) + … + exp(s_n-1)). Given dp
 * [n], the derivative of the loss with respect to p, write that with respect to s into ds [n].
 *
 * Every score is in every denominator: d p_k / d s_j = p_k (1 - p_j) if k = j, else -p_k p_j. The
 * chain rule adds up over k; take p_j out of the sum, and one sum over all k is left, the same for
 * every j. So two loops of n are enough. ds is not dp. The check asks for 1e-5,
 * relative. */
void softmax_backward(float *ds, const float *p, const float *dp, int n)
{
    TODO("ds_j = sum over k of dp_k * (d p_k / d s_j)");
}
