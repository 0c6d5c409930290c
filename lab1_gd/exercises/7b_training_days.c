/* 7b_training_days.c: exercise: how long a training takes. */
#include "check.h"
#include "lab1.h"

/* Days of training: examples × epochs × FLOP per example, shared without loss by `devices` devices
 * that each do flop_per_second. A day has 86,400 seconds. */
double training_days(double examples, double epochs, double flop_per_example,
                     double flop_per_second, double devices)
{
    TODO("return the days that so much work takes on so many devices");
}
