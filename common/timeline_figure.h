/* timeline_figure.h: a timeline (trace.h) as a figure, to read it without a browser. */
#ifndef TIMELINE_FIGURE_H
#define TIMELINE_FIGURE_H
#include <stdbool.h>

/* Draw `updates` consecutive updates of median length from the timeline in the file `trace` (all of
 * it if it has fewer) into the file png. False: there is no Cairo (stderr says so). A file that is
 * not a timeline, or a figure that cannot be written, ends the run (exit 2). */
bool timeline_figure(const char *trace, const char *png, const char *title, int updates);
#endif
