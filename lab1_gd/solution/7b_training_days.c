/* 7b_training_days.c: how long a training run takes. */
#include "lab1.h"

double training_days(double examples, double epochs, double flop_per_example,
                     double flop_per_second, double devices)
{
    return examples * epochs * flop_per_example / (flop_per_second * devices) / 86400;
}
