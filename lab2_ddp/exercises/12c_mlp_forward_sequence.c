/* 12c_mlp_forward_sequence.c: exercise: the MLP of 12a, with the positions cut between layers. */
#include "check.h"
#include "lab2.h"

/* In 12a every rank holds x and y of all positions, P times the same. Layer norm and the skip
 * connection, which lie between such layers, work on each position alone. So each rank can keep
 * n = T / P positions there: rank r those from r·n on (P divides T). x and y are now [n, C], this
 * rank's positions.
 *
 * The inner layers are cut as before, by weights, and need all positions. So bring them together
 * first; and of the sum at the end each rank needs only its own positions. An all-reduce is a
 * reduce-scatter and an all-gather: both are still there, but now something stands between them.
 *
 * m->inner and m->active [T, F] are written as in 12a. Take memory for [T, C] from alloc(T * C,
 * sizeof(float)) (check.h), and free() it. */
void mlp_forward_sequence(Split *s, MlpShard *m, float *y, const float *x)
{
    TODO("all positions of x together; as in 12a; this rank's positions of the sum");
}
