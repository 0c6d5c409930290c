/* what_if.h: part 11's lists to choose from, its figure, and the measurement of what it predicts.
 */
#ifndef WHAT_IF_H
#define WHAT_IF_H
#include "lab.h"
#include "plot.h"
#include "step_cost.h"

enum {
    WHAT_IF_MACHINES = 4,
    WHAT_IF_NETS = 6,
    WHAT_IF_LINKS = 7,
    WHAT_IF_LINES = 3,
    WHAT_IF_ROOM = 512
};
extern const Machine what_if_machines[WHAT_IF_MACHINES];
extern const Net what_if_nets[WHAT_IF_NETS];
extern const Link what_if_links[WHAT_IF_LINKS];

/* ---- what_if_view.c ---- */
char *what_if_title(const WhatIf *w); /* free() it */
void what_if_lines(const WhatIf *w, char line[WHAT_IF_LINES][WHAT_IF_ROOM]);
void what_if_draw(const WhatIf *w, Plot *plot);

/* ---- what_if_measure.c ---- */

/* Perform the plan of every remedy and stage on all ranks, over the link on the virtual clock, and
 * print predicted and measured seconds beside each other. Computing is charged, and a vector of
 * more than 8 MB shrinks, as the bandwidth does: the time stays the same. Collective; returns the
 * largest error, as a part of what is measured. */
double what_if_measure(const WhatIf *w, Comm *world, Backend *be, Run *run);
#endif
