/* timeline_figure.h: a timeline (trace.h) as a picture, for those who do not open it in a
 * browser. */
#ifndef TIMELINE_FIGURE_H
#define TIMELINE_FIGURE_H
#include <stdbool.h>

/* Draw `updates` consecutive updates of median length of the timeline in the file `trace` (all of
 * it where there are fewer) into the file png. False: it could not be saved (said on stderr). A
 * file that is no timeline ends the run (exit 2). */
bool timeline_figure(const char *trace, const char *png, const char *title, int updates);
#endif
