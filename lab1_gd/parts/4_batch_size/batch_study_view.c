/* batch_study_view.c: four panels over the batch size: speed, and time, epochs and updates to the
 * target. */
#include "batch_study.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A WRN-16-10 on one V100 (published, not measured here): images per second, rising. */
static const double published_batch[] = {8, 16, 32, 64, 128, 256, 512, 700};
static const double published_speed[] = {328, 551, 808, 1002, 1165, 1273, 1329, 1332};
enum { PUBLISHED = 8, CURVE = 121 };

static void draw_fit(const BatchStudy *s, PlotPanel *panel)
{
    double x[CURVE], y[CURVE], top = 1 / s->c, half = s->t0 / s->c;
    for (int i = 0; i < CURVE; i++) {
        x[i] = pow(s->fastest, i / (CURVE - 1.0));
        y[i] = x[i] / (s->t0 + s->c * x[i]);
    }
    plot_line(panel, CURVE, x, y, (PlotStyle){.label = "B / (t0 + c·B)", .color = plot_series(1)});
    plot_rule_y(panel, top,
                (PlotStyle){.note = "1/c",
                            .color = plot_series(1),
                            .dashed = true,
                            .width = 1,
                            .head = true});
    if (half >= 1 && half <= s->fastest)
        plot_scatter(panel, 1, &half, &(double){top / 2},
                     (PlotStyle){.label = "half of 1/c, at B = t0/c",
                                 .color = plot_series(1),
                                 .shape = PLOT_DIAMOND,
                                 .size = 11});
}

static void draw_published(const BatchStudy *s, PlotPanel *panel)
{
    double y[PUBLISHED];
    int n = 0;
    for (; n < PUBLISHED && published_batch[n] <= s->fastest; n++)
        y[n] = published_speed[n] / published_speed[PUBLISHED - 1] / s->c;
    plot_line(panel, n, published_batch, y,
              (PlotStyle){.label = "published shape: WRN-16-10, V100",
                          .color = PLOT_GREY,
                          .dashed = true});
}

static void draw_speed(const BatchStudy *s, PlotPanel *panel)
{
    double batch[SPEED_SIZES], median[SPEED_SIZES], low[SPEED_SIZES], high[SPEED_SIZES];
    Speed speed[SPEED_SIZES];
    int n = batch_study_measured(s, batch, speed);
    for (int i = 0; i < n; i++) {
        median[i] = batch[i] / speed[i].seconds;
        high[i] = batch[i] / speed[i].quartile[0];
        low[i] = batch[i] / speed[i].quartile[1];
    }
    if (isfinite(s->t0) && s->c > 0) {
        draw_published(s, panel);
        draw_fit(s, panel);
    }
    PlotStyle style = {.color = plot_series(0)};
    plot_errors(panel, n, batch, low, high, style);
    style.label = "measured: median, quartiles";
    plot_scatter(panel, n, batch, median, style);
}

static void draw_value(const BatchStudy *s, PlotPanel *panel, int value)
{
    batch_sweep_draw(&s->sweep, panel, value, (PlotStyle){.color = plot_series(0)});
    if (s->dots)
        batch_sweep_dots(&s->sweep, panel, value,
                         (PlotStyle){.label = "a run", .color = plot_series(4), .size = 6});
    if (s->selected)
        plot_rule_x(panel, s->selected,
                    (PlotStyle){.note = "chosen", .color = PLOT_GREY, .dashed = true, .width = 1});
}

/* The axis of a value to the target: its range so far. */
static PlotAxis target_axis(const BatchStudy *s, const char *label, int value)
{
    int size[BATCH_SIZES], n = batch_sweep_sizes(&s->sweep, size), missed = 0;
    double low = INFINITY, high = 0;
    for (int i = 0; i < n; i++) {
        Spread spread = batch_sweep_spread(&s->sweep, size[i], value);
        missed += spread.missed;
        low = fmin(low, spread.count ? spread.low : INFINITY);
        high = fmax(high, spread.count ? spread.high : 0);
    }
    double perfect = sweep_spread(s->sweep.runs, size[0], value).median * size[0] / size[n - 1];
    low = 0.75 * (value == BATCH_STEPS ? fmin(low, perfect) : low);
    high *= missed ? 2 : 1.3; /* batch_sweep_draw()'s crosses are at 1.5 times the highest */
    if (high == 0)
        return (PlotAxis){.label = label, .log = 10, .low = 0.1, .high = 10};
    return (PlotAxis){.label = label, .log = 10, .low = low, .high = high};
}

/* The top of the speed axis; NaN: nothing is measured yet. */
static double top_of(const BatchStudy *s)
{
    double batch[SPEED_SIZES], most = 1 / s->c;
    Speed speed[SPEED_SIZES];
    int n = batch_study_measured(s, batch, speed);
    for (int i = 0; i < n; i++)
        most = fmax(most, batch[i] / speed[i].quartile[0]);
    return 1.1 * most;
}

/* The run's phase, or the results of the selected batch. */
static void draw_footer(const BatchStudy *s, Plot *plot)
{
    const BatchSweep *b = &s->sweep;
    if (s->selected) {
        Spread seconds = batch_sweep_spread(b, s->selected, BATCH_SECONDS),
               steps = sweep_spread(b->runs, s->selected, BATCH_STEPS);
        if (steps.count == 0)
            plot_footer(plot, "batch %d, rate %.3g: %d runs, none reached the target", s->selected,
                        batch_sweep_rate(b, s->selected), steps.missed);
        else
            plot_footer(plot,
                        "batch %d, rate %.3g: %.2f s (%.2f to %.2f), %.0f updates (%.0f to %.0f), "
                        "%d of %d runs reached the target",
                        s->selected, batch_sweep_rate(b, s->selected), seconds.median, seconds.low,
                        seconds.high, steps.median, steps.low, steps.high, steps.count,
                        steps.count + steps.missed);
        return;
    }
    int size[BATCH_SIZES], total = batch_sweep_sizes(b, size) * b->seeds;
    const char *phase = s->complete ? "complete" : s->study.paused ? "paused" : "running";
    if (!s->complete && b->batch == 0 && b->done == 0)
        plot_footer(plot, "%s · the speed first", phase);
    else if (b->batch == 0)
        plot_footer(plot, "%s", phase);
    else
        plot_footer(plot, "%s · run %d of %d: batch %d, seed %lld", phase, b->done + 1, total,
                    b->batch, (long long)b->batch_seed);
}

static void begin(const BatchStudy *s, Plot *plot)
{
    const BatchSweep *b = &s->sweep;
    int ranks = b->comm->size;
    plot_begin(
        plot, 2, 2,
        "%s on %s · %d images · to %.0f %% test accuracy · η = %.3g at batch 64%s · %d rank%s",
        b->model, dataset_title(b->setup.data), b->train, 100 * b->target, b->rate,
        !strcmp(b->scale, "sqrt")     ? ", × √(B/64)"
        : !strcmp(b->scale, "linear") ? ", × B/64"
                                      : ", for every B",
        ranks, ranks == 1 ? "" : "s");
}

void batch_study_draw(const void *study, Plot *plot)
{
    BatchStudy fitted = batch_study_fitted(study), *s = &fitted;
    const char *missing = s->study.missing;
    static const struct {
        const char *title, *label;
        int value;
    } targets[] = {{"Time to the target", "training time (s)", BATCH_SECONDS},
                   {"Epochs to the target", "epochs", BATCH_EPOCHS},
                   {"Updates to the target", "updates", BATCH_STEPS}};
    char speed_title[128] = "Speed";
    if (isfinite(s->t0))
        snprintf(speed_title, sizeof speed_title,
                 "Speed · fit: t0 = %.3g ms, c = %.3g ms, at most %.0f/s", 1e3 * s->t0, 1e3 * s->c,
                 1 / s->c);
    PlotAxis x = plot_log("batch size B (images per update)", 2, 0.7, 1.4 * s->fastest);
    begin(s, plot);
    PlotPanel *speed = plot_cell(plot, 0, 0, speed_title, x,
                                 plot_axis("images per second", 0, top_of(s)));
    draw_speed(s, speed);
    for (int i = 0; i < 3; i++) {
        PlotPanel *panel = plot_cell(plot, (i + 1) / 2, (i + 1) % 2, targets[i].title, x,
                                     target_axis(s, targets[i].label, targets[i].value));
        draw_value(s, panel, targets[i].value);
    }
    /* The exercise is the fit: its note gives way to what is measured without. */
    if (missing && s->sweep.speeds.file->rows == 0)
        plot_note(speed, missing);
    if (missing && s->sweep.speeds.file->rows)
        plot_footer(plot, "%s", missing);
    else
        draw_footer(s, plot);
}
