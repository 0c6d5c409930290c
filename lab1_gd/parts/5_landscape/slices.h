/* slices.h: the slices of part 5, each measured through a network's trained weights: a plane along
 * two random directions, a line, the plane of the training path, and the plane of the Hessian's
 * sharpest and most downward directions.
 *
 * Random directions cannot show a single one: such a direction averages D eigenvalues. So a
 * separate plane shows the network's sharpest direction and those along which its loss falls. Its
 * directions have length 1 in the space of the weights, and are not scaled filter by filter.
 *
 * All are collective, and false if they were stopped before the end. Points go to
 * OUT/NAME-SLICE.points.csv as they are found, so that an interrupted slice can resume, and all
 * of them to OUT/NAME-SLICE.csv.
 */
#ifndef SLICES_H
#define SLICES_H
#include "landscape_work.h"

bool slices_plane(Session *s, Look *l);
bool slices_lines(Session *s, Look *l); /* after the plane: along its first direction */
/* The plane of the path, then the path's own loss: OUT/NAME-path-snapshots.csv. */
bool slices_path(Session *s, Look *l);
bool slices_hessian(Session *s, Look *l); /* l->edges known, top > 0 */

/* As --norm says: running statistics, or each batch's own. */
ModelMode slices_mode(const Choices *c);
/* What is in progress, for the window. name may be "". */
void session_phase(Session *s, const char *phase, const char *name);
#endif
