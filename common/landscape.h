/* landscape.h: a network's loss over a line or a plane through its weights (Goodfellow et al.,
 * arXiv 1412.6544; Li et al., arXiv 1712.09913).
 *
 *     L(a, b) = loss(w + a x + b y)
 *
 * w, x, y are flat vectors [D] like m->params. Who chooses x and y decides what is seen: random
 * directions scaled filter by filter, the difference of two solutions, a trajectory's principal
 * directions. Points are shared by all ranks, coarse grid first; each that is done goes to the
 * window and to a file, and is not done again after an interruption.
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

/* Set m's parameters to w + a x + b y, computed in double and rounded once. */
void plane_go(const Plane *p, Model *m, double a, double b);

/* What is known of a surface: mean loss and accuracy (0 … 1) at every point, NaN where not known
 * yet. */
typedef struct Surface {
    int nx, ny, known;
    double *loss, *accuracy; /* [ny,nx] */
} Surface;

Surface *surface_new(int nx, int ny);
void surface_free(Surface *s); /* NULL is fine */
/* For the eye, out [ny,nx]: points that are not known yet take the value of the coarse grid's point
 * beside them. */
void surface_fill(double *out, const Surface *s, const double *values);

/* All points j * nx + i of a grid, coarse to fine, into order[nx * ny]: every 2^k-th row and
 * column, then the points that the grid of every 2^(k-1)-th adds, … */
void landscape_order(int *order, int nx, int ny);

/* What a landscape needs. The same on all ranks, but for the last three. */
typedef struct Landscape {
    Model *m;              /* its parameters are lost */
    const EvalSet *subset; /* the pictures; all ranks the same ones */
    ModelMode mode;        /* MODEL_EVAL: running statistics, as they are; MODEL_FROZEN_STATS:
                            * those of each batch */
    Plane plane;
    Surface *surface;        /* rank 0: filled in; elsewhere unused */
    Sweep *log;              /* rank 0: points that are done, LANDSCAPE_COLUMNS; NULL: none */
    BackgroundThread *watch; /* rank 0: its lock guards `surface`, it pauses and stops the work;
                              * NULL: none */
} Landscape;

#define LANDSCAPE_COLUMNS \
    "point,a,b,loss,accuracy" /* point: j * nx + i; the sweep's seed column is 0 */

/* Collective. True: all points are known. */
bool landscape_run(const Landscape *l, Comm *c);

/* Write the surface as CSV, in the order of the grid, whole or not at all: "a,b,loss,accuracy",
 * after a first line "# {JSON}" that says what it is of. */
void surface_write(const Surface *s, const Plane *p, const json_t *what, const char *path);
#endif
