/* live_view.c: the figure of a network in training: contours and surface with the path, the loss by
 * update. */
#include "check.h"
#include "live.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The surface is shown up to this multiple of the initial loss: higher mountains must not flatten
 * the path's valley. */
static const double HIGHEST = 3;

static PlotAxis loss_axis(const LiveSeen *s)
{
    double low = INFINITY, high = 0;
    for (int k = 0; k < s->side * s->side; k++)
        if (isfinite(s->z[k])) {
            low = fmin(low, s->z[k]);
            high = fmax(high, s->z[k]);
        }
    PlotAxis z = {.label = "loss"};
    if (isfinite(low)) {
        z.low = fmax(low, 1e-4);
        z.high = fmax(fmin(high, HIGHEST * s->start_loss), 1.5 * z.low);
    }
    return z;
}

const char *const live_planes[PLANE_KINDS] = {"plane of the path", "plane through start and now",
                                              "random plane"};
static const char *const names[PLANE_KINDS][2] = {{"direction 1", "direction 2"},
                                                  {"now → start", "random"},
                                                  {"random 1", "random 2"}};

static void axis_labels(const LiveSeen *s, char x[96], char y[96])
{
    static const char *const along[] = {
        NULL, "from the weights when this plane was laid (0) to the start (1)",
        "random direction 1 (filter-normalised)"};
    static const char *const across[] = {NULL, "random direction (filter-normalised)",
                                         "random direction 2 (filter-normalised)"};
    x[0] = y[0] = 0;
    if (!s->side)
        return;
    if (s->plane == PLANE_PATH) {
        snprintf(x, 96, "direction 1 of the path: %.0f %% of its variance", 100 * s->explained[0]);
        snprintf(y, 96, "direction 2: %.0f %%", 100 * s->explained[1]);
        return;
    }
    snprintf(x, 96, "%s", along[s->plane]);
    snprintf(y, 96, "%s", across[s->plane]);
}

static void draw_path(const LiveSeen *s, PlotPanel *panel, bool flat)
{
    if (s->path_points == 0)
        return;
    int last = s->path_points - 1;
    plot_line(panel, s->path_points, s->a, s->b,
              (PlotStyle){.color = plot_series(1), .width = 2.5, .head = true});
    if (!flat)
        return;
    plot_scatter(panel, 1, s->a, s->b,
                 (PlotStyle){.color = plot_series(0), .shape = PLOT_DIAMOND, .size = 11});
    plot_scatter(panel, 1, s->a + last, s->b + last,
                 (PlotStyle){.color = plot_series(1), .size = 11});
    plot_text(panel, s->a[last], s->b[last], "now", (PlotStyle){.size = 15});
    if (s->plane != PLANE_RANDOM) /* there the whole path is close to one point */
        plot_text(panel, s->a[0], s->b[0], "start", (PlotStyle){.size = 15});
}

static void draw_surfaces(const Live *l, Plot *plot, const LiveLook *look, const char *missing,
                          int rows)
{
    const LiveSeen *s = &l->seen;
    char x[96], y[96],
        *known = format_new(", %d × %d points%s", s->side, s->side,
                            s->side < LIVE_SIDE ? " so far" : "");
    char *title = format_new("Loss on %d training %s%s", l->setup.measured,
                             images_unit(&l->setup.data->train), s->side ? known : "");
    axis_labels(s, x, y);
    PlotAxis z = loss_axis(s);
    PlotGrid grid = {s->side, s->side, s->a_low, s->a_high, s->b_low, s->b_high, s->z};
    PlotAxis a = {.label = x, .low = s->a_low, .high = s->a_high},
             b = {.label = y, .low = s->b_low, .high = s->b_high};
    PlotAxis short_a = a, short_b = b;
    short_a.label = s->side ? names[s->plane][0] : "";
    short_b.label = s->side ? names[s->plane][1] : "";
    PlotPanel *contours =
        plot_panel(plot, (PlotAxes){.rows = rows, .title = title, .x = a, .y = b, .z = z});
    PlotPanel *surface = plot_panel(plot, (PlotAxes){.rows = 3,
                                                     .column = 1,
                                                     .title = "The same as a surface",
                                                     .x = short_a,
                                                     .y = short_b,
                                                     .z = z});
    if (missing)
        plot_note(contours, missing);
    if (s->side) {
        if (look->heat)
            plot_heat(contours, grid);
        plot_contours(contours, grid,
                      (PlotStyle){.width = 1.4, .color = look->heat ? PLOT_WHITE : 0});
        plot_surface(surface, grid, look->camera);
        draw_path(s, contours, true);
        draw_path(s, surface, false);
    }
    free(known);
    free(title);
}

static void draw_curve(PlotPanel *panel, const Curve *c, PlotStyle style)
{
    if (c->count)
        plot_line(panel, c->count, c->x, c->y, style);
}

static void draw_losses(const Live *l, Plot *plot)
{
    const LiveSeen *s = &l->seen;
    PlotPanel *panel = plot_panel(plot,
                                  (PlotAxes){.row = 3,
                                             .rows = 2,
                                             .column = 1,
                                             .title = "Loss by update",
                                             .x = {.label = l->wish.sharpness ? NULL : "update",
                                                   .low = 0,
                                                   .high = fmax(50, fmax(s->update, NAN))},
                                             .y = {.label = "mean loss", .log = 10}});
    draw_curve(panel, &s->batch,
               (PlotStyle){.label = "training batch", .color = PLOT_GREY, .width = 1});
    draw_curve(panel, &s->before,
               (PlotStyle){.label = "held out, last run", .color = plot_series(5), .dashed = true});
    draw_curve(panel, &s->held,
               (PlotStyle){.label = "held out", .color = plot_series(1), .head = true});
}

static void draw_sharpness(const Live *l, Plot *plot)
{
    const LiveSeen *s = &l->seen;
    PlotPanel *panel = plot_panel(
        plot, (PlotAxes){.row = 5,
                         .rows = 3,
                         .column = 1,
                         .title = "Sharpness λ by update",
                         .x = {.label = "update", .low = 0, .high = fmax(50, fmax(s->update, NAN))},
                         .y = {.label = "λ", .low = 0, .high = NAN}});
    draw_curve(panel, &s->sharpness,
               (PlotStyle){.label = "largest eigenvalue", .color = plot_series(2), .head = true});
    draw_curve(panel, &s->limit,
               (PlotStyle){.label = l->wish.momentum > 0 ? "2 (1 + μ)/η" : "2/η",
                           .color = PLOT_INK,
                           .dashed = true});
}

/* The run in one line. */
static void draw_footer(const Live *l, Plot *plot)
{
    const LiveSeen *s = &l->seen;
    char path[96] = "";
    if (s->path_points)
        snprintf(path, sizeof path, " · %.2f from the start · path up to %.2f off the plane",
                 s->moved, s->off);
    const char *phase = s->diverged    ? "DIVERGED: press r to restart"
                      : l->wish.paused ? "paused"
                      : l->wish.hurry  ? "end"
                                       : "running";
    plot_footer(plot, "update %d · %.0f %s/s · loss %.3f · held out %.3f, accuracy %.1f %%%s · %s",
                s->update, s->images_per_s, images_unit(&l->setup.data->train), s->loss,
                s->held_loss, 100 * s->accuracy, path, phase);
}

void live_draw(const Live *l, Plot *plot, const LiveLook *look, const char *missing)
{
    int rows = l->wish.sharpness ? 8 : 5;
    plot_begin(plot, rows, 2, "%s · %s, %d %s · batch B = %d · η = %.3g · momentum %g · %s",
               l->setup.spec.name, dataset_title(l->setup.data), l->setup.images,
               images_unit(&l->setup.data->train), l->wish.batch, l->wish.rate, l->wish.momentum,
               live_planes[l->wish.plane]);
    draw_surfaces(l, plot, look, missing, rows);
    draw_losses(l, plot);
    if (l->wish.sharpness)
        draw_sharpness(l, plot);
    draw_footer(l, plot);
}
