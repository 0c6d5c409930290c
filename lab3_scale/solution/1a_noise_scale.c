/* 1a_noise_scale.c: the reference: two equations. */
#include "check.h"
#include "lab3.h"
#include <math.h>

double noise_scale(const double *small, const double *large, int pairs, int b, int B)
{
    double of_small = 0, of_large = 0;
    for (int i = 0; i < pairs; i++) {
        of_small += small[i] / pairs;
        of_large += large[i] / pairs;
    }
    double gradient = (B * of_large - b * of_small) / (B - b);
    double noise = (of_small - of_large) / (1.0 / b - 1.0 / B);
    return gradient > 0 ? noise / gradient : INFINITY;
}
