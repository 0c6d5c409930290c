/* plot_gallery.c: see plot_gallery.h. Made-up data, in the kinds of figures that the labs draw. */
#include "plot_gallery.h"
#include <math.h>
#include <stdio.h>

enum { SIDE = 100, VERMILION = 0xd55e00 };

static double loss_at(double x, double y)
{
    double valleys = 0.25 * pow(x * x - 1, 2) + 0.9 * pow(y - 0.4 * sin(2 * x), 2);
    return 0.17 + valleys + 0.12 * x + 0.1 * (1 - cos(5 * y));
}

void descent_start(Descent *d, double x, double y)
{
    d->vx = d->vy = 0;
    d->steps = 1;
    d->x[0] = x;
    d->y[0] = y;
    d->loss[0] = loss_at(x, y);
}

void descent_step(Descent *d)
{
    int t = d->steps;
    if (t == STEPS)
        return;
    double x = d->x[t - 1], y = d->y[t - 1], h = 1e-5;
    d->vx = d->momentum * d->vx - d->rate * (loss_at(x + h, y) - loss_at(x - h, y)) / (2 * h);
    d->vy = d->momentum * d->vy - d->rate * (loss_at(x, y + h) - loss_at(x, y - h)) / (2 * h);
    d->x[t] = x + d->vx;
    d->y[t] = y + d->vy;
    d->loss[t] = loss_at(d->x[t], d->y[t]);
    d->steps++;
}

static PlotGrid loss_grid(int side, double *z)
{
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            z[j * side + i] = loss_at(-2 + 4.0 * i / (side - 1), -1.8 + 3.6 * j / (side - 1));
    return (PlotGrid){side, side, -2, 2, -1.8, 1.8, z};
}

/* Repeatable noise in [-1, 1]. */
static double noise(int i)
{
    double v = sin(i * 12.9898 + 4.1) * 43758.5453;
    return 2 * (v - floor(v)) - 1;
}

void draw_descent(Plot *plot, const Descent *d, PlotCamera camera)
{
    static double z[SIDE * SIDE];
    PlotGrid grid = loss_grid(SIDE, z);
    PlotAxes axes = {.rows = 2,
                     .columns = 3,
                     .title = "Loss surface",
                     .x.label = "w₁",
                     .y.label = "w₂",
                     .z = {.label = "loss", .low = 0, .high = 3}};
    PlotStyle path = {.color = VERMILION, .width = 2.5, .head = true, .label = "path"};
    plot_begin(plot, 2, 5, "Made-up loss · full batch · η = %.3g · momentum %.2g", d->rate,
               d->momentum);
    plot_footer(plot, "update %d   loss %.4f", d->steps - 1, d->loss[d->steps - 1]);
    PlotPanel *space = plot_panel(plot, axes);
    plot_surface(space, grid, camera);
    plot_line(space, d->steps, d->x, d->y, path);
    axes.title = "From above";
    axes.column = 3;
    axes.rows = 1;
    axes.columns = 2;
    PlotPanel *map = plot_panel(plot, axes);
    plot_heat(map, grid);
    plot_contours(map, grid, (PlotStyle){.color = PLOT_WHITE, .opacity = 0.8});
    plot_line(map, d->steps, d->x, d->y, path);
    PlotPanel *curve = plot_panel(plot, (PlotAxes){.row = 1,
                                                   .column = 3,
                                                   .columns = 2,
                                                   .title = "Loss",
                                                   .x.label = "update",
                                                   .y.label = "loss",
                                                   .y.log = 10});
    plot_line(curve, d->steps, NULL, d->loss, (PlotStyle){.color = VERMILION, .head = true});
}

static void descent(Plot *plot)
{
    Descent d = {.rate = 0.02, .momentum = 0.9};
    descent_start(&d, -1.7, 1.4);
    while (d.steps < 150)
        descent_step(&d);
    draw_descent(plot, &d, (PlotCamera){0});
}

static void steps_to_target(PlotPanel *panel)
{
    double batch[8], steps[8], low[8], high[8], perfect[8];
    for (int i = 0; i < 8; i++) {
        batch[i] = 8 << i;
        steps[i] = 90 + 28000 / batch[i];
        low[i] = steps[i] * 0.8;
        high[i] = steps[i] * 1.3;
        perfect[i] = 28800 / batch[i];
    }
    uint32_t color = plot_series(1);
    plot_band(panel, 8, batch, low, high,
              (PlotStyle){.color = color, .label = "spread over seeds"});
    plot_line(panel, 8, batch, steps, (PlotStyle){.color = color, .label = "median"});
    plot_errors(panel, 8, batch, low, high, (PlotStyle){.color = color});
    plot_scatter(panel, 8, batch, steps, (PlotStyle){.color = color, .shape = PLOT_SQUARE});
    plot_line(panel, 8, batch, perfect,
              (PlotStyle){.color = PLOT_GREY, .dashed = true, .label = "perfect scaling"});
}

static void stable_rates(PlotPanel *panel)
{
    double eta[60], end[60], limit = 0.42, all = INFINITY, none = -INFINITY;
    for (int i = 0; i < 60; i++) {
        eta[i] = pow(10, -3 + i * 0.055);
        end[i] = eta[i] < limit ? 0.05 + 3 * exp(-eta[i] * 60)
                                : 3 * pow(fabs(1 - 2 * eta[i] / limit), 200);
    }
    PlotStyle range = {.color = plot_series(2), .opacity = 0.15, .label = "stable: η < 2/λmax"};
    plot_boxes(panel, 1, &none, &limit, &none, &all, range);
    plot_line(panel, 60, eta, end, (PlotStyle){.label = "measured"});
}

static void sweep(Plot *plot)
{
    static const char *const names[] = {"self", "MPI", "NCCL", "ring"};
    double batch[8], rate[8], bars[4] = {812, 1490, 1553, 1402}, low[4], high[4];
    for (int i = 0; i < 8; i++) {
        batch[i] = 8 << i;
        rate[i] = 1400 * batch[i] / (batch[i] + 26);
    }
    for (int i = 0; i < 4; i++) {
        low[i] = bars[i] * 0.93;
        high[i] = bars[i] * 1.05;
    }
    plot_begin(
        plot, 2, 2,
        "Fashion-MNIST · ResNet-8 · batch 8 to 1,024 · η tuned per point · median of 5 seeds");
    PlotAxes axes = {.title = "Throughput",
                     .x.label = "batch size",
                     .x.log = 2,
                     .y.label = "images / s",
                     .y.high = NAN};
    PlotPanel *throughput = plot_panel(plot, axes);
    plot_line(throughput, 8, batch, rate, (PlotStyle){.label = "measured"});
    plot_scatter(throughput, 8, batch, rate, (PlotStyle){.color = plot_series(0)});
    axes = (PlotAxes){.column = 1,
                      .title = "Steps to 85 % accuracy",
                      .x = axes.x,
                      .y.label = "steps",
                      .y.log = 10};
    steps_to_target(plot_panel(plot, axes));
    axes = (PlotAxes){.row = 1,
                      .title = "By implementation",
                      .y.label = "images / s",
                      .x = {.label = "all-reduce", .names = names, .names_count = 4}};
    PlotPanel *implementations = plot_panel(plot, axes);
    plot_bars(implementations, 4, NULL, bars, 0.6, (PlotStyle){0});
    plot_errors(implementations, 4, NULL, low, high, (PlotStyle){.color = PLOT_INK});
    axes = (PlotAxes){.row = 1,
                      .column = 1,
                      .title = "Stable learning rates",
                      .x.label = "η",
                      .x.log = 10,
                      .y.label = "loss after 100 updates",
                      .y.log = 10};
    stable_rates(plot_panel(plot, axes));
}

static void race(PlotPanel *panel)
{
    for (int k = 0; k < 7; k++) {
        double x[300], y[300];
        char label[16];
        for (int i = 0; i < 300; i++) {
            x[i] = i * 400.0;
            y[i] = exp(-i / (20.0 + 15 * k)) + 0.002 * pow(2, 6 - k) * (1 + 0.4 * noise(i * 7 + k));
        }
        snprintf(label, sizeof label, "B = %d", 1 << (2 * k));
        plot_line(panel, 300 - 10 * k, x, y, (PlotStyle){.label = label, .head = true});
    }
}

static void pipeline(PlotPanel *panel)
{
    for (int back = 0; back < 2; back++) {
        double from[16], to[16], bottom[16], top[16];
        for (int i = 0; i < 16; i++) {
            int rank = i % 4, batch = i / 4;
            from[i] = 3.0 * (batch + (back ? 7 + 3 - rank : rank));
            to[i] = from[i] + 2.8;
            bottom[i] = rank - 0.36;
            top[i] = rank + 0.36;
        }
        plot_boxes(panel, 16, from, to, bottom, top,
                   (PlotStyle){.label = back ? "backward" : "forward"});
    }
}

static void panels(Plot *plot)
{
    static const char *const ranks[] = {"rank 0", "rank 1", "rank 2", "rank 3"};
    static double z[80 * 80];
    plot_begin(plot, 2, 3, "Panels: contours, racing batch sizes, a pipeline's timeline, a note");
    PlotAxes axes = {
        .title = "Contours", .x.label = "w", .y.label = "b", .z.label = "loss", .z.log = 10};
    plot_contours(plot_panel(plot, axes), loss_grid(80, z), (PlotStyle){0});
    axes = (PlotAxes){
        .column = 1, .columns = 2, .title = "Racing", .x.label = "examples seen", .y = axes.z};
    race(plot_panel(plot, axes));
    axes = (PlotAxes){.row = 1,
                      .columns = 2,
                      .title = "Pipeline of four ranks",
                      .x.label = "time (ms)",
                      .y = {.names = ranks, .names_count = 4}};
    pipeline(plot_panel(plot, axes));
    axes = (PlotAxes){
        .row = 1, .column = 2, .title = "Your part", .x.label = "update", .y.label = "loss"};
    plot_note(plot_panel(plot, axes), "TODO: gradient()\nlab1_gd/exercises/1a_gradient.c, line 12");
}

const GalleryFigure plot_gallery[] = {{"descent", descent},
                                      {"sweep", sweep},
                                      {"panels", panels},
                                      {NULL, NULL}};
