/* plot_gallery.c: see plot_gallery.h. The data are made up; the pictures are of the kinds that the labs draw. */
#include "plot_gallery.h"
#include <math.h>
#include <stdio.h>

enum { SIDE = 100 };

/* ---- A made-up loss with two valleys, and descent with momentum on it ---- */

static double loss_at(double x, double y)
{
    return 0.02 + 0.5 * pow(x * x - 1, 2) / 2 + 0.9 * pow(y - 0.4 * sin(2 * x), 2) + 0.12 * x + 0.1 * (1 - cos(5 * y)) + 0.15;
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
    PlotGrid grid = {side, side, -2, 2, -1.8, 1.8, z};
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            z[j * side + i] = loss_at(-2 + 4.0 * i / (side - 1), -1.8 + 3.6 * j / (side - 1));
    return grid;
}

/* Repeatable noise in [-1, 1]. */
static double noise(int i)
{
    double v = sin(i * 12.9898 + 4.1) * 43758.5453;
    return 2 * (v - floor(v)) - 1;
}

/* ---- The gallery ---- */

void draw_descent(Plot *plot, const Descent *d, PlotCamera camera)
{
    static double z[SIDE * SIDE];
    PlotGrid grid = loss_grid(SIDE, z);
    PlotAxis x = {.label = "w₁"}, y = {.label = "w₂"}, value = {.label = "loss", .low = 0, .high = 3};
    PlotStyle path = {.color = 0xd55e00, .width = 2.5, .head = true, .label = "path"};
    char title[160], foot[160];
    snprintf(title, sizeof title, "Made-up loss · full batch · η = %.3g · momentum %.2g", d->rate, d->momentum);
    snprintf(foot, sizeof foot, "update %d   loss %.4f", d->steps - 1, d->loss[d->steps - 1]);
    plot_begin(plot, 2, 5, title);
    plot_footer(plot, foot);
    PlotPanel *space = plot_panel(plot, (PlotAxes){.rows = 2, .columns = 3, .title = "Loss surface", .x = x, .y = y, .z = value});
    plot_surface(space, grid, camera);
    plot_line(space, d->steps, d->x, d->y, path);
    PlotPanel *map = plot_panel(plot, (PlotAxes){.column = 3, .columns = 2, .title = "From above", .x = x, .y = y, .z = value});
    plot_heat(map, grid);
    plot_contours(map, grid, (PlotStyle){.color = PLOT_WHITE, .opacity = 0.8});
    plot_line(map, d->steps, d->x, d->y, path);
    PlotPanel *curve = plot_panel(plot, (PlotAxes){.row = 1, .column = 3, .columns = 2, .title = "Loss", .x = {.label = "update"},
                                                   .y = {.label = "loss", .log = 10}});
    plot_line(curve, d->steps, NULL, d->loss, (PlotStyle){.color = 0xd55e00, .head = true});
}

static void gallery_descent(Plot *plot)
{
    Descent d = {.rate = 0.02, .momentum = 0.9};
    descent_start(&d, -1.7, 1.4);
    while (d.steps < 150)
        descent_step(&d);
    draw_descent(plot, &d, (PlotCamera){0});
}

static void gallery_fit(Plot *plot)
{
    enum { N = 100 };
    double x[N], y[N], line_x[2] = {-1, 1}, fit[2] = {-0.7, 1.9}, loss[200], noisy[200], share[200];
    for (int i = 0; i < N; i++) {
        x[i] = noise(i);
        y[i] = 1.3 * x[i] + 0.6 + 0.4 * noise(i + 1000);
    }
    for (int i = 0; i < 200; i++) {
        share[i] = i / 50.0;
        loss[i] = 2 * exp(-i / 15.0) + 0.05;
        noisy[i] = loss[i] * (1 + 0.3 * noise(i + 5000));
    }
    plot_begin(plot, 1, 2, "Linear model y = wx + b · 100 points, noise 0.4 · batch 10 · η = 0.1");
    plot_footer(plot, "update 199   w 1.291   b 0.604   loss 0.0512");
    PlotPanel *data = plot_panel(plot, (PlotAxes){.title = "Data and model", .x = {.label = "x"}, .y = {.label = "y"}});
    plot_scatter(data, N, x, y, (PlotStyle){.label = "100 points", .opacity = 0.8});
    plot_line(data, 2, line_x, fit, (PlotStyle){.label = "model", .width = 3});
    plot_line(data, 2, line_x, (double[2]){-0.65, 1.85}, (PlotStyle){.label = "least squares", .dashed = true});
    PlotPanel *curve = plot_panel(plot, (PlotAxes){.column = 1, .title = "Loss", .x = {.label = "epoch"}, .y = {.label = "mean squared error", .log = 10}});
    plot_line(curve, 200, share, noisy, (PlotStyle){.label = "minibatch", .opacity = 0.6, .width = 1.5});
    plot_line(curve, 200, share, loss, (PlotStyle){.label = "all data", .head = true});
    plot_rule_y(curve, 0.05, (PlotStyle){.dashed = true, .label = "noise floor η/B"});
    plot_text(curve, 1.0, 0.4, "0.37 after one epoch", (PlotStyle){0});
}

static void gallery_sweep(Plot *plot)
{
    static const char *const names[] = {"self", "MPI", "NCCL", "ring"};
    double batch[8], rate[8], steps[8], low[8], high[8], bars[4] = {812, 1490, 1553, 1402}, bar_low[4], bar_high[4];
    for (int i = 0; i < 8; i++) {
        batch[i] = 8 << i;
        rate[i] = 1400 * batch[i] / (batch[i] + 26);
        steps[i] = 90 + 28000 / batch[i];
        low[i] = steps[i] * 0.8;
        high[i] = steps[i] * 1.3;
    }
    for (int i = 0; i < 4; i++) {
        bar_low[i] = bars[i] * 0.93;
        bar_high[i] = bars[i] * 1.05;
    }
    plot_begin(plot, 2, 2, "Fashion-MNIST · ResNet-8 · batch 8 to 1,024 · η tuned per point · median of 5 seeds");
    PlotPanel *a = plot_panel(plot, (PlotAxes){.title = "Throughput", .x = {.label = "batch size", .log = 2}, .y = {.label = "images / s", .low = 0, .high = NAN}});
    plot_line(a, 8, batch, rate, (PlotStyle){.label = "measured"});
    plot_scatter(a, 8, batch, rate, (PlotStyle){.color = plot_series(0)});
    PlotPanel *b = plot_panel(plot, (PlotAxes){.column = 1, .title = "Steps to 85 % accuracy", .x = {.label = "batch size", .log = 2},
                                               .y = {.label = "steps", .log = 10}});
    plot_band(b, 8, batch, low, high, (PlotStyle){.color = plot_series(1), .label = "spread over seeds"});
    plot_line(b, 8, batch, steps, (PlotStyle){.color = plot_series(1), .label = "median"});
    plot_errors(b, 8, batch, low, high, (PlotStyle){.color = plot_series(1)});
    plot_scatter(b, 8, batch, steps, (PlotStyle){.color = plot_series(1), .shape = PLOT_SQUARE});
    plot_line(b, 8, batch, (double[8]){3600, 1800, 900, 450, 225, 112, 56, 28}, (PlotStyle){.color = PLOT_GREY, .dashed = true, .label = "perfect scaling"});
    PlotPanel *c = plot_panel(plot, (PlotAxes){.row = 1, .title = "By implementation", .x = {.label = "all-reduce", .names = names, .names_count = 4},
                                               .y = {.label = "images / s"}});
    plot_bars(c, 4, NULL, bars, 0.6, (PlotStyle){0});
    plot_errors(c, 4, NULL, bar_low, bar_high, (PlotStyle){.color = PLOT_INK});
    PlotPanel *d = plot_panel(plot, (PlotAxes){.row = 1, .column = 1, .title = "Stable learning rates", .x = {.label = "η", .log = 10},
                                               .y = {.label = "loss after 100 updates", .log = 10}});
    plot_boxes(d, 1, (double[]){-INFINITY}, (double[]){0.42}, (double[]){-INFINITY}, (double[]){INFINITY},
               (PlotStyle){.color = plot_series(2), .opacity = 0.15, .label = "stable: η < 2/λmax"});
    double eta[60], end[60];
    for (int i = 0; i < 60; i++) {
        eta[i] = pow(10, -3 + i * 0.055);
        end[i] = eta[i] < 0.42 ? 0.05 + 3 * exp(-eta[i] * 60) : 3 * pow(fabs(1 - 2 * eta[i] / 0.42), 200);
    }
    plot_line(d, 60, eta, end, (PlotStyle){.label = "measured"});
}

static void gallery_maps(Plot *plot)
{
    static double z[51 * 51], rough[51 * 51];
    PlotGrid a = {51, 51, -1, 1, -1, 1, z}, b = {51, 51, -1, 1, -1, 1, rough};
    for (int j = 0; j < 51; j++)
        for (int i = 0; i < 51; i++) {
            double x = i / 25.0 - 1, y = j / 25.0 - 1, bowl = 0.1 + 40 * (x * x + 0.5 * y * y + 0.4 * x * y);
            z[j * 51 + i] = bowl;
            rough[j * 51 + i] = j > 34 && (i / 4 + j / 4) % 2 ? NAN : bowl + 6 * (1 + sin(9 * x + 3 * y) * cos(8 * y));
        }
    PlotAxis value = {.label = "loss", .log = 10, .low = 0.1, .high = 100};
    plot_begin(plot, 1, 2, "ResNet-20 on CIFAR-10 · filter-normalised slice · 2,048 images · one colour scale");
    PlotPanel *left = plot_panel(plot, (PlotAxes){.title = "With skip connections", .x = {.label = "direction 1"}, .y = {.label = "direction 2"}, .z = value});
    plot_heat(left, a);
    plot_contours(left, a, (PlotStyle){.color = PLOT_WHITE});
    plot_scatter(left, 1, (double[]){0}, (double[]){0}, (PlotStyle){.shape = PLOT_STAR, .size = 14, .color = 0xd55e00, .label = "minimum"});
    PlotPanel *right = plot_panel(plot, (PlotAxes){.column = 1, .title = "Without, 83 % computed", .x = {.label = "direction 1"}, .y = {.label = "direction 2"}, .z = value});
    plot_heat(right, b);
    plot_text(right, 0, 0, "rougher", (PlotStyle){0});
}

static void gallery_contours(Plot *plot)
{
    static double z[80 * 80];
    PlotGrid grid = loss_grid(80, z);
    plot_begin(plot, 2, 3, "Six panels: racing batch sizes, contours, timeline, a note");
    PlotPanel *contours = plot_panel(plot, (PlotAxes){.title = "Contours", .x = {.label = "w"}, .y = {.label = "b"}, .z = {.label = "loss", .log = 10}});
    plot_contours(contours, grid, (PlotStyle){0});
    PlotPanel *race = plot_panel(plot, (PlotAxes){.column = 1, .columns = 2, .title = "Racing", .x = {.label = "examples seen"}, .y = {.label = "loss", .log = 10}});
    for (int k = 0; k < 7; k++) {
        double x[300], y[300];
        char label[16];
        for (int i = 0; i < 300; i++) {
            x[i] = i * 400.0;
            y[i] = exp(-i / (20.0 + 15 * k)) + 0.002 * pow(2, 6 - k) * (1 + 0.4 * noise(i * 7 + k));
        }
        snprintf(label, sizeof label, "B = %d", 1 << (2 * k));
        plot_line(race, 300 - 10 * k, x, y, (PlotStyle){.label = label, .head = true});
    }
    static const char *const ranks[] = {"rank 0", "rank 1", "rank 2", "rank 3"};
    PlotPanel *time = plot_panel(plot, (PlotAxes){.row = 1, .columns = 2, .title = "Pipeline of four ranks", .x = {.label = "time (ms)"},
                                                  .y = {.names = ranks, .names_count = 4}});
    for (int kind = 0; kind < 2; kind++) {
        double x0[16], x1[16], y0[16], y1[16];
        for (int i = 0; i < 16; i++) {
            x0[i] = 3.0 * (i / 4 + i % 4) + (kind ? 24 - 2 * (3.0 * (i % 4)) + 3 * (i % 4) : 0);
            x1[i] = x0[i] + 2.8;
            y0[i] = i % 4 - 0.36;
            y1[i] = i % 4 + 0.36;
        }
        plot_boxes(time, 16, x0, x1, y0, y1, (PlotStyle){.label = kind ? "backward" : "forward"});
    }
    PlotPanel *note = plot_panel(plot, (PlotAxes){.row = 1, .column = 2, .title = "Your part", .x = {.label = "update"}, .y = {.label = "loss"}});
    plot_note(note, "To do: gradient()\nlab1_gd/gradient.c, line 12");
}

static void gallery_odd(Plot *plot)
{
    double huge[4] = {-1e308, 1e308, 3, 1e-308}, bad[5] = {NAN, INFINITY, -INFINITY, NAN, NAN}, one = 5, growing[60];
    for (int i = 0; i < 60; i++)
        growing[i] = pow(-7, i);
    plot_begin(plot, 2, 3, "Data that a diverged run leaves: a very long title that has to become smaller before it is cut off at the right edge of the page, because it says too much");
    plot_line(plot_panel(plot, (PlotAxes){.title = "±1e308", .x = {.label = "i"}, .y = {.label = "value"}}), 4, NULL, huge, (PlotStyle){0});
    plot_line(plot_panel(plot, (PlotAxes){.column = 1, .title = "only NaN and ∞", .x = {.label = "i"}, .y = {.label = "value"}}), 5, NULL, bad, (PlotStyle){0});
    plot_scatter(plot_panel(plot, (PlotAxes){.column = 2, .title = "one point", .x = {.label = "i"}, .y = {.label = "value"}}), 1, &one, &one, (PlotStyle){0});
    plot_line(plot_panel(plot, (PlotAxes){.row = 1, .title = "diverging", .x = {.label = "update"}, .y = {.label = "w", .low = -1000, .high = 1000}}), 60, NULL, growing, (PlotStyle){0});
    plot_panel(plot, (PlotAxes){.row = 1, .column = 1, .title = "empty, log", .x = {.label = "x", .log = 10}, .y = {.label = "y", .log = 10}});
    double tiny[4] = {1.0000001, 1.0000002, 1.0000004, 1.0000003};
    plot_line(plot_panel(plot, (PlotAxes){.row = 1, .column = 2, .title = "hardly different", .x = {.label = "i"}, .y = {.label = "value"}}), 4, NULL, tiny, (PlotStyle){0});
}

static void gallery_surface(Plot *plot)
{
    static double z[60 * 60];
    PlotGrid grid = {60, 60, -1, 1, -1, 1, z};
    for (int j = 0; j < 60; j++)
        for (int i = 0; i < 60; i++) {
            double x = i / 29.5 - 1, y = j / 29.5 - 1;
            z[j * 60 + i] = pow(10, -1.5 + 2.2 * (x * x + y * y) + 0.35 * sin(9 * x) * cos(7 * y));
        }
    PlotAxis value = {.label = "test loss", .log = 10, .low = 0.02, .high = 10};
    plot_begin(plot, 1, 2, "ResNet-56 without skip connections · CIFAR-10 test set · 60 × 60 points");
    for (int k = 0; k < 2; k++) {
        PlotPanel *panel = plot_panel(plot, (PlotAxes){.column = k, .title = k ? "From the side, cividis" : "From the front",
                                                       .x = {.label = "direction 1"}, .y = {.label = "direction 2"}, .z = value, .map = k});
        plot_surface(panel, grid, k ? (PlotCamera){215, 15, 1} : (PlotCamera){20, 45, 1});
        plot_scatter(panel, 1, (double[]){0}, (double[]){0}, (PlotStyle){.size = 12, .color = 0xd55e00, .label = "minimum"});
    }
}

const PlotPicture plot_gallery[] = {
    {"descent", gallery_descent}, {"fit", gallery_fit}, {"sweep", gallery_sweep}, {"maps", gallery_maps},
    {"contours", gallery_contours}, {"surface", gallery_surface}, {"odd", gallery_odd}, {NULL, NULL}};
