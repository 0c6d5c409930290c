/* paces.c: see paces.h. */
#include "paces.h"
#include "lab3.h"
#include <math.h>

static int drops_so_far(const GrowPace *g, double seen)
{
    return (int)floor(seen / g->epochs * (g->drops + 1) + 1e-9);
}

Pace pace_drops(const void *grow, double seen, int64_t update)
{
    const GrowPace *g = grow;
    return (Pace){g->small, g->rate / pow(g->factor, drops_so_far(g, seen))};
}

Pace pace_grows(const void *grow, double seen, int64_t update)
{
    const GrowPace *g = grow;
    Pace p = {g->small, g->rate};
    for (int i = drops_so_far(g, seen); i > 0; i--)
        grow_batch(&p.batch, &p.rate, g->large, g->factor);
    return p;
}
