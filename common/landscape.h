/* landscape.h: a network's loss along a line or over a plane through its weights (Goodfellow et
 * al., arXiv 1412.6544; Li et al., arXiv 1712.09913).
 *
 *     L(a, b) = loss(w + a x + b y)
 *
 * w, x, y are flat vectors [D] like m->params. The choice of x and y decides what is seen: random
 * directions scaled filter by filter, the difference of two solutions, the principal directions of
 * a trajectory. The ranks divide the points among themselves, coarse grid first. Each finished
 * point goes to the window and to a file, and is not computed again after an interruption.
 */
#ifndef LANDSCAPE_H
#define LANDSCAPE_H
#include "background_thread.h"
#include "eval_set.h"
#include "sweep.h"
#include "task_farm.h"

typedef struct Plane {
    int count;              /* D */
    const float *w, *x, *y; /* [D] each: the origin, the directions (y NULL: a line); borrowed */
    int nx, ny;             /* points; ny 1: a line, b = 0 */
    double a_low, a_high, b_low, b_high;
} Plane;

double plane_a(const Plane *p, int i); /* of column i, 0 … nx-1 */
double plane_b(const Plane *p, int j); /* of row j, 0 … ny-1 */

/* Set m's parameters to w + a x + b y, computed in float64 and rounded once. */
void plane_go(const Plane *p, Model *m, double a, double b);

/* Mean loss and accuracy (0 … 1) at every point; NaN: not known yet. */
typedef struct Surface {
    int nx, ny, known;
    double *loss, *accuracy; /* [ny,nx] */
} Surface;

Surface *surface_new(int nx, int ny);
void surface_free(Surface *s); /* NULL is fine */
/* For display, out [ny,nx]: unknown points take the value of a nearby point of the coarse grid. */
void surface_fill(double *out, const Surface *s, const double *values);

/* order[nx * ny]: all points j * nx + i of a grid, coarse to fine: every 2^k-th row and column,
 * then the points that every 2^(k-1)-th row and column add, … */
void landscape_order(int *order, int nx, int ny);

/* What a landscape needs: the same on all ranks, except for the last three. */
typedef struct Landscape {
    Model *m;              /* its parameters are overwritten */
    const EvalSet *subset; /* the same images on all ranks */
    ModelMode mode;        /* MODEL_EVAL: the running statistics; MODEL_FROZEN_STATS: those of each
                            * batch */
    Plane plane;
    Surface *surface;        /* rank 0: filled in; elsewhere unused */
    Sweep *log;              /* rank 0: the finished points, LANDSCAPE_COLUMNS; NULL: none */
    BackgroundThread *watch; /* rank 0: its lock guards `surface`; it pauses and stops the work;
                              * NULL: none */
} Landscape;

/* point: j * nx + i; the sweep's seed column is 0 */
#define LANDSCAPE_COLUMNS "point,a,b,loss,accuracy"

/* Are these points of the plane, as landscape_run() writes them? NULL, or an error message (free()
 * it). */
char *landscape_check(const Plane *p, const Sweep *log);

/* Collective. True: all points are known; false: interrupted. A log with anything but points of the
 * plane ends the run (exit 2). */
bool landscape_run(const Landscape *l, Comm *c);

/* Write the surface as CSV, row by row, whole or not at all: a first line "# {JSON}" that describes
 * it, then "a,b,loss,accuracy". */
void surface_write(const Surface *s, const Plane *p, const json_t *what, const char *path);
#endif
