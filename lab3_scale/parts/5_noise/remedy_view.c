/* remedy_view.c: part 5's figure: test errors, the share of the gap closed, and the batch over the
 * training. */
#include "check.h"
#include "lab3.h"
#include "quantiles.h"
#include "remedy_study.h"
#include <math.h>
#include <stdlib.h>

static Spread errors_of(const RemedyStudy *s, Remedy r, bool test)
{
    double v[REMEDY_SEEDS];
    for (int i = 0; i < s->seeds; i++)
        v[i] = 100 * (test ? s->result[r][i].test : s->result[r][i].train);
    return spread_of(v, s->seeds);
}

static Spread shares_of(const RemedyStudy *s, Remedy r)
{
    double v[REMEDY_SEEDS];
    for (int i = 0; i < s->seeds; i++)
        v[i] = 100 * remedy_share(s, r, i);
    return spread_of(v, s->seeds);
}

/* The two rows with noise have the same one. */
static uint32_t colour_of(Remedy r) { return plot_series(r < REMEDY_NOISE_ROOT ? r : r - 1); }

static void draw_errors(const RemedyStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_panel(plot,
                                  (PlotAxes){.title = "Error: test (filled), training (crosses)",
                                             .columns = 3,
                                             .x = plot_names(NULL, remedy_names, REMEDIES, 0.6),
                                             .y = plot_axis("error (%)", 0, NAN),
                                             .no_legend = true});
    Spread small = errors_of(s, REMEDY_SMALL, true), large = errors_of(s, REMEDY_LARGE, true);
    PlotStyle rule = {.color = PLOT_GREY, .dashed = true, .width = 1};
    rule.note = "small batch";
    plot_rule_y(panel, small.median, rule);
    rule.note = "large batch";
    plot_rule_y(panel, large.median, rule);
    for (int r = 0; r < REMEDIES; r++) {
        PlotStyle style = {.color = colour_of(r), .size = 10};
        plot_spread(panel, r - 0.1, errors_of(s, r, true), style);
        style.shape = PLOT_CROSS;
        plot_spread(panel, r + 0.1, errors_of(s, r, false), style);
    }
}

static void draw_shares(const RemedyStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_panel(plot,
                                  (PlotAxes){.title = "Share of the gap closed, seed by seed",
                                             .row = 1,
                                             .columns = 2,
                                             .x = {.names = remedy_names + REMEDY_SAME,
                                                   .names_count = REMEDIES - REMEDY_SAME,
                                                   .low = -0.6,
                                                   .high = REMEDIES - REMEDY_SAME - 0.4},
                                             .y = plot_axis("share (%), below 0: harms", NAN, 118),
                                             .no_legend = true});
    PlotStyle line = {.color = PLOT_GREY, .dashed = true, .width = 1};
    line.note = "as the large batch";
    plot_rule_y(panel, 0, line);
    line.note = "as the small batch";
    plot_rule_y(panel, 100, line);
    for (int r = REMEDY_SAME; r < REMEDIES; r++) {
        PlotStyle style = {.color = colour_of(r), .size = 5, .opacity = 0.6};
        for (int i = 0; i < s->seeds; i++) {
            double x = r - REMEDY_SAME + 0.18, y = 100 * remedy_share(s, r, i);
            plot_scatter(panel, 1, &x, &y, style);
        }
        plot_spread(panel, r - REMEDY_SAME, shares_of(s, r),
                    (PlotStyle){.color = colour_of(r), .size = 10});
    }
}

/* What the student's functions do with the batch, over the training. */
static void draw_batches(const RemedyStudy *s, Plot *plot)
{
    enum { POINTS = 400 };
    static const struct {
        Remedy remedy;
        Pace (*pace)(const void *, double, int64_t);
    } kinds[] = {{REMEDY_GROWS, pace_grows}, {REMEDY_WARMS_UP, pace_warms_up}};
    PlotPanel *panel = plot_cell(plot, 1, 2, "The batch over the training",
                                 plot_axis("epochs", 0, 0), plot_log("images per update", 2, 0, 0));
    GrowPace grow = {.small = s->batch,
                     .large = s->batch * s->k,
                     .rate = s->rate,
                     .epochs = s->epochs,
                     .factor = 5,
                     .drops = 2};
    for (int k = 0; k < 2; k++) {
        double x[POINTS], y[POINTS];
        for (int i = 0; i < POINTS; i++) {
            x[i] = s->epochs * i / POINTS;
            y[i] = kinds[k].pace(&grow, x[i], 0).batch;
        }
        plot_line(panel, POINTS, x, y,
                  (PlotStyle){.color = colour_of(kinds[k].remedy),
                              .label = remedy_names[kinds[k].remedy]});
    }
}

void remedy_draw(const void *study, Plot *plot)
{
    const RemedyStudy *s = study;
    bool shows = study_begin(&s->study, plot, 2, 3,
                             "%s on %d images of %s · batch %d against %d · %g epochs, “longer” %d "
                             "times that · η = %g",
                             s->model, s->images, dataset_title(s->study.lab->data), s->batch,
                             s->batch * s->k, s->epochs, s->longer, s->rate);
    plot_footer(plot, "trained %d of %d networks", s->done, REMEDIES * s->seeds);
    if (!shows)
        return;
    draw_errors(s, plot);
    draw_shares(s, plot);
    draw_batches(s, plot);
}

void remedy_report(const void *study)
{
    const RemedyStudy *s = study;
    Run *run = s->study.lab->run;
    run_say(run, "%d seeds: median (lowest to highest)", s->seeds);
    run_say(run, "%-15s %8s  %-24s %-14s %s", "", "updates", "test error", "training",
            "gap closed");
    run_metrics_header(run, "remedy,seed,updates,test_error,train_error,share_closed");
    for (int r = 0; r < REMEDIES; r++) {
        Spread test = errors_of(s, r, true), train = errors_of(s, r, false),
               share = shares_of(s, r);
        char *closed = r < REMEDY_SAME
                         ? format_new("%s", "")
                         : format_new("%4.0f %% (%.0f to %.0f)%s", share.median, share.low,
                                      share.high, share.high < 0 ? ": harms" : "");
        run_say(run, "%-15s %8.0f  %4.1f %% (%.1f to %.1f)    %6.1f %%      %s", remedy_names[r],
                s->result[r][0].updates, test.median, test.low, test.high, train.median, closed);
        free(closed);
        for (int i = 0; i < s->seeds; i++)
            run_metrics(run, "%s,%llu,%.0f,%.6g,%.6g,%.6g", remedy_names[r],
                        (unsigned long long)s->seed + i, s->result[r][i].updates,
                        s->result[r][i].test, s->result[r][i].train, remedy_share(s, r, i));
    }
}
