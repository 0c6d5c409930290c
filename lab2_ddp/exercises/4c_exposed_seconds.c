/* 4c_exposed_seconds.c: exercise: for how long does an update wait for the network? */
#include "check.h"
#include "lab2.h"

/* Predict for how many seconds the ranks wait for the network after the backward pass: the part of
 * the exchange that no computation hides.
 *
 * The backward pass takes seconds[0], seconds[1] … for the layers in the order in which it visits
 * them, the last layer first; layer i's gradient has bytes[i], and is complete at the end of its
 * seconds. A bucket is started as in 4a and 4b: as soon as it has `least` bytes or more, and what
 * is left at the end of the pass. An all-reduce of n bytes over P ranks takes the network
 * link_seconds(LINK_ALL_REDUCE, P, n, link) (link.h). The network makes one all-reduce at a time,
 * in the order of their start: one starts as soon as its bucket is full and the one before it is
 * done. Starting it costs the processor nothing.
 *
 * Return how long after the end of the backward pass the last all-reduce is done. least = 0 makes a
 * bucket of each layer, least = INFINITY one of all of them, which cannot start before the end.
 * layers >= 1, bytes[i] > 0; all ranks compute equally fast. */
double exposed_seconds(const double *seconds, const double *bytes, int layers, double least, int P,
                       Link link)
{
    TODO("follow two clocks through the layers: the processor's, and when the network is free");
}
