/* 6a_efficiency.c: what share of an update P ranks spend computing. */
#include "lab2.h"
#include <math.h>

double efficiency(int P, UpdateWork work, Link link)
{
    int K = work.buckets;
    double one = P > 1 ? link_seconds(LINK_ALL_REDUCE, P, work.bytes / K, link) : 0,
           end = fmax(work.backward + one, work.backward / K + K * one);
    return (work.forward + work.backward) / (work.forward + end);
}
