/* descent.h: full-batch descent on the linear model's loss that can be stepped, taken back, changed
 * while it runs, and drawn.
 */
#ifndef DESCENT_H
#define DESCENT_H
#include "linear.h"
#include "linear_view.h"
#include "plot.h"

enum { DESCENT_MAX = 20000 };            /* updates that are remembered */
static const double DESCENT_LOST = 1e12; /* a loss above this one has diverged */

typedef enum { DESCENT_GOES_ON, DESCENT_CONVERGED, DESCENT_DIVERGED, DESCENT_FULL } DescentEnd;

typedef struct Descent {
    Points points;
    Parabola all;  /* the loss over them */
    uint64_t seed; /* of the points */
    double rate, start_w, start_b;
    int count;            /* places visited; count - 1 updates were made */
    double *w, *b, *loss; /* [DESCENT_MAX + 1]: each place, and the loss there */
    DescentEnd end;
    int window;       /* converged: over so many updates … */
    double tolerance; /* … the loss fell by less than this */
    char *missing;    /* which exercise is to do, NULL: none. Then nothing moves */
} Descent;

Descent descent_new(int points, double noise, uint64_t seed, double rate, double start_w,
                    double start_b);
void descent_free(Descent *d);
void descent_restart(Descent *d, double w, double b);
void descent_noise(Descent *d, double noise); /* the same points with another noise, and from
                                               * the start again */
void descent_step(Descent *d); /* one update with the student's gradient and update; nothing
                                * once it has ended */
void descent_back(Descent *d); /* takes the last update back */

/* The figure: contours with the path and the Hessian's axes, data and line, loss by update, the
 * stable range, and the surface. state: "running", "paused" … */
typedef struct DescentView {
    LinearView map;
    PlotCamera camera;
} DescentView;

DescentView descent_view_new(void);
void descent_view_free(DescentView *v);
void descent_draw(const Descent *d, DescentView *v, Plot *plot, const char *state);
/* a click on the first picks the start, a drag on the second turns it */
enum { DESCENT_PANEL_CONTOURS = 0, DESCENT_PANEL_SURFACE = 4 };
#endif
