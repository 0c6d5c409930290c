/* linear_view.h: what the figures of parts 1 to 3 have in common: a rectangle of the plane (w, b)
 * with the loss over it, the points with their lines, and the two solutions: least squares, and the
 * line that generated the points.
 */
#ifndef LINEAR_VIEW_H
#define LINEAR_VIEW_H
#include "linear.h"
#include "plot.h"
#include <jansson.h>

enum { VIEW_SIDE = 61 }; /* points of the grid along w, and along b */

typedef struct LinearView {
    double zoom; /* 1: shows the whole path; above: closer to the minimum */
    double w_low, w_high, b_low, b_high;
    double *z; /* [VIEW_SIDE,VIEW_SIDE] the loss there */
} LinearView;

LinearView linear_view_new(void);
void linear_view_free(LinearView *v);
/* The wheel zooms. Was this a wheel event? */
bool linear_view_wheel(LinearView *v, const PlotEvent *e);

/* Fit the rectangle: around l's minimum, with all n points (w[i], b[i]) inside, at least 2.5 to
 * each side of b, `aspect` times as wide as high. It grows with a diverging path: only a zoom cuts
 * anything off. */
void linear_view_fit(LinearView *v, const Parabola *l, double aspect, int n, const double *w,
                     const double *b);
/* l over that rectangle; its z is valid until the next call. */
PlotGrid linear_view_grid(LinearView *v, const Parabola *l);
PlotAxis linear_view_w(const LinearView *v), linear_view_b(const LinearView *v);
PlotAxis linear_view_loss(const LinearView *v, const Parabola *l);

/* Points, the line that generated them, the least-squares line, and the line (w, b). */
void linear_draw_data(PlotPanel *panel, const Points *p, const Parabola *all, double w, double b);
/* The two solutions as marks on a map; labels: also in the legend. */
void linear_draw_solutions(PlotPanel *panel, const Points *p, const Parabola *all, bool labels);
/* A path of n points with a dot at its head; a short path has one at each point. Of a long path it
 * shows the first and the newest VIEW_SHOWN updates, and VIEW_SHOWN of those between: thousands of
 * lines are too slow for 60 frames/s, and show no more. */
enum { VIEW_SHOWN = 100 };
void linear_draw_path(PlotPanel *panel, int n, const double *w, const double *b, PlotStyle style);
/* For run_open(): data, device, ranks. */
json_t *linear_facts(int points, double noise);
#endif
