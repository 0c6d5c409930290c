/* 10a_float16_of.c: the float16 nearest to a number. */
#include "lab3.h"
#include <math.h>

float float16_of(float x)
{
    int exponent;
    double fraction = frexp(fabs((double)x), &exponent); /* |x| = fraction * 2^exponent, below 1 */
    if (x == 0 || isnan(x) || isinf(x))
        return x;
    int least = exponent - 11 < -24 ? -24 : exponent - 11;
    double nearest = ldexp(rint(ldexp(fraction, exponent - least)), least);
    return (float)copysign(nearest > 65504 ? INFINITY : nearest, x);
}
