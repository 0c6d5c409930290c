/* gap_view.c: part 2's figure: errors, sharpness against error, the line, and the planes. */
#include "check.h"
#include "gap_study.h"
#include "quantiles.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static Spread spread(const GapStudy *s, int decay, int way, size_t field, double scale)
{
    double v[GAP_SEEDS];
    for (int i = 0; i < s->seeds; i++)
        v[i] = scale * *(const double *)((const char *)&s->result[decay][way][i] + field);
    return spread_of(v, s->seeds);
}
static Spread test_error(const GapStudy *s, int decay, int way)
{
    return spread(s, decay, way, offsetof(GapResult, test), 100);
}

static void draw_errors(const GapStudy *s, Plot *plot)
{
    static const char *const names[] = {"small", "large", "rate √k", "longer"};
    PlotPanel *panel = plot_cell(plot, 0, 0, "Error: test, and training (crosses)",
                                 plot_names(NULL, names, GAP_WAYS, 0.5),
                                 plot_axis("error: median, range (%)", 0, NAN));
    for (int decay = 0; decay < 2; decay++)
        for (int way = 0; way < GAP_WAYS; way++) {
            double x = way + 0.2 * (decay - 0.5);
            Spread test = test_error(s, decay, way),
                   train = spread(s, decay, way, offsetof(GapResult, train), 100);
            const char *label = way ? NULL : decay ? "with weight decay" : "without weight decay";
            PlotStyle style = {.color = decay ? PLOT_GREY : PLOT_INK, .size = 9, .label = label};
            plot_scatter(panel, 1, &x, &train.median,
                         (PlotStyle){.color = style.color, .shape = PLOT_CROSS, .size = 8});
            plot_spread(panel, x, test, style);
        }
}

static const PlotShape way_shapes[] = {PLOT_DOT, PLOT_SQUARE, PLOT_DIAMOND, PLOT_TRIANGLE};

static void draw_sharpness(const GapStudy *s, Plot *plot)
{
    int trainings;
    double tau = gap_tau(s, &trainings);
    char *title = format_new("Sharp and wrong? τ = %+.2f over %d", tau, trainings);
    PlotPanel *panel = plot_cell(plot, 0, 1, title, plot_log("largest eigenvalue λ", 10, 0, 0),
                                 plot_axis("test error (%)", 0, 0));
    for (int way = 0; way < GAP_WAYS; way++)
        for (int i = 0; i < 2 * s->seeds; i++) {
            const GapResult *r = &s->result[i % 2][way][i / 2];
            double error = 100 * r->test;
            plot_scatter(panel, 1, &r->sharpness, &error,
                         (PlotStyle){.color = plot_series(way),
                                     .shape = way_shapes[way],
                                     .size = 8,
                                     .label = i ? NULL : gap_way_names[way]});
        }
    free(title);
}

static void draw_line(const GapStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_cell(plot, 0, 2, "Between the two solutions",
                                 plot_axis("small batch at 0, large batch at 1", 0, 0),
                                 plot_log("loss", 10, 0, 0));
    PlotStyle rule = {.color = PLOT_GREY, .dashed = true, .width = 1};
    rule.note = "small batch";
    plot_rule_x(panel, 0, rule);
    rule.note = "large batch";
    plot_rule_x(panel, 1, rule);
    plot_line(panel, GAP_LINE, s->t, s->line_train,
              (PlotStyle){.label = "training", .color = PLOT_INK});
    plot_line(panel, GAP_LINE, s->t, s->line_test,
              (PlotStyle){.label = "test", .color = PLOT_INK, .dashed = true});
}

static void draw_plane(const GapStudy *s, Plot *plot, int decay)
{
    const Surface *plane = s->plane[decay];
    int n = plane->nx * plane->ny;
    double *loss = alloc(n, sizeof *loss), x[] = {0, 1}, y[] = {0, 0};
    surface_fill(loss, plane, plane->loss);
    char *title = format_new("Loss, weight decay %g", decay ? s->decay : 0);
    PlotPanel *panel = plot_panel(plot,
                                  (PlotAxes){.row = 1,
                                             .column = decay,
                                             .title = title,
                                             .x = {.label = "small batch at 0, large batch at 1"},
                                             .y = {.label = "a random direction"},
                                             .z = plot_log("loss", 2, 0.1, 10),
                                             .no_legend = true});
    PlotGrid grid = {plane->nx, plane->ny, -0.5, 1.5, -1, 1, loss};
    plot_heat(panel, grid);
    plot_contours(panel, grid, (PlotStyle){.color = PLOT_WHITE, .width = 1});
    plot_scatter(panel, 2, x, y, (PlotStyle){.color = PLOT_INK, .shape = PLOT_STAR, .size = 11});
    free(title);
    free(loss);
}

/* The gap at equal epochs, and how much of it is left at equal updates. */
static void draw_updates(const GapStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_cell(plot, 1, 2, "Test error against updates",
                                 plot_log("updates", 10, 50, 2000),
                                 plot_axis("test error (%)", 0, NAN));
    for (int way = 0; way < GAP_WAYS; way++) {
        PlotStyle style = {.color = plot_series(way),
                           .shape = way_shapes[way],
                           .size = 9,
                           .label = gap_way_names[way]};
        plot_spread(panel, s->result[0][way][0].updates, test_error(s, 0, way), style);
    }
}

void gap_draw(const void *study, Plot *plot)
{
    const GapStudy *s = study;
    if (!study_begin(&s->study, plot, 2, 3,
                     "%s on %d images of %s · batch %d against %d · %g epochs, longer: %g · "
                     "η = %g, weight decay %g",
                     s->model, s->images, dataset_title(s->study.lab->data), s->batch,
                     s->batch * s->k, s->epochs, s->longer * s->epochs, s->rate, s->decay))
        return;
    draw_errors(s, plot);
    draw_sharpness(s, plot);
    draw_line(s, plot);
    draw_plane(s, plot, 0);
    draw_plane(s, plot, 1);
    draw_updates(s, plot);
    plot_footer(plot, "trained %d of %d networks · the planes: first seed, the same directions",
                s->done, 2 * GAP_WAYS * s->seeds);
}

static void report_split(const GapStudy *s)
{
    Run *run = s->study.lab->run;
    double small = test_error(s, 0, GAP_SMALL).median, large = test_error(s, 0, GAP_LARGE).median,
           longer = test_error(s, 0, GAP_LONGER).median, gap = large - small;
    int trainings;
    double tau = gap_tau(s, &trainings);
    run_say(run,
            "the gap at equal epochs: %.1f points; %.1f of them go with more updates, %.1f stay",
            gap, large - longer, longer - small);
    run_say(run, "sharpness and test error: Kendall's tau %+.2f over %d trainings: %s", tau,
            trainings,
            tau > 0.3    ? "sharper goes with worse here"
            : tau < -0.3 ? "sharper goes with better here: the opposite of the story"
                         : "too weak to tell the better network here");
    run_metrics(run, "tau,,0,%.6g,%d,,,", tau, trainings);
}

void gap_report(const void *study)
{
    const GapStudy *s = study;
    Run *run = s->study.lab->run;
    run_say(run, "%-16s %-12s %8s  %-26s %9s  %s", "", "weight decay", "updates", "test error",
            "training", "lambda");
    run_metrics_header(run, "training,weight_decay,seed,test_error,train_error,test_loss,"
                            "train_loss,sharpness");
    for (int way = 0; way < GAP_WAYS; way++)
        for (int decay = 0; decay < 2; decay++) {
            Spread test = test_error(s, decay, way),
                   train = spread(s, decay, way, offsetof(GapResult, train), 100),
                   top = spread(s, decay, way, offsetof(GapResult, sharpness), 1);
            run_say(run,
                    "%-16s %-12g %8.0f  %5.1f %% (%.1f to %.1f)     %6.1f %%  %.1f (%.1f to %.1f)",
                    gap_way_names[way], decay ? s->decay : 0, s->result[decay][way][0].updates,
                    test.median, test.low, test.high, train.median, top.median, top.low, top.high);
            for (int i = 0; i < s->seeds; i++) {
                const GapResult *r = &s->result[decay][way][i];
                run_metrics(run, "%s,%g,%llu,%.6g,%.6g,%.6g,%.6g,%.6g", gap_way_names[way],
                            decay ? s->decay : 0, (unsigned long long)s->seed + i, r->test,
                            r->train, r->test_loss, r->train_loss, r->sharpness);
            }
        }
    report_split(s);
}
