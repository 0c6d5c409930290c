/* 10a_float16_of.c: exercise: the float16 nearest to a number. */
#include "check.h"
#include "lab3.h"

/* A float16 has a sign, 5 bits of exponent and 11 bits of mantissa, the first of which is not
 * stored (IEEE 754 binary16). Its numbers, which a float holds exactly, are
 *
 *     m * 2^(e - 10)      m a whole number, 1024 <= m < 2048, and -14 <= e <= 15
 *     m * 2^-24           0 <= m < 1024: the subnormal numbers, and 0
 *
 * so the largest is 65504. Return the one nearest to x; of two that are equally near, that with the
 * even m. The sign stays, also of a 0. 65520 and all beyond it become infinite (below, 65504 is
 * nearer); infinity and NaN stay what they are.
 *
 * frexp, ldexp, rint and fabs of <math.h> help: rint rounds halves to the even number. */
float float16_of(float x)
{
    TODO("the spacing of the float16 around x; x rounded to a multiple of it; what is too large");
}
