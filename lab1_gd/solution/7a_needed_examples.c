/* 7a_needed_examples.c: invert the power law. */
#include "lab1.h"
#include <math.h>

double needed_examples(double alpha, double beta, double gamma, double target)
{
    return target <= gamma ? INFINITY : pow((target - gamma) / alpha, 1 / beta);
}
