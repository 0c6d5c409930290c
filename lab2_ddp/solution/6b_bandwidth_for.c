/* 6b_bandwidth_for.c: the least bandwidth for an efficiency. */
#include "lab2.h"
#include <math.h>

/* `bytes` through a card in what is left of `allowed`. */
static double enough(double bytes, double allowed, double latencies)
{
    return allowed > latencies ? bytes / (allowed - latencies) : INFINITY;
}

double bandwidth_for(int P, UpdateWork work, double latency, double wanted)
{
    int rounds = 0; /* ⌈log2 P⌉ */
    while (P > 1 << rounds)
        rounds++;
    double allowed = (work.forward + work.backward) * (1 / wanted - 1);
    return fmin(enough(rounds * work.bytes, allowed, rounds * latency),
                enough(2.0 * (P - 1) / P * work.bytes, allowed, 2 * rounds * latency));
}
