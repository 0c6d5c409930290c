/* 3c_update_spread.c: how much do updates differ from one another? */
#include "lab3.h"
#include <math.h>

double update_spread(const float *grads, int samples, int n, double rate)
{
    double spread = 0;
    for (int i = 0; i < n; i++) {
        double mean = 0, squares = 0;
        for (int s = 0; s < samples; s++)
            mean += grads[(size_t)s * n + i] / (double)samples;
        for (int s = 0; s < samples; s++)
            squares += pow(grads[(size_t)s * n + i] - mean, 2);
        spread += squares / (samples - 1);
    }
    return rate * rate * spread;
}
