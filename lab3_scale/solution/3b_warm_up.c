/* 3b_warm_up.c: a learning rate that begins small. */
#include "lab3.h"

double warm_up(double from, double to, int64_t update, int64_t updates)
{
    if (update >= updates)
        return to;
    return from + (to - from) / (double)updates * (double)update;
}
