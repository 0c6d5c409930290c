/* 3a_scaled_rate.c: the learning rate for a batch k times as large. */
#include "lab3.h"
#include <math.h>

double scaled_rate(ScaleRule rule, double rate, double k)
{
    switch (rule) {
    case SCALE_ROOT: return rate * sqrt(k);
    case SCALE_LINEAR: return rate * k;
    default: return rate;
    }
}
