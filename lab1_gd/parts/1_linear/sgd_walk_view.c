/* sgd_walk_view.c: the five panels of a walk: the points; the loss of the next example alone, and
 * of all, with the same path; the losses by update; the noise floor by learning rate.
 */
#include "check.h"
#include "sgd_walk.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The path, thin; its newest updates, thick. */
static void draw_path(const SgdWalk *s, PlotPanel *panel, const char *label)
{
    int tail = s->count < 40 ? s->count : 40, from = s->count - tail;
    linear_draw_path(panel, s->count, s->w, s->b,
                     (PlotStyle){.color = plot_series(1), .width = 1, .opacity = 0.45});
    plot_line(panel, tail, s->w + from, s->b + from,
              (PlotStyle){.label = label, .color = plot_series(1), .width = 2});
}

static void draw_data(SgdWalk *s, PlotPanel *panel, int i)
{
    int last = s->count - 1;
    linear_draw_data(panel, &s->points, &s->noise.all, s->w[last], s->b[last]);
    double y[2] = {s->points.y[i], s->w[last] * s->points.x[i] + s->b[last]},
           x[2] = {s->points.x[i], s->points.x[i]};
    plot_line(panel, 2, x, y, (PlotStyle){.color = plot_series(3), .width = 2.5});
    plot_scatter(panel, 1, x, y,
                 (PlotStyle){.label = "next example", .color = plot_series(3), .size = 11});
}

/* One example's loss is 0 on the line b = y - x w: every line through that point fits it. Its
 * gradient is orthogonal to this line everywhere, so the next update goes towards it (and, at a
 * large rate, beyond). */
static void draw_one(const SgdWalk *s, SgdWalkView *v, PlotPanel *panel, int i)
{
    Parabola own = parabola_of(&s->points, i, 1);
    double x = s->points.x[i], y = s->points.y[i];
    double w[2] = {v->map.w_low, v->map.w_high}, b[2] = {y - x * w[0], y - x * w[1]};
    plot_contours(panel, linear_view_grid(&v->map, &own), (PlotStyle){.width = 1.2});
    plot_line(panel, 2, w, b,
              (PlotStyle){
                  .label = "fits it exactly", .color = plot_series(3), .width = 2, .dashed = true});
    draw_path(s, panel, NULL);
    linear_draw_solutions(panel, &s->points, &s->noise.all, false);
}

static void draw_all(const SgdWalk *s, SgdWalkView *v, PlotPanel *panel)
{
    plot_contours(panel, linear_view_grid(&v->map, &s->noise.all), (PlotStyle){.width = 1.2});
    draw_path(s, panel, "path: the newest 40 updates");
    linear_draw_solutions(panel, &s->points, &s->noise.all, true);
}

/* The largest loss over all examples. */
static double highest(const SgdWalk *s)
{
    double high = s->loss[0];
    for (int k = 1; k < s->count; k++)
        high = fmax(high, s->loss[k]);
    return high;
}

/* The loss over all examples; of a long walk means over several updates, in a band from lowest to
 * highest. */
static void draw_level(const SgdWalk *s, PlotPanel *panel)
{
    enum { MOST = 400 };
    double x[MOST], mean[MOST], low[MOST], high[MOST];
    int step = 1 + (s->count - 1) / MOST, n = 0;
    for (int from = 0, to; from < s->count; from = to, n++) {
        to = from + step < s->count ? from + step : s->count;
        mean[n] = 0, low[n] = INFINITY, high[n] = 0;
        for (int k = from; k < to; k++) {
            mean[n] += s->loss[k] / (to - from);
            low[n] = fmin(low[n], s->loss[k]);
            high[n] = fmax(high[n], s->loss[k]);
        }
        x[n] = to - 1;
    }
    char label[64];
    snprintf(label, sizeof label, "all examples: mean, lowest, highest of %d updates", step);
    if (step > 1)
        plot_band(panel, n, x, low, high, (PlotStyle){.color = plot_series(1), .opacity = 0.3});
    plot_line(panel, n, x, mean,
              (PlotStyle){.label = step > 1 ? label : "all examples",
                          .color = plot_series(1),
                          .width = 1.75,
                          .head = true});
}

static void draw_losses(const SgdWalk *s, PlotPanel *panel)
{
    enum { DOTS = 400 };
    int n = s->points.n, epochs = (s->count - 1) / n + 1;
    double *t = alloc(2ul * epochs, sizeof *t), *loss = t + epochs;
    for (int k = 0; k < epochs; k++) {
        t[k] = k * n;
        loss[k] = s->loss[k * n];
    }
    /* the newest dots */
    int shown = s->count - 1 < DOTS ? s->count - 1 : DOTS, from = s->count - 1 - shown;
    double at[DOTS];
    for (int k = 0; k < shown; k++)
        at[k] = from + k;
    plot_scatter(panel, shown, at, s->own + from,
                 (PlotStyle){.label = from ? "its own example (newest 400)" : "its own example",
                             .color = plot_series(5),
                             .size = 4,
                             .opacity = 0.6});
    draw_level(s, panel);
    PlotStyle style = {.label = "… after each epoch",
                       .color = plot_series(0),
                       .shape = PLOT_SQUARE,
                       .size = 8,
                       .width = 1.5};
    if (epochs <= 40)
        plot_scatter(panel, epochs, t, loss, style);
    else
        plot_line(panel, epochs, t, loss, style);
    plot_rule_y(panel, s->noise.lowest,
                (PlotStyle){.note = "minimum", .color = plot_series(0), .dashed = true});
    free(t);
}

static void draw_floor(const SgdWalk *s, PlotPanel *panel)
{
    enum { N = 60 };
    double rate[N], small[N], limit = sgd_rate_limit(&s->noise, SGD_WITH, 1);
    for (int i = 0; i < N; i++) {
        rate[i] = limit * pow(300, (double)i / (N - 1) - 1);
        small[i] = sgd_floor_small(&s->noise, rate[i], 1);
    }
    plot_line(
        panel, N, rate, small,
        (PlotStyle){.label = "η tr(C) / 4", .color = PLOT_GREY, .width = 1.5, .dashed = true});
    sgd_survey_draw(&s->survey, panel, SGD_WITH, false,
                    (PlotStyle){.label = "drawn with replacement", .color = plot_series(0)});
    sgd_survey_draw(&s->survey, panel, SGD_SHUFFLED, false,
                    (PlotStyle){.label = sgd_sampling_name[SGD_SHUFFLED],
                                .color = plot_series(2),
                                .shape = PLOT_SQUARE});
    plot_rule_x(panel, s->rate, (PlotStyle){.note = "η now", .color = plot_series(1), .width = 2});
}

/* Far below the largest rate with a floor no walk diverges: then it is the student's function. */
static const char *how_it_was_lost(const SgdWalk *s)
{
    return s->rate < 0.5 * sgd_rate_limit(&s->noise, SGD_WITH, 1)
             ? "DIVERGED at a stable rate: make check LAB=lab1"
             : "DIVERGED: the learning rate is too large";
}

void sgd_walk_draw(SgdWalk *s, SgdWalkView *v, Plot *plot, const char *phase)
{
    char text[80];
    int last = s->count - 1, n = s->points.n, i = sgd_walk_example(s, last);
    linear_view_fit(&v->map, &s->noise.all, 1, s->count, s->w, s->b);
    plot_begin(plot, 2, 6,
               "Linear model · %d points, noise %.2g · batch 1, %s · learning rate η = %.4g", n,
               s->points.noise, s->sampling == SGD_SHUFFLED ? "shuffled" : "drawn with replacement",
               s->rate);
    PlotPanel *data = plot_panel(plot, (PlotAxes){.columns = 2,
                                                  .title = "Data and line",
                                                  .x = {.label = "x", .low = -1.2, .high = 3.2},
                                                  .y.label = "y"});
    snprintf(text, sizeof text, "Loss of one example: x = %.2f, y = %.2f", s->points.x[i],
             s->points.y[i]);
    PlotAxis w = linear_view_w(&v->map), b = linear_view_b(&v->map),
             loss = linear_view_loss(&v->map, &s->noise.all);
    loss.low = s->noise.lowest / 4;
    loss.high = 64 * fmax(s->noise.lowest, 1);
    PlotPanel *one =
        plot_panel(plot,
                   (PlotAxes){.column = 2, .columns = 2, .title = text, .x = w, .y = b, .z = loss});
    PlotPanel *all = plot_panel(plot, (PlotAxes){.column = 4,
                                                 .columns = 2,
                                                 .title = "Loss of all examples",
                                                 .x = w,
                                                 .y = b,
                                                 .z = loss});
    PlotPanel *losses = plot_panel(plot, (PlotAxes){.row = 1,
                                                    .columns = 3,
                                                    .title = "Loss by update",
                                                    .x = plot_axis("update", 0, fmax(20, s->count)),
                                                    .y = plot_log("squared error", 10,
                                                                  s->noise.lowest / 30,
                                                                  20 * highest(s))});
    PlotPanel *floor =
        plot_panel(plot, (PlotAxes){.row = 1,
                                    .column = 3,
                                    .columns = 3,
                                    .title = "Noise floor: measured (dots), theory (lines)",
                                    .x = {.label = "learning rate η", .log = 10},
                                    .y = {.label = "mean loss − minimum", .log = 10}});
    draw_data(s, data, i);
    draw_one(s, v, one, i);
    draw_all(s, v, all);
    draw_losses(s, losses);
    draw_floor(s, floor);
    if (s->noise.c[2] == 0)
        plot_note(floor, "no noise: no floor");
    if (s->missing)
        plot_note(losses, s->missing);
    plot_footer(
        plot,
        "update %d, epoch %d · w = %.4g · b = %.4g · loss %.4g (minimum %.4g) · floor: %.0f %% "
        "measured · %s",
        last, last / n, s->w[last], s->b[last], s->loss[last], s->noise.lowest,
        100 * sgd_survey_done(&s->survey),
        s->lost            ? how_it_was_lost(s)
        : last == WALK_MAX ? "stopped: too many updates"
                           : phase);
}
