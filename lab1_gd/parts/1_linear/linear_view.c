/* linear_view.c: see linear_view.h. */
#include "linear_view.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>

LinearView linear_view_new(void)
{
    return (LinearView){.zoom = 1, .z = alloc(VIEW_SIDE * VIEW_SIDE, sizeof(double))};
}

void linear_view_free(LinearView *v) { free(v->z); }

bool linear_view_wheel(LinearView *v, const PlotEvent *e)
{
    if (e->kind == PLOT_WHEEL)
        v->zoom = fmin(fmax(v->zoom * pow(1.2, e->dy), 1), 50);
    return e->kind == PLOT_WHEEL;
}

void linear_view_fit(LinearView *v, const Parabola *l, double aspect, int n, const double *w,
                     const double *b)
{
    double best_w, best_b, half = 2.5;
    parabola_minimum(l, &best_w, &best_b);
    for (int i = 0; i < n; i++)
        half = fmax(half, 1.15 * fmax(fabs(b[i] - best_b), fabs(w[i] - best_w) / aspect));
    half /= v->zoom;
    v->w_low = best_w - aspect * half;
    v->w_high = best_w + aspect * half;
    v->b_low = best_b - half;
    v->b_high = best_b + half;
}

PlotGrid linear_view_grid(LinearView *v, const Parabola *l)
{
    for (int j = 0; j < VIEW_SIDE; j++)
        for (int i = 0; i < VIEW_SIDE; i++)
            v->z[j * VIEW_SIDE + i] =
                parabola_loss(l, v->w_low + i * (v->w_high - v->w_low) / (VIEW_SIDE - 1),
                              v->b_low + j * (v->b_high - v->b_low) / (VIEW_SIDE - 1));
    return (PlotGrid){VIEW_SIDE, VIEW_SIDE, v->w_low, v->w_high, v->b_low, v->b_high, v->z};
}

PlotAxis linear_view_w(const LinearView *v)
{
    return (PlotAxis){.label = "w", .low = v->w_low, .high = v->w_high};
}
PlotAxis linear_view_b(const LinearView *v)
{
    return (PlotAxis){.label = "b", .low = v->b_low, .high = v->b_high};
}
PlotAxis linear_view_loss(const LinearView *v, const Parabola *l)
{
    double high =
        fmax(fmax(parabola_loss(l, v->w_low, v->b_low), parabola_loss(l, v->w_low, v->b_high)),
             fmax(parabola_loss(l, v->w_high, v->b_low), parabola_loss(l, v->w_high, v->b_high)));
    double middle = parabola_loss(l, (v->w_low + v->w_high) / 2, (v->b_low + v->b_high) / 2);
    /* Far out the loss spans too many powers of two; without noise it goes down to 0. */
    bool far = v->b_high - v->b_low > 60, zero = middle < high / 4096;
    return (PlotAxis){.label = "loss",
                      .log = far ? 10 : 2,
                      .low = zero && !far ? high / 4096 : 0,
                      .high = zero && !far ? high : 0};
}

static void line_through(PlotPanel *panel, double w, double b, PlotStyle style)
{
    double x[2] = {-1.2, 3.2}, y[2] = {w * x[0] + b, w * x[1] + b};
    plot_line(panel, 2, x, y, style);
}

void linear_draw_data(PlotPanel *panel, const Points *p, const Parabola *all, double w, double b)
{
    double best_w, best_b;
    parabola_minimum(all, &best_w, &best_b);
    plot_scatter(panel, p->n, p->x, p->y, (PlotStyle){.color = PLOT_GREY, .size = 5});
    line_through(panel, p->true_w, p->true_b,
                 (PlotStyle){.label = "true line", .color = plot_series(2), .width = 1.5});
    line_through(panel, best_w, best_b,
                 (PlotStyle){.label = "least squares", .color = plot_series(0), .dashed = true});
    line_through(panel, w, b, (PlotStyle){.label = "now", .color = plot_series(1), .width = 3});
}

void linear_draw_solutions(PlotPanel *panel, const Points *p, const Parabola *all, bool labels)
{
    double w, b;
    parabola_minimum(all, &w, &b);
    plot_scatter(panel, 1, &w, &b,
                 (PlotStyle){.label = labels ? "least squares" : NULL,
                             .color = plot_series(0),
                             .shape = PLOT_STAR,
                             .size = 14});
    plot_scatter(panel, 1, &p->true_w, &p->true_b,
                 (PlotStyle){.label = labels ? "true line" : NULL,
                             .color = plot_series(2),
                             .shape = PLOT_DIAMOND,
                             .size = 9});
}

/* Which of n points is the k-th shown: the first and the newest ones, and some between them. */
static int shown_point(int n, int k)
{
    if (n <= 3 * VIEW_SHOWN || k < VIEW_SHOWN)
        return k;
    if (k >= 2 * VIEW_SHOWN)
        return n - 3 * VIEW_SHOWN + k;
    return VIEW_SHOWN + (int)((n - 2.0 * VIEW_SHOWN) * (k - VIEW_SHOWN) / VIEW_SHOWN);
}

void linear_draw_path(PlotPanel *panel, int n, const double *w, const double *b, PlotStyle style)
{
    double shown_w[3 * VIEW_SHOWN] = {0}, shown_b[3 * VIEW_SHOWN] = {0};
    int shown = n < 3 * VIEW_SHOWN ? n : 3 * VIEW_SHOWN;
    for (int k = 0; k < shown; k++) {
        shown_w[k] = w[shown_point(n, k)];
        shown_b[k] = b[shown_point(n, k)];
    }
    style.head = true;
    plot_line(panel, shown, shown_w, shown_b, style);
    if (n < 200)
        plot_scatter(panel, n, w, b, (PlotStyle){.color = style.color, .size = 4});
}

json_t *linear_facts(int points, double noise)
{
    char *data = format_new("%d points around a line, noise %g", points, noise);
    json_t *facts = json_pack("{s:s, s:s, s:i}", "data", data, "device", "CPU, one thread", "ranks",
                              1);
    free(data);
    return facts;
}
