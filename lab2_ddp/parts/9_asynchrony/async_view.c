/* async_view.c: three panels: the seconds that a slow worker costs, predicted and counted; how
 * stale the gradients are; the accuracy, with momentum and without.
 */
#include "async_study.h"
#include "check.h"
#include "quantiles.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const ServerResult *first_of(const AsyncStudy *s, ServeKind kind, int momentum, int slow)
{
    return &s->result[kind][momentum][slow][0];
}

/* Accuracy over the seeds. */
static Spread spread(const AsyncStudy *s, ServeKind kind, int momentum, int slow)
{
    double v[STUDY_SEEDS];
    for (int k = 0; k < s->seeds; k++) {
        const ServerResult *r = &s->result[kind][momentum][slow][k];
        v[k] = r->seconds > 0 ? r->accuracy : NAN;
    }
    return spread_of(v, s->seeds);
}

static PlotStyle dots(ServeKind kind)
{
    static const PlotShape shapes[] = {PLOT_DOT, PLOT_SQUARE, PLOT_DIAMOND, PLOT_TRIANGLE};
    return (PlotStyle){.color = plot_series(kind), .shape = shapes[kind], .size = 9};
}

static void draw_seconds(const AsyncStudy *s, Plot *plot)
{
    char title[64];
    snprintf(title, sizeof title, "%d gradients: how long?", s->gradients);
    PlotPanel *panel = plot_cell(plot, 0, 0, title,
                                 plot_log("how many times as slow the last worker is", 2, 0.8, 10),
                                 plot_axis("time (s), virtual clock", 0, NAN));
    for (int kind = 0; kind <= SERVE_ASYNC; kind++) {
        double line[2][33], x[STUDY_SLOWS], y[STUDY_SLOWS];
        int n = 0;
        for (int i = 0; i < 33; i++) {
            line[0][i] = pow(2, i * 3.0 / 32);
            line[1][i] = async_predicted(s, kind, line[0][i]);
        }
        for (int i = 0; i < STUDY_SLOWS; i++)
            if (first_of(s, kind, 0, i)->seconds > 0) {
                x[n] = study_slow[i];
                y[n++] = first_of(s, kind, 0, i)->seconds;
            }
        PlotStyle style = dots(kind);
        plot_line(panel, 33, line[0], line[1], (PlotStyle){.color = style.color, .width = 1.5});
        style.label = serve_names[kind];
        plot_scatter(panel, n, x, y, style);
    }
}

/* The share of the gradients with each staleness: beside each other, no worker slow and one. */
static void draw_staleness(const AsyncStudy *s, Plot *plot)
{
    enum { SHOWN = 15 };
    PlotPanel *panel = plot_cell(plot, 0, 1, "Asynchronous: how stale?",
                                 plot_axis("staleness (updates; dashed: predicted)", -0.7, SHOWN),
                                 plot_axis("share of the gradients used", 0, 1.1));
    double period[SERVER_WORKERS], x[SHOWN], height[SHOWN];
    int W = s->study.lab->comm->size - 1;
    for (int slow = 0; slow <= SLOW_SHOWN; slow += SLOW_SHOWN) {
        const ServerResult *r = first_of(s, SERVE_ASYNC, 0, slow);
        for (int i = 0; i < SHOWN; i++) {
            x[i] = i + (slow ? 0.2 : -0.2);
            height[i] = r->used ? (double)r->stale[i] / (double)r->used : 0;
        }
        plot_bars(panel, SHOWN, x, height, 0.4,
                  (PlotStyle){.color = plot_series(2),
                              .opacity = slow ? 1 : 0.4,
                              .label = slow ? "one worker 4 times as slow" : "all equally fast"});
    }
    for (int i = 0; i < W; i++)
        period[i] = async_period(s, i == W - 1 ? study_slow[SLOW_SHOWN] : 1);
    plot_rule_x(panel, expected_staleness(period, W, -1),
                (PlotStyle){.color = PLOT_GREY, .dashed = true, .note = "mean"});
    if (W > 1)
        plot_rule_x(panel, expected_staleness(period, W, W - 1),
                    (PlotStyle){.color = PLOT_GREY, .dashed = true, .note = "the slow one's"});
}

static void draw_accuracy(const AsyncStudy *s, Plot *plot)
{
    static const char *const names[] = {"sync.", "backup", "async.", "aware"};
    char label[2][48];
    PlotPanel *panel =
        plot_panel(plot, (PlotAxes){.column = 2,
                                    .title = "What it learns (one worker 4 times as slow)",
                                    .x = {.names = names,
                                          .names_count = SERVE_KINDS,
                                          .low = -0.6,
                                          .high = SERVE_KINDS - 0.4},
                                    .y = {.label = "test accuracy: median, lowest, highest",
                                          .low = -0.03, /* a mark at 0 is whole */
                                          .high = 1}});
    snprintf(label[0], sizeof label[0], "momentum %g", s->momentum);
    snprintf(label[1], sizeof label[1], "momentum 0, rate × 10");
    for (int momentum = 0; momentum < STUDY_MOMENTA; momentum++) {
        double x[SERVE_KINDS];
        Spread v[SERVE_KINDS];
        for (int kind = 0; kind < SERVE_KINDS; kind++) {
            v[kind] = spread(s, kind, momentum, SLOW_SHOWN);
            x[kind] = kind + (momentum ? 0.12 : -0.12);
        }
        PlotStyle style = {.color = momentum ? PLOT_GREY : PLOT_INK,
                           .size = 10,
                           .shape = momentum ? PLOT_SQUARE : PLOT_DOT,
                           .label = label[momentum]};
        plot_spreads(panel, SERVE_KINDS, x, v, style);
    }
}

void async_draw(const void *study, Plot *plot)
{
    const AsyncStudy *s = study;
    char link[64];
    link_text(link, sizeof link, s->link);
    bool shows = study_begin(&s->study, plot, 1, 3,
                             "%s on %s · a server and %d workers with batches of %d · η = %g · "
                             "%g ms a gradient · %s",
                             s->model, dataset_title(s->study.lab->data),
                             s->study.lab->comm->size - 1, s->batch, s->rate, s->compute, link);
    plot_footer(plot, "lines: predicted · points and bars: counted · %d of %d networks", s->done,
                async_runs(s));
    if (!shows)
        return;
    draw_seconds(s, plot);
    draw_staleness(s, plot);
    draw_accuracy(s, plot);
}

void async_report(const void *study)
{
    const AsyncStudy *s = study;
    Run *run = s->study.lab->run;
    run_metrics_header(run, "server,momentum,slow,seconds,predicted,used,dropped,staleness,"
                            "staleness_slow,low,median,high,trainings");
    run_say(run, "server               momentum  slow   seconds  predicted  dropped  staleness "
                 "(slow one's)   test accuracy");
    for (int momentum = 0; momentum < STUDY_MOMENTA; momentum++)
        for (int kind = 0; kind < SERVE_KINDS; kind++)
            for (int slow = 0; slow < STUDY_SLOWS; slow++) {
                double predicted = async_predicted(s, kind, study_slow[slow]);
                const ServerResult *r = first_of(s, kind, momentum, slow);
                Spread v = spread(s, kind, momentum, slow);
                if (!v.count)
                    continue;
                double m = momentum ? 0 : s->momentum;
                run_metrics(run, "%s,%g,%d,%.9g,%.6g,%ld,%ld,%.6g,%.6g,%.6g,%.6g,%.6g,%d",
                            serve_names[kind], m, study_slow[slow], r->seconds, predicted, r->used,
                            r->dropped, r->staleness, r->staleness_slow, v.low, v.median, v.high,
                            v.count);
                char *of_slow = isnan(r->staleness_slow)
                                  ? format_new("           –") /* none used */
                                  : format_new("%.2f", r->staleness_slow);
                run_say(run,
                        "%-19s  %8g  %4d  %8.3f  %9.3f  %7ld  %9.2f %12s     %.3f (%.3f to %.3f)",
                        serve_names[kind], m, study_slow[slow], r->seconds, predicted, r->dropped,
                        r->staleness, of_slow, v.median, v.low, v.high);
                free(of_slow);
            }
}
