/* descent.h: full-batch descent on the loss of the linear model: step it, step back, change it
 * while it runs, draw it.
 */
#ifndef DESCENT_H
#define DESCENT_H
#include "linear.h"
#include "linear_view.h"
#include "plot.h"

enum { DESCENT_MAX = 20000 };            /* updates that are kept */
static const double DESCENT_LOST = 1e12; /* a larger loss has diverged */

typedef enum { DESCENT_RUNNING, DESCENT_CONVERGED, DESCENT_DIVERGED, DESCENT_FULL } DescentEnd;

typedef struct Descent {
    Points points;
    Parabola all;  /* the loss over all of them */
    uint64_t seed; /* of the points */
    double rate, start_w, start_b;
    int count;            /* points visited: count - 1 updates were made */
    double *w, *b, *loss; /* [DESCENT_MAX + 1]: each point of the path, and its loss */
    DescentEnd end;
    int window;            /* converged: over this many updates … */
    double tolerance;      /* … the loss fell by less than this fraction */
    const char *missing;   /* the unfinished exercise: nothing moves then; NULL: none */
    const char *unstopped; /* the same for `converged`: it moves, and does not stop */
} Descent;

Descent descent_new(int points, double noise, uint64_t seed, double rate, double start_w,
                    double start_b);
void descent_free(Descent *d);
void descent_restart(Descent *d, double w, double b);
void descent_noise(Descent *d, double noise); /* the same points with another noise; restarts */
void descent_step(Descent *d); /* one update with the student's functions; does nothing once the
                                * descent has ended */
void descent_back(Descent *d); /* undoes the last update */
/* How it stands, in a message that blames the right thing: a stable rate cannot diverge, nor a
 * descent converge far above the minimum; then it is the student's function. phase: "running" … */
const char *descent_words(const Descent *d, const char *phase);
double descent_lowest(const Descent *d); /* the least loss; what rounding leaves of 0 is 0 */

/* The figure: contours with the path and the Hessian's axes, data and line, loss by update, the
 * stable range, and the surface. phase: "running", "paused" … */
typedef struct DescentView {
    LinearView map;
    PlotCamera camera;
} DescentView;

DescentView descent_view_new(void);
void descent_view_free(DescentView *v);
void descent_draw(const Descent *d, DescentView *v, Plot *plot, const char *phase);
/* a click on the contours picks the start, a drag turns the surface */
enum { DESCENT_PANEL_CONTOURS = 0, DESCENT_PANEL_SURFACE = 4 };
#endif
