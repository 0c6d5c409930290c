/* norm_view.c: part 4's figure: the percentiles over the training, and the test errors. */
#include "check.h"
#include "norm_study.h"
#include "quantiles.h"
#include <math.h>
#include <stdlib.h>

static Spread percent(const NormStudy *s, const double *errors)
{
    double v[NORM_SEEDS];
    for (int i = 0; i < s->seeds; i++)
        v[i] = 100 * errors[i];
    return spread_of(v, s->seeds);
}

/* One scale for both panels. */
static double input_scale(const NormStudy *s)
{
    double most = 1;
    for (int norm = 0; norm < 2; norm++)
        for (int i = 0; i < NORM_LOOKS; i++)
            for (int p = 0; p < 3; p++)
                most = fmax(most, fabs(s->inputs[norm][i][p])); /* NaN: not yet */
    return 1.1 * most;
}

static void draw_inputs(const NormStudy *s, Plot *plot, int norm)
{
    double scale = input_scale(s);
    static const char *const names[] = {"15th percentile", "50th", "85th"};
    char *title = format_new("%s batch norm: inputs of the ReLU after %s",
                             norm ? "With" : "Without", s->layer);
    PlotPanel *panel = plot_panel(plot,
                                  (PlotAxes){.column = norm,
                                             .title = title,
                                             .x = {.label = "epochs", .low = 0, .high = s->epochs},
                                             .y = {.label = "input", .low = -scale, .high = scale},
                                             .no_legend = norm});
    for (int p = 2; p >= 0; p--) {
        double x[NORM_LOOKS], y[NORM_LOOKS];
        for (int i = 0; i < NORM_LOOKS; i++) {
            x[i] = s->epochs * i / (NORM_LOOKS - 1);
            y[i] = s->inputs[norm][i][p];
        }
        plot_line(panel, NORM_LOOKS, x, y,
                  (PlotStyle){.color = plot_shade(p + 1), .label = names[p]});
    }
    free(title);
}

static void draw_rates(const NormStudy *s, Plot *plot)
{
    static const char *const names[] = {"without batch norm", "with batch norm"};
    PlotPanel *panel = plot_cell(plot, 1, 0, "Test error by learning rate",
                                 plot_log("learning rate η", 10, 0.8 * s->rate[0],
                                          1.25 * s->rate[NORM_RATES - 1]),
                                 plot_axis("error: median, range (%)", 0, 100));
    for (int norm = 0; norm < 2; norm++) {
        double x[NORM_RATES];
        Spread v[NORM_RATES];
        for (int i = 0; i < NORM_RATES; i++) {
            v[i] = percent(s, s->error[norm][i]);
            x[i] = s->rate[i] * (norm ? 1.04 : 0.96);
        }
        PlotStyle style = {.color = plot_series(norm),
                           .label = names[norm],
                           .size = 9,
                           .width = 1.5};
        plot_spreads(panel, NORM_RATES, x, v, style);
    }
}

static void draw_ghosts(const NormStudy *s, Plot *plot)
{
    char *title = format_new("Ghost batch norm in a batch of %d, η = %g", s->large, s->rate[1]);
    PlotPanel *panel = plot_panel(plot, (PlotAxes){.row = 1,
                                                   .column = 1,
                                                   .title = title,
                                                   .x = plot_log("images per group", 2,
                                                                 s->ghost[0] / 2.0, 2.0 * s->large),
                                                   .y = plot_axis("test error (%)", 0, 0),
                                                   .no_legend = true});
    char *small = format_new("batch %d", s->batch);
    plot_rule_y(panel, percent(s, s->error[1][1]).median,
                (PlotStyle){.note = small, .color = PLOT_GREY, .dashed = true});
    free(small);
    for (int i = 0; i < NORM_GHOSTS; i++) {
        PlotStyle style = {.color = plot_series(2), .size = 9};
        plot_spread(panel, s->ghost[i], percent(s, s->ghost_error[i]), style);
    }
    free(title);
}

void norm_draw(const void *study, Plot *plot)
{
    const NormStudy *s = study;
    int ranks = s->study.lab->comm->size;
    if (!study_begin(&s->study, plot, 2, 2, "%s on %d images of %s · batch %d · top: η = %g",
                     s->model, s->images, dataset_title(s->study.lab->data), s->batch, s->rate[0]))
        return;
    draw_inputs(s, plot, 0);
    draw_inputs(s, plot, 1);
    draw_rates(s, plot);
    draw_ghosts(s, plot);
    plot_footer(plot,
                "%d rank%s against one, weights after the first update: %.1e apart, synchronised "
                "%.1e · trained %d networks",
                ranks, ranks == 1 ? "" : "s", s->apart[0][0], s->apart[1][0], s->done);
}

static void report_errors(const NormStudy *s)
{
    Run *run = s->study.lab->run;
    run_say(run, "test error: median (lowest to highest) of %d seeds", s->seeds);
    for (int i = 0; i < NORM_RATES; i++) {
        Spread without = percent(s, s->error[0][i]), with = percent(s, s->error[1][i]);
        run_say(run, "  rate %-5g without %5.1f %% (%.1f to %.1f)   with %5.1f %% (%.1f to %.1f)",
                s->rate[i], without.median, without.low, without.high, with.median, with.low,
                with.high);
        run_metrics(run, "error without,%g,%.6g", s->rate[i], without.median / 100);
        run_metrics(run, "error with,%g,%.6g", s->rate[i], with.median / 100);
    }
    run_say(run, "ghost batch norm in a batch of %d:", s->large);
    for (int i = 0; i < NORM_GHOSTS; i++) {
        Spread v = percent(s, s->ghost_error[i]);
        run_say(run, "  groups of %-4d %5.1f %% (%.1f to %.1f)", s->ghost[i], v.median, v.low,
                v.high);
        run_metrics(run, "error ghost,%d,%.6g", s->ghost[i], v.median / 100);
    }
}

void norm_report(const void *study)
{
    const NormStudy *s = study;
    Run *run = s->study.lab->run;
    int ranks = s->study.lab->comm->size;
    run_metrics_header(run, "what,at,value");
    run_say(run, "%d rank%s against one with all their images, distance of the weights:", ranks,
            ranks == 1 ? "" : "s");
    for (int k = 0; k < 2; k++) {
        run_say(run, "  %-20s %.1e after the first update, %.1e after five",
                k ? "synchronised" : "each for itself", s->apart[k][0], s->apart[k][1]);
        run_metrics(run, "%s,1,%.6g", k ? "synchronised" : "apart", s->apart[k][0]);
        run_metrics(run, "%s,5,%.6g", k ? "synchronised" : "apart", s->apart[k][1]);
    }
    if (ranks == 1)
        run_say(run, "  (one rank has nothing to synchronise: NP=2)");
    run_say(run, "your ghost_norm and the network's batch norm: %.1e apart at most", s->own_norm);
    run_metrics(run, "ghost_norm,0,%.6g", s->own_norm);
    for (int norm = 0; norm < 2; norm++)
        for (int i = 0; i < NORM_LOOKS; i += NORM_LOOKS - 1)
            run_say(run,
                    "%-8s batch norm, after %4.1f epochs: 15 %%, 50 %%, 85 %% of the inputs "
                    "below %.2f, %.2f, %.2f",
                    norm ? "with" : "without", s->epochs * i / (NORM_LOOKS - 1),
                    s->inputs[norm][i][0], s->inputs[norm][i][1], s->inputs[norm][i][2]);
    report_errors(s);
}
