/* 7c_one_bit.c: exercise: a bucket in signs and two means. */
#include "check.h"
#include "lab2.h"

/* Write g [n] as codes of one bit: code[i] is 0 if g[i] is negative, else 1 (so 0.0 and -0.0 are
 * 1). A receiver reads value[0] for a 0 and value[1] for a 1.
 *
 * The values that lose least: value[0] is the mean of the negative elements, value[1] that of the
 * others. Then the codes' sum is the sum of g. A class without elements has the value 0.
 *
 * Seide et al., "1-bit stochastic gradient descent", Interspeech 2014: without error feedback (7d)
 * it does not train. */
void one_bit(uint8_t *code, float value[2], const float *g, int n)
{
    TODO("the sign of each element; sum and number of the negative ones and of the others");
}
