/* record_view.h: a watched all-reduce as a figure: a row of chunks per rank, and the messages on
 * their way between the rows.
 */
#ifndef RECORD_VIEW_H
#define RECORD_VIEW_H
#include "plot.h"
#include "record.h"

/* At a time, in seconds from its start; missing: what is still to be written, or NULL. */
void record_draw(Plot *plot, const Record *r, double time, const char *missing, const char *footer);
#endif
