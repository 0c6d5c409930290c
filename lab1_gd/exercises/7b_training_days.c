/* 7b_training_days.c: exercise: how long a training run takes. */
#include "check.h"
#include "lab1.h"

/* The days that a training run takes: examples × epochs × flop_per_example operations, spread
 * without loss over `devices` devices that sustain flop_per_second each. A day has 86,400 seconds.
 * The check asks for 1e-9: relative above a day, absolute below. */
double training_days(double examples, double epochs, double flop_per_example,
                     double flop_per_second, double devices)
{
    TODO("return the days that all these operations take on all devices together");
}
