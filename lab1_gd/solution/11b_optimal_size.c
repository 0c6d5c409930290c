/* 11b_optimal_size.c: the derivative of A N^-alpha + B (C / 6N)^-beta is 0 where
 * alpha A N^-alpha = beta B D^-beta. */
#include "lab1.h"
#include <math.h>

double optimal_size(double A, double alpha, double B, double beta, double compute)
{
    double sum = alpha + beta;
    return pow(alpha * A / (beta * B), 1 / sum) * pow(compute / 6, beta / sum);
}
