/* descent_view.c: four pictures of one descent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "descent.h"

/* The window onto the surface: round the least-squares answer, wide enough to hold the start. */
static void range(double *low, double *high, double centre, double start)
{
    double half = fmax(3, 1.25 * fabs(start - centre));
    *low = centre - half;
    *high = centre + half;
}

DescentView descent_view_new(const Descent *d)
{
    DescentView v = {.nx = 61, .ny = 61, .camera = {-50, 35, 1.05}};
    double w, b;
    parabola_minimum(&d->all, &w, &b);
    range(&v.w_low, &v.w_high, w, d->start_w);
    range(&v.b_low, &v.b_high, b, d->start_b);
    v.z = alloc((size_t)v.nx * v.ny, sizeof(double));
    for (int j = 0; j < v.ny; j++)
        for (int i = 0; i < v.nx; i++)
            v.z[j * v.nx + i] = parabola_loss(&d->all, v.w_low + i * (v.w_high - v.w_low) / (v.nx - 1),
                                              v.b_low + j * (v.b_high - v.b_low) / (v.ny - 1));
    return v;
}

void descent_view_free(DescentView *v) { free(v->z); }

static PlotGrid grid(const DescentView *v) { return (PlotGrid){v->nx, v->ny, v->w_low, v->w_high, v->b_low, v->b_high, v->z}; }

static void line_through(PlotPanel *panel, double w, double b, PlotStyle style)
{
    double x[2] = {-1.2, 3.2}, y[2] = {w * x[0] + b, w * x[1] + b};
    plot_line(panel, 2, x, y, style);
}

static void draw_data(const Descent *d, PlotPanel *panel)
{
    double w, b;
    parabola_minimum(&d->all, &w, &b);
    plot_scatter(panel, d->points.n, d->points.x, d->points.y, (PlotStyle){.label = "points", .color = PLOT_GREY, .size = 5});
    line_through(panel, d->points.true_w, d->points.true_b,
                 (PlotStyle){.label = "made from", .color = plot_series(2), .dashed = true});
    line_through(panel, w, b, (PlotStyle){.label = "least squares", .color = plot_series(0), .dashed = true});
    line_through(panel, d->w[d->count - 1], d->b[d->count - 1],
                 (PlotStyle){.label = "now", .color = plot_series(1), .width = 3});
}

/* What is to do, in the middle of the picture; the file and line on a line of their own. */
static void draw_to_do(const Descent *d, PlotPanel *panel)
{
    char *text = format_new("%s", d->missing), *colon = strstr(text, ": ");
    if (colon)
        colon[1] = '\n';
    plot_note(panel, text);
    free(text);
}

static void draw_loss(const Descent *d, PlotPanel *panel)
{
    double w, b;
    parabola_minimum(&d->all, &w, &b);
    plot_line(panel, d->count, NULL, d->loss, (PlotStyle){.label = "loss", .color = plot_series(1), .head = true});
    plot_rule_y(panel, parabola_loss(&d->all, w, b),
                (PlotStyle){.label = "lowest there is", .color = plot_series(0), .dashed = true});
}

static void draw_path(const Descent *d, PlotPanel *panel, bool flat)
{
    double w, b;
    parabola_minimum(&d->all, &w, &b);
    plot_line(panel, d->count, d->w, d->b, (PlotStyle){.label = flat ? "path" : NULL, .color = plot_series(1), .head = true});
    if (flat && d->count < 200)
        plot_scatter(panel, d->count, d->w, d->b, (PlotStyle){.color = plot_series(1), .size = 4});
    plot_scatter(panel, 1, &w, &b,
                 (PlotStyle){.label = flat ? "least squares" : NULL, .color = plot_series(0), .shape = PLOT_STAR, .size = 11});
    if (flat)
        plot_scatter(panel, 1, &d->points.true_w, &d->points.true_b,
                     (PlotStyle){.label = "made from", .color = plot_series(2), .shape = PLOT_DIAMOND, .size = 9});
}

static const char *how_it_ended(const Descent *d)
{
    switch (d->end) {
    case DESCENT_CONVERGED: return "converged";
    case DESCENT_DIVERGED: return "DIVERGED: the rate is too large";
    case DESCENT_FULL: return "stopped: too many updates";
    default: return NULL;
    }
}

void descent_draw(const Descent *d, const DescentView *v, Plot *plot, const char *state)
{
    double low, high;
    char text[512];
    int last = d->count - 1;
    parabola_curvature(&d->all, &low, &high);
    snprintf(text, sizeof text, "Linear model · %d points · %s %d · η = %.4g (stable: 0 < η < 2/λmax = %.3f)", d->points.n,
             d->batch == d->points.n ? "full batch" : "batch", d->batch, d->rate, 2 / high);
    plot_begin(plot, 2, 2, text);
    PlotPanel *data = plot_panel(plot, (PlotAxes){.title = "Data and line", .x = {.label = "x", .low = -1.2, .high = 3.2},
                                                  .y.label = "y"});
    PlotPanel *contours = plot_panel(plot, (PlotAxes){.column = 1, .title = "Loss over (w, b): click to start there",
                                     .x = {.label = "w", .low = v->w_low, .high = v->w_high},
                                     .y = {.label = "b", .low = v->b_low, .high = v->b_high},
                                     .z = {.label = "loss", .log = 2}});
    PlotPanel *loss = plot_panel(plot, (PlotAxes){.row = 1, .title = "Loss by update",
                                 .x = {.label = "update", .low = 0, .high = fmax(20, d->count)},
                                 .y = {.label = "mean squared error", .log = 10}, .legend = PLOT_TOP_RIGHT});
    PlotPanel *surface = plot_panel(plot, (PlotAxes){.row = 1, .column = 1, .title = "Loss surface: drag to turn",
                                    .x.label = "w", .y.label = "b", .z.label = "loss"});
    draw_data(d, data);
    if (d->missing)
        draw_to_do(d, loss);
    plot_contours(contours, grid(v), (PlotStyle){.width = 1.2});
    draw_path(d, contours, true);
    draw_loss(d, loss);
    plot_surface(surface, grid(v), v->camera);
    draw_path(d, surface, false);
    snprintf(text, sizeof text, "update %d · w = %.4f · b = %.4f · loss %.5g · Hessian: λ = %.3f and %.3f · %s · ? shows the keys",
             last, d->w[last], d->b[last], d->loss[last], low, high, how_it_ended(d) ? how_it_ended(d) : state);
    plot_footer(plot, text);
}
