/* 8a_step_seconds.c: an update's time on P devices. */
#include "lab3.h"
#include <math.h>

static double ring(int P, double bytes, double alpha, double beta)
{
    return 2.0 * (P - 1) * (alpha + bytes / P * beta);
}

double step_seconds(const Cluster *c)
{
    int G = c->devices < c->per_node ? c->devices : c->per_node;
    int machines = (c->devices + G - 1) / G;
    double exchange;
    if (machines == 1)
        exchange = ring(G, c->bytes, c->alpha_in, c->beta_in);
    else if (c->hierarchical)
        exchange = ring(G, c->bytes, c->alpha_in, c->beta_in) +
                   ring(machines, c->bytes, c->alpha, c->beta);
    else
        exchange = ring(c->devices, c->bytes, c->alpha, c->beta);
    return c->compute + fmax(0, exchange - c->overlap * c->compute);
}
