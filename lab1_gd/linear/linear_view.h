/* linear_view.h: what the pictures of parts 1 to 3 have in common: a rectangle of the plane (w, b)
 * with the loss over it, the points with their lines, and the two answers: least squares and what
 * the points were made from.
 */
#ifndef LINEAR_VIEW_H
#define LINEAR_VIEW_H
#include "linear.h"
#include "plot.h"
#include <jansson.h>

enum { VIEW_SIDE = 61 }; /* points of the grid along w, and along b */

typedef struct LinearView {
    double zoom; /* 1: the path is seen whole; above: nearer to the minimum */
    double w_low, w_high, b_low, b_high;
    double *z; /* [VIEW_SIDE, VIEW_SIDE] the loss there */
} LinearView;

LinearView linear_view_new(void);
void linear_view_free(LinearView *v);
/* the wheel zooms; was it such an event? */
bool linear_view_wheel(LinearView *v, const PlotEvent *e);

/* The rectangle round l's minimum that holds the n places (w[i], b[i]), at least 2.5 to each side
 * of b; `aspect` times as wide as high. It grows with a path that runs away: nothing is cut off,
 * but by a zoom. */
void linear_view_fit(LinearView *v, const Parabola *l, double aspect, int n, const double *w,
                     const double *b);
/* l over that rectangle: z is computed anew, and valid until the next call. */
PlotGrid linear_view_grid(LinearView *v, const Parabola *l);
PlotAxis linear_view_w(const LinearView *v), linear_view_b(const LinearView *v),
    linear_view_loss(const LinearView *v);

/* Points, the line they were made from, the least-squares line, and the line of (w, b). */
void linear_draw_data(PlotPanel *panel, const Points *p, const Parabola *all, double w, double b);
/* The two answers as marks on a map, in the legend where asked. */
void linear_draw_answers(PlotPanel *panel, const Points *p, const Parabola *all, bool labels);
/* A path of n places, with a dot where it is; short ones with one at each. Of a long one the first
 * and the newest VIEW_SHOWN updates: a knot of thousands of lines costs too much for 60 frames/s,
 * and shows no more. */
enum { VIEW_SHOWN = 100 };
void linear_draw_path(PlotPanel *panel, int n, const double *w, const double *b, PlotStyle style);
/* What is to do, in the middle of a panel; file and line on a line of their own. */
void linear_draw_to_do(PlotPanel *panel, const char *missing);
/* For run_open(): data, device, ranks. */
json_t *linear_facts(int points, double noise);
#endif
