/* 4c_exposed_seconds.c: for how long an update waits for the network. */
#include "lab2.h"
#include <math.h>

double exposed_seconds(const double *seconds, const double *bytes, int layers, double least, int P,
                       Link link)
{
    double now = 0, network = 0, bucket = 0; /* the processor's clock; when the network is free */
    for (int i = 0; i < layers; i++) {
        now += seconds[i];
        bucket += bytes[i];
        if (bucket < least && i < layers - 1)
            continue;
        network = fmax(network, now) + link_seconds(LINK_ALL_REDUCE, P, bucket, link);
        bucket = 0;
    }
    return network - now;
}
