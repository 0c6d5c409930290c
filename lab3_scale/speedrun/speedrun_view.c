/* speedrun_view.c: accuracy against seconds, every training a line; what each ingredient brings;
 * the table. */
#include "check.h"
#include "speedrun.h"
#include <math.h>
#include <stdlib.h>

static void draw_curves(const Speedrun *s, Plot *plot)
{
    char *target = format_new("target %.4g", s->target);
    PlotPanel *panel =
        plot_panel(plot, (PlotAxes){.title = "Every training",
                                    .x = {.label = "seconds (start, updates, last evaluation)"},
                                    .y = {.label = "test accuracy"},
                                    .legend = PLOT_BOTTOM_RIGHT});
    plot_rule_y(panel, s->target, (PlotStyle){.label = target, .color = PLOT_GREY, .dashed = true});
    free(target);
    for (int i = THE_PLAIN; i >= THE_RECIPE; i--)
        for (int k = 0; k < s->racer[i].done; k++) {
            const Outcome *o = &s->racer[i].run[k];
            const char *label = k > 0 ? NULL : i == THE_RECIPE ? s->recipe.model : s->plain.model;
            plot_line(panel, o->points, o->seconds, o->curve,
                      (PlotStyle){.color = plot_series(i), .width = 1.5, .label = label});
            plot_scatter(panel, 1, &o->total, &o->accuracy,
                         (PlotStyle){.color = plot_series(i), .size = 6});
        }
}

/* The mean's uncertainty: its standard error; 0 of one training. */
static double uncertainty(Summary a) { return a.count > 1 ? a.deviation / sqrt(a.count) : 0; }

static void draw_ingredients(const Speedrun *s, Plot *plot)
{
    const char *names[INGREDIENTS];
    double x[INGREDIENTS], gain[INGREDIENTS], low[INGREDIENTS], high[INGREDIENTS];
    int n = 0;
    Summary all = speedrun_summary(&s->racer[THE_RECIPE]);
    for (int i = 0; i < INGREDIENTS; i++) {
        Summary a = speedrun_summary(&s->racer[WITHOUT + i]);
        if (a.count == 0)
            continue;
        double error = hypot(uncertainty(all), uncertainty(a));
        names[n] = s->racer[WITHOUT + i].name;
        x[n] = n;
        gain[n] = 100 * (all.mean - a.mean);
        low[n] = gain[n] - 100 * error;
        high[n] = gain[n] + 100 * error;
        n++;
    }
    PlotPanel *panel =
        plot_panel(plot,
                   (PlotAxes){.row = 1,
                              .title = "What each brings: the recipe less the same without it",
                              .x = {.names = names, .names_count = n},
                              .y = {.label = "points of accuracy, ± standard error"},
                              .legend = PLOT_NO_LEGEND});
    plot_bars(panel, n, x, gain, 0.6, (PlotStyle){.color = plot_series(2)});
    plot_errors(panel, n, x, low, high, (PlotStyle){.color = PLOT_INK});
}

void speedrun_draw(const void *study, Plot *plot)
{
    const Speedrun *s = study;
    const Recipe *r = &s->recipe;
    int done = 0, all = 0;
    for (int i = 0; i < SPEEDRUN_RACERS; i++) {
        done += s->racer[i].done;
        all += s->racer[i].wanted * s->runs;
    }
    char *title = format_new("%s on %d images of %s · batch %d · %d updates · Muon %g · %s",
                             r->model, r->images, s->study.lab->data->name, r->batch,
                             recipe_updates(r), r->muon_rate, s->study.lab->be->op->name);
    char *footer = format_new("trained %d of %d networks · a dot: with the views at the test · ? "
                              "shows the keys",
                              done, all);
    plot_begin(plot, s->ablate ? 2 : 1, 1, title);
    draw_curves(s, plot);
    if (s->ablate)
        draw_ingredients(s, plot);
    plot_footer(plot, footer);
    free(footer);
    free(title);
}

/* ---- the table ---- */

static void report_racer(const Speedrun *s, int i)
{
    const Racer *racer = &s->racer[i];
    Run *run = s->study.lab->run;
    Summary a = speedrun_summary(racer), best = speedrun_summary(&s->racer[THE_RECIPE]);
    if (a.count == 0)
        return;
    char *spread = a.count > 1 ? format_new("± %.4f", a.deviation) : format_new("%8s", "");
    char *change = i == THE_RECIPE ? format_new("%s", "")
                                   : format_new("  %+.4f", a.mean - best.mean);
    run_say(run, "%-26s  %.4f %s  (%.4f to %.4f)   %.4f  %8.2f s%s%s", racer->name, a.mean, spread,
            a.low, a.high, a.once, a.seconds, change,
            a.finite < a.count ? "  (some diverged)" : "");
    free(spread);
    free(change);
    for (int k = 0; k < racer->done; k++)
        for (int p = 0; p < racer->run[k].points; p++)
            run_metrics(run, "%s,%d,%d,%.6g,%.6g,%d", racer->name, k + 1, p + 1,
                        racer->run[k].seconds[p], racer->run[k].curve[p], racer->run[k].updates);
}

/* Of the recipe's n trainings. */
static void report_target(const Speedrun *s)
{
    Summary a = speedrun_summary(&s->racer[THE_RECIPE]),
            plain = speedrun_summary(&s->racer[THE_PLAIN]);
    Run *run = s->study.lab->run;
    run_say(run, "target %.4f: %s by the mean of %d trainings, %.4f in %.2f s", s->target,
            a.mean >= s->target ? "reached" : "missed", a.count, a.mean, a.seconds);
    if (plain.count > 0)
        run_say(run, "%s, plain, in the same seconds: %.4f", s->plain.model, plain.mean);
}

void speedrun_report(const void *study)
{
    const Speedrun *s = study;
    Run *run = s->study.lab->run;
    if (s->racer[THE_RECIPE].done == 0) {
        run_say(run, "left before a training was over");
        return;
    }
    run_metrics_header(run, "training,run,point,seconds,accuracy,updates");
    run_say(run, "%-26s  mean of %-3d %-23s   seen once   seconds  to the recipe", "accuracy",
            s->racer[THE_RECIPE].done, "(lowest to highest)");
    for (int i = THE_RECIPE; i < SPEEDRUN_RACERS; i++) {
        if (i == WITHOUT && s->ablate)
            run_say(run, "the recipe without its …");
        report_racer(s, i);
    }
    report_target(s);
}
