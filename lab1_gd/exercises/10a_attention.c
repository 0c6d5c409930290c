/* 10a_attention.c: exercise: what one position learns from itself and those before it. */
#include "check.h"
#include "lab1.h"

/* One head of causal attention over T positions, each with d numbers. q, k, v and y are [T, d], row
 * by row, and so is p [T, T]. For each position i:
 *     the score of each position j <= i    s_j = q_i · k_j / sqrt(d)
 *     their softmax over j = 0 … i         p_ij = exp(s_j) / (exp(s_0) + … + exp(s_i))
 *     the mixture of the values            y_i = p_i0 v_0 + … + p_ii v_i
 * and p_ij = 0 for j > i: position i must not see what comes later, which it is to predict. Scores
 * may be in the thousands, and exp(89) does not fit a float: subtract the largest of s_0 … s_i,
 * which leaves the softmax as it is. Write every element of y and p. The check asks for 1e-4,
 * relative. */
void attention(float *y, float *p, const float *q, const float *k, const float *v, int T, int d)
{
    TODO("for each i: scores of j <= i, their softmax into p, the mixture of v into y");
}
