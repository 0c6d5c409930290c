/* compare.h: all-reduces over sizes and ranks, on a link beside the prediction; or without a link
 * on this machine. */
#ifndef COMPARE_H
#define COMPARE_H
#include "measure.h"
#include "plot.h"
#include "run.h"

typedef struct Comparison {
    Link link;
    Worlds worlds;
    int sizes, count[MOST_SIZES]; /* elements */
    Measured at[COMPARED][MOST_WORLDS][MOST_SIZES];
} Comparison;

/* Time against size on the ranks of one world, and against ranks at one size. */
void compare_draw_times(Plot *plot, const Comparison *c, int world, int size);
/* Which one is fastest, over sizes and ranks. */
void compare_draw_map(Plot *plot, const Comparison *c);
/* As a table, and all of it as metrics.csv. */
void compare_report(const Comparison *c, Run *run);
#endif
