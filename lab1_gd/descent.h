/* descent.h: a descent on the linear model's loss that can be stepped, taken back, changed while it runs, and drawn.
 */
#ifndef DESCENT_H
#define DESCENT_H
#include "lab1.h"
#include "plot.h"

enum { DESCENT_MAX = 20000 }; /* updates that are remembered */

typedef enum { DESCENT_GOES_ON, DESCENT_CONVERGED, DESCENT_DIVERGED, DESCENT_FULL } DescentEnd;

typedef struct Descent {
    Points points;
    Parabola all;                 /* the loss over all points */
    int batch;                    /* points per update; all: full-batch descent */
    double rate, start_w, start_b;
    int count;                    /* places visited; count - 1 updates were made */
    double *w, *b, *loss;         /* [DESCENT_MAX + 1]: each place, and the loss over all points there */
    DescentEnd end;
    int window;                   /* converged: over so many updates … */
    double tolerance;             /* … the loss fell by less than this */
    char *missing;                /* which exercise is to do, NULL: none. Then nothing moves */
} Descent;

Descent descent_new(Points points, int batch, double rate, double start_w, double start_b);
void descent_free(Descent *d);
void descent_restart(Descent *d, double w, double b);
void descent_step(Descent *d); /* one update with the student's gradient and update; nothing once it has ended */
void descent_back(Descent *d); /* takes the last update back */

/* The figure: data and line, loss by update, contours and surface with the path. state: "running", "paused" … */
typedef struct DescentView {
    int nx, ny;
    double w_low, w_high, b_low, b_high;
    double *z;        /* [ny,nx] the loss surface */
    PlotCamera camera;
} DescentView;

DescentView descent_view_new(const Descent *d);
void descent_view_free(DescentView *v);
void descent_draw(const Descent *d, const DescentView *v, Plot *plot, const char *state);
enum { DESCENT_PANEL_CONTOURS = 1, DESCENT_PANEL_SURFACE = 3 }; /* a click on the first picks the start, a drag on the second turns it */
#endif
