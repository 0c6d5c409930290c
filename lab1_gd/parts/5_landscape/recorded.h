/* recorded.h: a landscape that was measured before, in a folder of results: landscape.json, which
 * says of what and how, and the points of each slice (NAME-plane.points.csv …). It is drawn within
 * a second, with no data, no network and no exercise.
 */
#ifndef RECORDED_H
#define RECORDED_H
#include "landscape_work.h"

/* Write landscape.json beside the points. After the work, on rank 0. */
void landscape_record(const Session *s);
/* In place of landscape_open and landscape_work: fill the view from the folder s->c->recorded. A
 * file that is missing, or not such a file, ends the run (exit 2). */
void landscape_open_recorded(Session *s);
#endif
