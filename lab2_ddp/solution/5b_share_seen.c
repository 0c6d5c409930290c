/* 5b_share_seen.c: how much of the data has been seen. */
#include "lab2.h"
#include <math.h>

double share_seen(PartitionKind kind, int size, int epochs)
{
    double missed = 1 - 1.0 / size; /* an image, by one draw */
    if (kind == PARTITION_PLAIN || kind == PARTITION_CUT)
        return epochs > 0;
    return 1 - pow(missed, kind == PARTITION_OWN_ORDERS ? (double)size * epochs : epochs);
}
