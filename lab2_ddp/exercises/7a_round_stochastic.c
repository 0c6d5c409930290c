/* 7a_round_stochastic.c: exercise: a bucket in codes of a few bits, right on average. */
#include "check.h"
#include "lab2.h"

/* Write g [n], a bucket of the gradient, as codes of `bits` bits (2 … 8): code[i] in 0 … 2L, with
 * L = 2^(bits-1) - 1. Return the scale, the largest magnitude in g (0 if all are 0). A receiver
 * reads
 *
 *     (code[i] - L) * scale / L,        so L is 0, 2L is +scale and 0 is -scale
 *
 * g[i] lies between two such values. Rounding to the nearest would be the same in every update: a
 * small element would become 0 in all of them, and never be heard of. Stochastic rounding goes up
 * with a probability that makes the value right on average: for x = g[i] * L / scale, the code is
 * L + floor(x + u), u uniform in [0, 1). u [n] has such a number for each element.
 *
 *     u[i] = 0.5 for all i: the nearest. The same function does both
 *
 * Careful: a cast to int rounds towards 0, which is down only for what is positive. If all of g is
 * 0, do not divide by 0: every code is L. u < 1, but x + u can be rounded up to L + 1: stay in
 * 0 … 2L.
 *
 * Speed decides whether compression pays. A compiler turns a simple loop into vector instructions,
 * 8 or 16 elements at a time; where it adds up or takes a maximum, it needs permission to change
 * the order, on the line before the loop:
 *
 *     #pragma omp simd reduction(max : scale)         or reduction(+ : sum)
 *
 * Take a maximum by a comparison, not by fmaxf(): that is a call for every element, which alone
 * takes longer than all the rest.
 *
 * Alistarh et al., QSGD, arXiv 1610.02132. */
float round_stochastic(uint8_t *code, const float *g, const float *u, int n, int bits)
{
    TODO("the largest magnitude; then each element as L + floor(x + u), in 0 … 2L");
}
