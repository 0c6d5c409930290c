/* 7i_pays_below.c: the bandwidth below which a remedy pays. */
#include "lab2.h"
#include <math.h>

double pays_below(Cost plain, Cost remedy)
{
    double bytes = plain.updates * plain.bytes - remedy.updates * remedy.bytes;
    double seconds = remedy.updates * remedy.seconds - plain.updates * plain.seconds;
    if (!isfinite(remedy.updates) || bytes <= 0)
        return 0;
    return seconds > 0 ? bytes / seconds : INFINITY;
}
