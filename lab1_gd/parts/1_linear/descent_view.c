/* descent_view.c: the five panels of a full-batch descent. */
#include "descent.h"
#include <math.h>
#include <stdio.h>

DescentView descent_view_new(void)
{
    return (DescentView){.map = linear_view_new(), .camera = {-50, 35, .zoom = 1.05}};
}

void descent_view_free(DescentView *v) { linear_view_free(&v->map); }

/* The Hessian's eigenvectors through the minimum: the axes of every contour ellipse, drawn to the
 * edge of one. Its semi-axes are proportional to 1/√λ. */
static void draw_axes(const Descent *d, const LinearView *v, PlotPanel *panel)
{
    double w, b, u, t, lambda[2];
    parabola_minimum(&d->all, &w, &b);
    parabola_curvature(&d->all, &lambda[0], &lambda[1]);
    parabola_valley(&d->all, &u, &t);
    for (int k = 0; k < 2; k++) {
        double along_w = k ? -t : u, along_b = k ? u : t,
               half = 0.42 * (v->w_high - v->w_low) * sqrt(lambda[0] / lambda[k]);
        double end_w[2] = {w - half * along_w, w + half * along_w},
               end_b[2] = {b - half * along_b, b + half * along_b};
        char text[64];
        snprintf(text, sizeof text, "λ = %.2f", lambda[k]);
        plot_line(panel, 2, end_w, end_b,
                  (PlotStyle){.label = k ? "across the valley" : "along the valley",
                              .color = plot_series(k ? 5 : 3),
                              .width = 1.5,
                              .dashed = true});
        plot_text(panel, end_w[1], end_b[1], text, (PlotStyle){.color = plot_series(k ? 5 : 3)});
    }
}

static void draw_map(const Descent *d, DescentView *v, PlotPanel *contours, PlotPanel *surface)
{
    PlotGrid grid = linear_view_grid(&v->map, &d->all);
    plot_contours(contours, grid, (PlotStyle){.width = 1.2});
    draw_axes(d, &v->map, contours);
    linear_draw_path(contours, d->count, d->w, d->b,
                     (PlotStyle){.label = "path", .color = plot_series(1)});
    linear_draw_solutions(contours, &d->points, &d->all, true);
    plot_surface(surface, grid, v->camera);
    plot_line(surface, d->count, d->w, d->b, (PlotStyle){.color = plot_series(1), .head = true});
}

static void draw_loss(const Descent *d, PlotPanel *panel)
{
    plot_line(panel, d->count, NULL, d->loss,
              (PlotStyle){.label = "loss", .color = plot_series(1), .head = true});
    if (descent_lowest(d) > 0)
        plot_rule_y(panel, descent_lowest(d),
                    (PlotStyle){.note = "least squares", .color = plot_series(0), .dashed = true});
}

/* Each update multiplies the distance from the minimum along an eigenvector by 1 - ηλ. It shrinks
 * where |1 - ηλ| < 1. */
static void draw_range(const Descent *d, PlotPanel *panel)
{
    enum { N = 101 };
    double lambda[2], rate[N], factor[2][N], limit, inf = INFINITY, zero = 0;
    parabola_curvature(&d->all, &lambda[0], &lambda[1]);
    limit = 2 / lambda[1];
    double end = fmax(1.25 * limit, 1.05 * d->rate);
    plot_boxes(panel, 1, &zero, &limit, &zero, &inf,
               (PlotStyle){.label = "stable", .color = plot_series(2), .opacity = 0.15});
    for (int i = 0; i < N; i++) {
        rate[i] = end * i / (N - 1);
        for (int k = 0; k < 2; k++)
            factor[k][i] = fabs(1 - rate[i] * lambda[k]);
    }
    for (int k = 1; k >= 0; k--) {
        double now = fabs(1 - d->rate * lambda[k]);
        PlotStyle style = {.label = k ? "across the valley" : "along the valley",
                           .color = plot_series(k ? 5 : 3)};
        plot_line(panel, N, rate, factor[k], style);
        plot_scatter(panel, 1, &d->rate, &now, (PlotStyle){.color = style.color, .size = 10});
    }
    plot_rule_x(panel, d->rate, (PlotStyle){.note = "η", .color = plot_series(1), .width = 2});
    plot_rule_y(panel, 1,
                (PlotStyle){.note = "the distance stays",
                            .color = PLOT_INK,
                            .width = 1,
                            .dashed = true,
                            .head = true});
}

/* The distance from the minimum along the axes of curvature λ[0] (the valley) and λ[1]. */
static void distances(const Descent *d, double along[2])
{
    double w, b, u, t;
    int last = d->count - 1;
    parabola_minimum(&d->all, &w, &b);
    parabola_valley(&d->all, &u, &t);
    along[0] = fabs((d->w[last] - w) * u + (d->b[last] - b) * t);
    along[1] = fabs((d->b[last] - b) * u - (d->w[last] - w) * t);
}

void descent_draw(const Descent *d, DescentView *v, Plot *plot, const char *phase)
{
    double lambda[2], along[2];
    int last = d->count - 1;
    parabola_curvature(&d->all, &lambda[0], &lambda[1]);
    distances(d, along);
    linear_view_fit(&v->map, &d->all, 1, d->count, d->w, d->b);
    plot_begin(plot, 2, 4,
               "Linear model · %d points, noise %.2g · full batch · learning rate η = %.4g",
               d->points.n, d->points.noise, d->rate);
    PlotPanel *contours = plot_panel(plot, (PlotAxes){.rows = 2,
                                                      .columns = 2,
                                                      .title = "Loss over (w, b)",
                                                      .x = linear_view_w(&v->map),
                                                      .y = linear_view_b(&v->map),
                                                      .z = linear_view_loss(&v->map, &d->all)});
    PlotPanel *data = plot_cell(plot, 0, 2, "Data and line", plot_axis("x", -1.2, 3.2),
                                plot_axis("y", 0, 0));
    PlotPanel *loss = plot_cell(plot, 0, 3, "Loss by update",
                                plot_axis("update", 0, 1.03 * fmax(20, d->count)),
                                plot_log("mean squared error", 10, 0, 0));
    PlotPanel *range = plot_cell(plot, 1, 2, "Contraction per update",
                                 plot_axis("learning rate η", 0, 0),
                                 plot_axis("factor |1 − ηλ|", 0, 2));
    PlotPanel *surface = plot_panel(plot, (PlotAxes){.row = 1,
                                                     .column = 3,
                                                     .title = "The same as a surface",
                                                     .x.label = "w",
                                                     .y.label = "b",
                                                     .z.label = "loss"});
    draw_map(d, v, contours, surface);
    linear_draw_data(data, &d->points, &d->all, d->w[last], d->b[last]);
    draw_loss(d, loss);
    draw_range(d, range);
    if (d->missing)
        plot_note(contours, d->missing);
    if (d->unstopped)
        plot_note(loss, d->unstopped);
    plot_footer(
        plot,
        "update %d · %s · w = %.4g · b = %.4g · loss %.5g · from the minimum: %.3g along the "
        "valley (λ = %.3f), %.3g across (λ = %.3f)",
        last, descent_words(d, phase), d->w[last], d->b[last], d->loss[last], along[0], lambda[0],
        along[1], lambda[1]);
}
