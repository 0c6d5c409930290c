/* speedrun_view.c: accuracy against seconds, every training a line; what each ingredient brings;
 * the table. */
#include "check.h"
#include "speedrun.h"
#include <math.h>
#include <stdlib.h>

/* A racer's trainings, the one in progress included. */
static void draw_racer(const Speedrun *s, int i, PlotPanel *panel, const char *label)
{
    const Racer *racer = &s->racer[i];
    for (int k = 0; k < s->runs && racer->run[k].points > 0; k++) {
        const Outcome *o = &racer->run[k];
        plot_line(panel, o->points, o->seconds, o->curve,
                  (PlotStyle){.color = plot_series(i),
                              .width = 1.5,
                              .label = k == 0 ? label : NULL,
                              .head = k >= racer->done});
        if (k < racer->done)
            plot_scatter(panel, 1, &o->total, &o->accuracy,
                         (PlotStyle){.color = plot_series(i), .size = 6});
    }
}

/* Of the accuracies drawn, rounded down to a tenth. */
static double lowest(const Speedrun *s)
{
    double low = s->target;
    for (int i = 0; i < WITHOUT; i++)
        for (int k = 0; k < s->runs; k++)
            for (int at = 0; at < s->racer[i].run[k].points; at++)
                low = fmin(low, s->racer[i].run[k].curve[at]);
    return floor(10 * low) / 10;
}

static void draw_curves(const Speedrun *s, Plot *plot)
{
    char *target = format_new("target %.4g", s->target),
         *recipe = format_new("%s, the recipe", s->recipe.model),
         *plain = format_new("%s, plain: batch %d, rate %g", s->plain.model, s->plain.batch,
                             s->plain.rate);
    PlotPanel *panel = plot_cell(plot, 0, 0, "Every training; a dot is its end",
                                 plot_axis("seconds (start, updates, last evaluation)", 0, NAN),
                                 plot_axis("test accuracy", lowest(s), 1));
    plot_rule_y(panel, s->target, (PlotStyle){.note = target, .color = PLOT_GREY, .dashed = true});
    draw_racer(s, THE_PLAIN, panel, plain);
    draw_racer(s, THE_RECIPE, panel, recipe);
    free(target);
    free(recipe);
    free(plain);
}

static void draw_ingredients(const Speedrun *s, Plot *plot)
{
    const char *names[INGREDIENTS];
    double x[INGREDIENTS], gain[INGREDIENTS], low[INGREDIENTS], high[INGREDIENTS], error;
    int n = 0;
    bool any = false;
    for (int i = 0; i < INGREDIENTS; i++)
        if (s->racer[WITHOUT + i].wanted) {
            names[n] = s->racer[WITHOUT + i].name;
            x[n] = n;
            gain[n] = -100 * speedrun_change(s, WITHOUT + i, &error);
            low[n] = gain[n] - 100 * error;
            high[n] = gain[n] + 100 * error;
            any |= isfinite(gain[n++]);
        }
    PlotPanel *panel = plot_panel(
        plot, (PlotAxes){.row = 1,
                         .title = "What each brings: the recipe's accuracy less that without it",
                         .x = {.names = names, .names_count = n, .low = -0.5, .high = n - 0.5},
                         .y = {.label = "points, ± standard error", .high = !any},
                         .no_legend = true});
    plot_bars(panel, n, x, gain, 0.6, (PlotStyle){.color = plot_series(2)});
    plot_errors(panel, n, x, low, high, (PlotStyle){.color = PLOT_INK});
}

/* "the recipe", "plain resnet8"; `without` and the name of what is left out. */
static char *name_new(const Speedrun *s, int i, const char *without)
{
    return i == THE_PLAIN ? format_new("plain %s", s->plain.model)
                          : format_new("%s%s", i < WITHOUT ? "" : without, s->racer[i].name);
}

void speedrun_draw(const void *study, Plot *plot)
{
    const Speedrun *s = study;
    const Recipe *r = &s->recipe;
    int done, all = speedrun_trainings(s, &done);
    char *optimiser = r->with[WITH_MUON] ? format_new("Muon %g", r->muon_rate)
                                         : format_new("SGD %g an image", r->sgd_rate),
         *now = name_new(s, s->now, "without: ");
    plot_begin(plot, s->ablate ? 2 : 1, 1,
               "%s on %d images of %s · batch %d · %d updates · %s · %s", r->model, r->images,
               dataset_title(s->study.lab->data), r->batch, recipe_updates(r), optimiser,
               s->study.lab->be->op->name);
    draw_curves(s, plot);
    if (s->ablate)
        draw_ingredients(s, plot);
    plot_footer(plot, "trained %d of %d networks%s%s", done, all, done < all ? ", now " : "",
                done < all ? now : "");
    free(optimiser);
    free(now);
}

/* ---- the table ---- */

static void report_racer(const Speedrun *s, int i)
{
    const Racer *racer = &s->racer[i];
    Run *run = s->study.lab->run;
    Summary a = speedrun_summary(racer);
    double error, change = speedrun_change(s, i, &error);
    if (a.count == 0)
        return;
    char *spread = a.count > 1 ? format_new("± %.4f", a.deviation) : format_new("%8s", ""),
         *name = name_new(s, i, ""),
         *against = i == THE_RECIPE ? format_new("%s", "")
                  : isfinite(error) ? format_new("  %+.4f ± %.4f", change, error)
                                    : format_new("  %+.4f", change);
    run_say(run, "%-18s %4d  %.4f %s  (%.4f to %.4f)     %.4f %8.2f%s%s", name, a.count, a.mean,
            spread, a.low, a.high, a.once, a.seconds, against,
            a.finite < a.count ? "  (some diverged)" : "");
    free(spread);
    free(name);
    free(against);
    for (int k = 0; k < racer->done; k++)
        for (int p = 0; p < racer->run[k].points; p++)
            run_metrics(run, "%s,%d,%d,%.6g,%.6g,%d", racer->name, k + 1, p + 1,
                        racer->run[k].seconds[p], racer->run[k].curve[p], racer->run[k].updates);
}

static void report_target(const Speedrun *s)
{
    Summary a = speedrun_summary(&s->racer[THE_RECIPE]);
    run_say(s->study.lab->run, "target %.4f: %s by the mean of %d training%s", s->target,
            a.mean >= s->target ? "reached" : "missed", a.count, a.count > 1 ? "s" : "");
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
    run_say(run, "%18s runs  accuracy: mean ± deviation  %-18s seen once  seconds  %s", "",
            "(lowest to highest)", "to the recipe ± standard error");
    for (int i = THE_RECIPE; i < SPEEDRUN_RACERS; i++) {
        if (i == WITHOUT && s->ablate)
            run_say(run, "the recipe without its …");
        report_racer(s, i);
    }
    report_target(s);
}
