/* local_view.c: three panels: the accuracy against H on random shards and on shards split by class;
 * and the change of accuracy against how many times fewer bytes an update sends.
 */
#include "check.h"
#include "lab2.h"
#include "local_study.h"
#include "quantiles.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Lowest, median and highest accuracy over the seeds; NAN: none yet. Returns how many. */
static int spread(const LocalStudy *s, Shards shards, LocalKind kind, int period, double at[3])
{
    double v[STUDY_SEEDS];
    int n = 0;
    for (int k = 0; k < s->seeds; k++)
        if (!isnan(s->accuracy[shards][kind][period][k]))
            v[n++] = s->accuracy[shards][kind][period][k];
    sort_ascending(v, n);
    at[0] = n ? v[0] : NAN;
    at[1] = n ? (v[(n - 1) / 2] + v[n / 2]) / 2 : NAN;
    at[2] = n ? v[n - 1] : NAN;
    return n;
}

static double fewer(const LocalStudy *s, LocalKind kind, int period)
{
    return s->bytes[LOCAL_PLAIN][0] / s->bytes[kind][period];
}

static PlotStyle dots(LocalKind kind)
{
    static const PlotShape shapes[] = {PLOT_STAR, PLOT_DOT, PLOT_SQUARE, PLOT_DIAMOND,
                                       PLOT_TRIANGLE};
    return (PlotStyle){.color = plot_series(kind), .shape = shapes[kind], .size = 9};
}

static void draw_periods(const LocalStudy *s, Plot *plot, Shards shards)
{
    PlotPanel *panel =
        plot_panel(plot, (PlotAxes){.column = shards,
                                    .title = shards_names[shards],
                                    .x = {.label = "updates between two exchanges, H",
                                          .log = 2,
                                          .low = 2.5,
                                          .high = 320},
                                    .y = {.label = "test accuracy: median, lowest, highest"}});
    double plain[3];
    if (spread(s, shards, LOCAL_PLAIN, 0, plain)) {
        double x[] = {2.5, 320}, low[] = {plain[0], plain[0]}, high[] = {plain[2], plain[2]};
        plot_band(panel, 2, x, low, high, (PlotStyle){.color = plot_series(LOCAL_PLAIN)});
        plot_rule_y(panel, plain[1],
                    (PlotStyle){.color = plot_series(LOCAL_PLAIN), .label = "plain: every update"});
    }
    for (int kind = LOCAL_SGD; kind < LOCAL_KINDS; kind++) {
        double x[STUDY_PERIODS], at[3][STUDY_PERIODS], one[3];
        for (int i = 0; i < STUDY_PERIODS; i++) {
            spread(s, shards, kind, i, one);
            x[i] = study_period[i] * (1 + 0.07 * (kind - 2.5));
            for (int k = 0; k < 3; k++)
                at[k][i] = one[k];
        }
        PlotStyle style = dots(kind);
        plot_line(panel, STUDY_PERIODS, x, at[1], (PlotStyle){.color = style.color, .width = 1.5});
        plot_errors(panel, STUDY_PERIODS, x, at[0], at[2], (PlotStyle){.color = style.color});
        style.label = local_names[kind];
        plot_scatter(panel, STUDY_PERIODS, x, at[1], style);
    }
}

static void draw_bytes(const LocalStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_panel(plot,
                                  (PlotAxes){.column = 2,
                                             .title = "What is saved, and what it costs",
                                             .x = {.label = "times fewer bytes sent than plain",
                                                   .log = 10,
                                                   .low = 2,
                                                   .high = 1e5},
                                             .y = {.label = "accuracy less plain's (points)"}});
    plot_rule_y(panel, 0, (PlotStyle){.color = plot_series(LOCAL_PLAIN), .width = 1});
    for (int shards = 0; shards < SHARDS; shards++)
        for (int kind = LOCAL_SGD; kind < LOCAL_KINDS; kind++) {
            double x[STUDY_PERIODS], y[STUDY_PERIODS], plain[3], one[3];
            int n = 0;
            spread(s, shards, LOCAL_PLAIN, 0, plain);
            for (int i = 0; i < STUDY_PERIODS; i++)
                if (spread(s, shards, kind, i, one)) {
                    x[n] = fewer(s, kind, i);
                    y[n++] = 100 * (one[1] - plain[1]);
                }
            PlotStyle style = dots(kind);
            plot_line(panel, n, x, y,
                      (PlotStyle){.color = style.color,
                                  .width = 1.5,
                                  .dashed = shards == SHARDS_BY_CLASS});
            plot_scatter(panel, n, x, y, style);
        }
    plot_scatter(panel, 1, (double[]){500}, (double[]){0},
                 (PlotStyle){.shape = PLOT_STAR,
                             .size = 16,
                             .color = plot_series(5),
                             .label = "DiLoCo, published"});
}

void local_draw(const void *study, Plot *plot)
{
    const LocalStudy *s = study;
    char *title = format_new("%s on %d images of %s · %d ranks with batches of %d · %d updates · "
                             "η = %g",
                             s->model, s->images, s->study.lab->data->name,
                             s->study.lab->comm->size, s->batch, s->updates, s->rate);
    char *footer = format_new("on the right, solid: random shards, dashed: split by class · "
                              "SparseLoCo sends %.1f %% of the elements · "
                              "trained %d of %d networks",
                              100.0 * s->spec.keep / SPARSE_CHUNK, s->done, local_trainings(s));
    plot_begin(plot, 1, 3, title);
    if (s->study.missing)
        study_note_missing(&s->study, plot, 3);
    else {
        for (int shards = 0; shards < SHARDS; shards++)
            draw_periods(s, plot, shards);
        draw_bytes(s, plot);
    }
    plot_footer(plot, footer);
    free(footer);
    free(title);
}

/* ---- the tables ---- */

static void report_row(const LocalStudy *s, Shards shards, LocalKind kind, int period)
{
    double at[3], plain[3];
    int n = spread(s, shards, kind, period, at), H = kind ? study_period[period] : 1;
    spread(s, shards, LOCAL_PLAIN, 0, plain);
    if (!n)
        return;
    run_metrics(s->study.lab->run, "%s,%s,%d,%.6g,%.6g,%.6g,%.6g,%d", shards_names[shards],
                local_names[kind], H, s->bytes[kind][period], at[0], at[1], at[2], n);
    run_say(s->study.lab->run, "%-21s  %-17s  %4d  %12.1f  %8.0f   %.3f (%.3f to %.3f)  %+5.1f",
            shards_names[shards], local_names[kind], H, s->bytes[kind][period],
            fewer(s, kind, period), at[1], at[0], at[2], 100 * (at[1] - plain[1]));
}

/* The most that a method saves without losing more than `points`. */
static void report_saving(const LocalStudy *s, Shards shards, LocalKind kind, double points)
{
    double most = 0, at[3], plain[3];
    int H = 0;
    spread(s, shards, LOCAL_PLAIN, 0, plain);
    for (int i = 0; i < STUDY_PERIODS; i++)
        if (spread(s, shards, kind, i, at) && at[1] >= plain[1] - points / 100 &&
            fewer(s, kind, i) > most) {
            most = fewer(s, kind, i);
            H = study_period[i];
        }
    if (most > 0)
        run_say(s->study.lab->run, "  %-21s  %-17s  %6.0f times fewer bytes (H = %d)",
                shards_names[shards], local_names[kind], most, H);
    else
        run_say(s->study.lab->run, "  %-21s  %-17s  with none of these H", shards_names[shards],
                local_names[kind]);
}

void local_report(const void *study)
{
    const LocalStudy *s = study;
    Run *run = s->study.lab->run;
    double whole = 0, at[3];
    for (int shards = 0; shards < SHARDS; shards++)
        whole += spread(s, shards, LOCAL_PLAIN, 0, at);
    if (whole == 0)
        return;
    run_say(run,
            "shards                 method                H  bytes/update     fewer   test "
            "accuracy (%d seeds)     less plain's",
            s->seeds);
    run_metrics_header(run, "shards,method,H,bytes_per_update,low,median,high,trainings");
    for (int shards = 0; shards < SHARDS; shards++)
        for (int kind = 0; kind < LOCAL_KINDS; kind++)
            for (int i = 0; i < (kind ? STUDY_PERIODS : 1); i++)
                report_row(s, shards, kind, i);
    run_say(run, "at the accuracy of plain, less 1 point at most:");
    for (int shards = 0; shards < SHARDS; shards++)
        for (int kind = LOCAL_SGD; kind < LOCAL_KINDS; kind++)
            report_saving(s, shards, kind, 1);
}
