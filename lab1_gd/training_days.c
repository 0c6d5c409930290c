/* training_days.c: exercise: how long a training takes. Contract: lab1.h. */
#include "check.h"
#include "lab1.h"

double training_days(double examples, double epochs, double flop_per_example, double flop_per_second, double devices)
{
    (void)examples, (void)epochs, (void)flop_per_example, (void)flop_per_second, (void)devices;
    TODO("return the days that so much work takes on so many devices");
}
