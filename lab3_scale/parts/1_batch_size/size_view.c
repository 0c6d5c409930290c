/* size_view.c: part 1's figure and table. */
#include "check.h"
#include "size_study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What both views show, by batch size. */
typedef struct Results {
    int n;
    double batch[TUNED_ENTRIES], updates[TUNED_ENTRIES];
    Speed speed[TUNED_ENTRIES];
    Spread spread[TUNED_ENTRIES]; /* of the updates */
} Results;

static Results results_of(const SizeStudy *s)
{
    Results r = {.n = s->tuned.entries};
    size_results(s, r.batch, r.speed, r.spread);
    for (int i = 0; i < r.n; i++)
        r.updates[i] = r.spread[i].median;
    return r;
}

static const char *unit(const SizeStudy *s) { return images_unit(&s->setup.data->train); }

static PlotPanel *panel(const SizeStudy *s, Plot *plot, int column, const char *title, PlotAxis y)
{
    return plot_cell(plot, 0, column, title,
                     plot_log(s->text ? "batch size (windows per update)"
                                      : "batch size (images per update)",
                              2, 0, 0),
                     y);
}

static void draw_values(const Results *r, PlotPanel *p, const double *median, const double *low,
                        const double *high, const char *label)
{
    PlotStyle style = {.color = plot_series(0)};
    plot_errors(p, r->n, r->batch, low, high, style);
    plot_scatter(p, r->n, r->batch, median, style);
    style.label = label;
    plot_line(p, r->n, r->batch, median, style);
}

/* The updates, and the time that they take; their bars: from the best seed to the worst. */
static void draw_target(const Results *r, PlotPanel *p, bool seconds, const char *label)
{
    double median[TUNED_ENTRIES], low[TUNED_ENTRIES], high[TUNED_ENTRIES];
    for (int i = 0; i < r->n; i++) {
        double each = seconds ? r->speed[i].seconds : 1;
        median[i] = each * r->updates[i];
        low[i] = each * r->spread[i].low;
        high[i] = each * r->spread[i].high;
    }
    draw_values(r, p, median, low, high, label);
}

static void draw_speed(const SizeStudy *s, const Results *r, Plot *plot)
{
    double median[TUNED_ENTRIES], low[TUNED_ENTRIES], high[TUNED_ENTRIES], top = 0;
    for (int i = 0; i < r->n; i++) {
        median[i] = r->batch[i] / r->speed[i].seconds;
        low[i] = r->batch[i] / r->speed[i].quartile[1];
        high[i] = r->batch[i] / r->speed[i].quartile[0];
        top = fmax(top, high[i]);
    }
    PlotAxis y = {.label = s->text ? "windows per second" : "images per second",
                  .low = 0,
                  .high = top > 0 ? 1.1 * top : 1};
    draw_values(r, panel(s, plot, 2, "Speed", y), median, low, high, "median, quartiles");
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

/* The images to the target, of the batch size that needs the fewest. */
static double fewest_images(const Results *r)
{
    double fewest = NAN;
    for (int i = 0; i < r->n; i++)
        fewest = fmin(fewest, r->updates[i] * r->batch[i]);
    return fewest;
}

static void draw_bend(const SizeStudy *s, const Results *r, PlotPanel *p)
{
    enum { CURVE = 60 };
    double x[CURVE], perfect[CURVE], fitted[CURVE], fewest = fewest_images(r);
    Bend bend = bend_fit(r->batch, r->updates, r->n);
    for (int i = 0; i < CURVE; i++) {
        x[i] = r->batch[0] * pow(r->batch[r->n - 1] / r->batch[0], i / (CURVE - 1.0));
        perfect[i] = fewest / x[i];
        fitted[i] = bend.floor * (1 + bend.critical / x[i]);
    }
    plot_line(p, CURVE, x, perfect,
              (PlotStyle){.label = "perfect scaling", .color = PLOT_GREY, .dashed = true});
    if (isnan(bend.floor))
        return;
    plot_line(p, CURVE, x, fitted,
              (PlotStyle){.label = "fit: floor (1 + B_crit / B)",
                          .color = plot_series(1),
                          .dashed = true});
    Critical other = size_critical(s);
    const struct {
        const char *name;
        double at;
    } rules[] = {{"fit: B_crit", bend.critical},
                 {"noise scale", other.noise_scale},
                 {"branching", other.branching}};
    for (int i = 0; i < 3; i++) {
        char label[48];
        snprintf(label, sizeof label, "%s: %.0f", rules[i].name, rules[i].at);
        if (!isnan(rules[i].at))
            plot_rule_x(p, rules[i].at,
                        (PlotStyle){.label = label,
                                    .color = plot_series(2 + i),
                                    .dashed = i == 1,
                                    .width = i == 2 ? 1 : 2});
    }
}

void size_draw(const void *study, Plot *plot)
{
    const SizeStudy *s = study;
    char *goal = s->text ? format_new("a loss of %g", s->target)
                         : format_new("%.0f %% accuracy", 100 * s->target);
    plot_begin(plot, 1, 3, "%s on %s, %d %s · to %s · %d seeds, %d tries", s->model,
               dataset_title(s->setup.data), s->train, unit(s), goal, s->tuned.seeds,
               s->tuned.budget);
    free(goal);
    Results r = results_of(s);
    PlotAxis axis = {.label = "updates", .log = 10};
    PlotPanel *p = panel(s, plot, 0, "Updates to the target", axis);
    draw_target(&r, p, false, "median; bars: all seeds");
    draw_published(s, p);
    draw_bend(s, &r, p);
    axis.label = "time (s)";
    p = panel(s, plot, 1, "Time to the target", axis);
    draw_target(&r, p, true, "median; bars: all seeds");
    draw_speed(s, &r, plot);
}

void size_report(const void *study)
{
    const SizeStudy *s = study;
    const Tuned *t = &s->tuned;
    Run *run = t->study.lab->run;
    if (!tuned_complete(t))
        return;
    Results r = results_of(s);
    speed_say(&s->speeds);
    run_say(run, "   batch      rate  updates to the target    seconds %*s/s  missed",
            s->text ? 8 : 7, unit(s));
    run_metrics_header(run, s->text
                                ? "batch,rate,updates,lowest,highest,seconds,windows_per_s,missed"
                                : "batch,rate,updates,lowest,highest,seconds,images_per_s,missed");
    for (int e = 0; e < r.n; e++) {
        Spread u = r.spread[e];
        double seconds = u.median * r.speed[e].seconds, speed = r.batch[e] / r.speed[e].seconds;
        run_say(run, "%8.0f  %8.4g  %6.0f (%.0f-%.0f)  %18.3g  %8.0f  %d of %d", r.batch[e],
                t->rate[e], u.median, u.low, u.high, seconds, speed, u.missed, t->seeds);
        run_metrics(run, "%.0f,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g,%d", r.batch[e], t->rate[e], u.median,
                    u.low, u.high, seconds, speed, u.missed);
    }
    Bend bend = bend_fit(r.batch, r.updates, r.n);
    if (!isnan(bend.floor))
        run_say(run, "fit: floor %.1f updates, critical batch size %.0f; worst misfit %.0f %%",
                bend.floor, bend.critical, 100 * bend.worst);
    Critical other = size_critical(s);
    if (s->ways && isnan(other.noise_scale))
        run_say(run, "noise scale and branching: not measured: give at least 4,096 %s", unit(s));
    else if (s->ways)
        run_say(run, "critical batch size by the noise scale %.0f, by branching %.0f",
                other.noise_scale, other.branching);
}
