/* size_view.c: part 1's figure and table. */
#include "check.h"
#include "published_steps.h"
#include "size_study.h"
#include <math.h>
#include <stdlib.h>

static PlotPanel *panel(const SizeStudy *s, Plot *plot, int column, const char *title,
                        const char *label, int value)
{
    double b[TUNED_ENTRIES], m[TUNED_ENTRIES], low[TUNED_ENTRIES], high[TUNED_ENTRIES];
    PlotPanel *p = plot_panel(plot,
                              (PlotAxes){.column = column,
                                         .title = title,
                                         .x = {.label = "batch size (images per update)", .log = 2},
                                         .y = {.label = label, .log = 10}});
    int n = size_medians(s, value, b, m, low, high);
    PlotStyle style = {.color = plot_series(0)};
    plot_errors(p, n, b, low, high, style);
    plot_scatter(p, n, b, m, style);
    style.label = "median";
    plot_line(p, n, b, m, style);
    return p;
}

static void draw_published(const SizeStudy *s, PlotPanel *p)
{
    const PublishedSteps *theirs = published_steps(s->setup.data->name, s->model);
    if (!theirs)
        return;
    PlotStyle style = {.color = PLOT_GREY, .shape = PLOT_TRIANGLE, .size = 7};
    plot_scatter(p, theirs->count, theirs->batch, theirs->steps, style);
    style.label = theirs->name;
    plot_line(p, theirs->count, theirs->batch, theirs->steps, style);
}

static void draw_bend(const SizeStudy *s, PlotPanel *p)
{
    double b[TUNED_ENTRIES], m[TUNED_ENTRIES], low[TUNED_ENTRIES], high[TUNED_ENTRIES],
        perfect[TUNED_ENTRIES], fitted[TUNED_ENTRIES];
    int n = size_medians(s, SIZE_STEPS, b, m, low, high);
    Bend bend = bend_fit(b, m, n);
    for (int i = 0; i < n; i++) {
        perfect[i] = m[0] * b[0] / b[i];
        fitted[i] = bend.floor * (1 + bend.critical / b[i]);
    }
    plot_line(p, n, b, perfect,
              (PlotStyle){.label = "perfect scaling", .color = PLOT_GREY, .dashed = true});
    if (isnan(bend.floor))
        return;
    plot_line(p, n, b, fitted,
              (PlotStyle){.label = "floor (1 + B_crit / B)",
                          .color = plot_series(1),
                          .dashed = true});
    plot_rule_x(p, bend.critical, (PlotStyle){.label = "B_crit", .color = plot_series(2)});
    Critical other = size_critical(s);
    if (!isnan(other.noise_scale))
        plot_rule_x(p, other.noise_scale,
                    (PlotStyle){.label = "noise scale", .color = plot_series(3), .dashed = true});
    if (!isnan(other.branching))
        plot_rule_x(p, other.branching,
                    (PlotStyle){.label = "branching", .color = plot_series(4), .dashed = true});
}

void size_draw(const void *study, Plot *plot)
{
    const SizeStudy *s = study;
    char *title = format_new("%s on %s, %d images · to %.0f %% accuracy · %d seeds, %d tries",
                             s->model, s->setup.data->name, s->train, 100 * s->target,
                             s->tuned.seeds, s->tuned.budget);
    plot_begin(plot, 1, 3, title);
    free(title);
    PlotPanel *updates = panel(s, plot, 0, "Updates to the target", "updates", SIZE_STEPS);
    draw_published(s, updates);
    draw_bend(s, updates);
    panel(s, plot, 1, "Time to the target", "training time (s)", SIZE_SECONDS);
    panel(s, plot, 2, "Speed", "images per second", SIZE_IMAGES_PER_S);
}

void size_report(const void *study)
{
    const SizeStudy *s = study;
    const Tuned *t = &s->tuned;
    Run *run = t->study.lab->run;
    double b[TUNED_ENTRIES], m[TUNED_ENTRIES], low[TUNED_ENTRIES], high[TUNED_ENTRIES];
    if (!tuned_complete(t))
        return;
    run_say(run, "   batch      rate  updates to the target    seconds  images/s  missed");
    run_metrics_header(run, "batch,rate,updates,lowest,highest,seconds,images_per_s,missed");
    int n = size_medians(s, SIZE_STEPS, b, m, low, high);
    for (int e = 0; e < n; e++) {
        double seconds = tuned_spread(t, e, SIZE_SECONDS).median,
               speed = tuned_spread(t, e, SIZE_IMAGES_PER_S).median;
        int missed = tuned_spread(t, e, SIZE_STEPS).missed;
        run_say(run, "%8.0f  %8.4g  %6.0f (%.0f-%.0f)  %18.3g  %8.0f  %d of %d", b[e], t->rate[e],
                m[e], low[e], high[e], seconds, speed, missed, t->seeds);
        run_metrics(run, "%.0f,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g,%d", b[e], t->rate[e], m[e], low[e],
                    high[e], seconds, speed, missed);
    }
    Bend bend = bend_fit(b, m, n);
    if (!isnan(bend.floor))
        run_say(run, "fit: floor %.1f updates, critical batch size %.0f; worst misfit %.0f %%",
                bend.floor, bend.critical, 100 * bend.worst);
    Critical other = size_critical(s);
    if (s->ways && isnan(other.noise_scale))
        run_say(run, "noise scale and branching: not measured: give at least 4,096 images");
    else if (s->ways)
        run_say(run, "critical batch size by the noise scale %.0f, by branching %.0f",
                other.noise_scale, other.branching);
}
