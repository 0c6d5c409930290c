/* race_view.c: three panels: the accuracy by updates at the best rate, at the end, and by the
 * rate. */
#include "quantiles.h"
#include "race_study.h"
#include <math.h>

static Spread at_point(const RaceStudy *s, int racer, int point)
{
    double v[RACE_SEEDS];
    for (int k = 0; k < s->seeds; k++)
        v[k] = s->reached[racer][k][point];
    return spread_of(v, s->seeds);
}

/* Four of them have a colour: what all eleven do, the rows of the middle panel say. */
static PlotStyle style(int racer)
{
    static const int shown[] = {OPTIMISER_MUON, OPTIMISER_LAMB, OPTIMISER_ADAMW,
                                OPTIMISER_NESTEROV};
    for (int i = 0; i < 4; i++)
        if (racer == shown[i])
            return (PlotStyle){.color = plot_series(i), .shape = (PlotShape)i, .width = 2.5};
    return (PlotStyle){.color = PLOT_GREY, .width = 1.2};
}

/* The racers by their median at the end, the best last. */
static void rank(const RaceStudy *s, int order[RACERS])
{
    for (int i = 0; i < s->racers; i++) {
        double m = at_point(s, s->racer[i], RACE_POINTS - 1).median;
        m = isnan(m) ? -INFINITY : race_of_text(s) ? -m : m;
        int at = i;
        for (; at > 0; at--) {
            double other = at_point(s, order[at - 1], RACE_POINTS - 1).median;
            other = isnan(other) ? -INFINITY : race_of_text(s) ? -other : other;
            if (other <= m)
                break;
            order[at] = order[at - 1];
        }
        order[at] = s->racer[i];
    }
}

/* Losses on a logarithmic axis: those of a training that diverged are many times the best. */
static PlotAxis measure(const RaceStudy *s, double low)
{
    return race_of_text(s) ? plot_log("loss", 10, 0, 0)
                           : plot_axis("accuracy", low, low > 0 ? NAN : 0);
}

static void draw_curves(const RaceStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_cell(plot, 0, 0, "On the way (median of the seeds)",
                                 plot_axis("updates", 0, 0), measure(s, 0));
    int others = 0;
    for (int k = 0; k < s->racers; k++) {
        int racer = s->racer[k];
        double x[RACE_POINTS], y[RACE_POINTS];
        for (int i = 0; i < RACE_POINTS; i++) {
            x[i] = race_updates(s) * (i + 1.0) / RACE_POINTS;
            y[i] = at_point(s, racer, i).median;
        }
        PlotStyle line = style(racer);
        bool grey = line.color == PLOT_GREY;
        line.label = grey && !others++ ? "the others" : NULL;
        plot_line(panel, RACE_POINTS, x, y, line);
        line.label = race_name(racer);
        if (!grey)
            plot_scatter(panel, RACE_POINTS, x, y, line);
    }
    double least = s->study.lab->data->least_loss, all[] = {0, race_updates(s)};
    if (race_of_text(s) && least > 0)
        plot_line(panel, 2, all, (double[]){least, least},
                  (PlotStyle){.color = PLOT_INK, .width = 1, .label = "lowest possible loss"});
}

/* One row each, the best at the top. */
static void draw_ends(const RaceStudy *s, Plot *plot)
{
    const char *names[RACERS];
    int order[RACERS];
    rank(s, order);
    for (int i = 0; i < s->racers; i++)
        names[i] = race_name(order[i]);
    PlotPanel *panel = plot_cell(plot, 0, 1, "At the end: median, lowest, highest", measure(s, 0),
                                 plot_names(NULL, names, s->racers, 0.6));
    for (int i = 0; i < s->racers; i++) {
        int racer = order[i];
        Spread v = at_point(s, racer, RACE_POINTS - 1);
        double x[] = {v.low, v.high}, y[] = {i, i};
        if (!v.count)
            continue;
        plot_line(panel, 2, x, y, (PlotStyle){.color = style(racer).color});
        PlotStyle point = style(racer);
        point.size = 9;
        plot_scatter(panel, 1, &v.median, y, point);
    }
}

/* What diverged lies on the lower edge. */
static void draw_rates(const RaceStudy *s, Plot *plot)
{
    double lowest = 1; /* shown; of accuracies */
    for (int racer = 0; racer < RACERS; racer++)
        if (race_best(s, racer) >= 0)
            lowest = fmin(lowest, 0.7 * s->search[racer][race_best(s, racer)]);
    PlotPanel *panel = plot_panel(
        plot, (PlotAxes){.column = 2,
                         .title = race_of_text(s) ? "By the rate, held out"
                                                  : "By the rate, held out (lowest line: diverged)",
                         .x = {.label = "learning rate, in multiples of the best", .log = 10},
                         .y = measure(s, race_of_text(s) ? lowest : lowest - 0.02),
                         .no_legend = true});
    plot_rule_x(panel, 1,
                (PlotStyle){.note = "its best", .color = PLOT_GREY, .dashed = true, .width = 1});
    if (!race_of_text(s))
        plot_rule_y(panel, lowest, (PlotStyle){.color = PLOT_GREY});
    for (int racer = 0; racer < RACERS; racer++) {
        int best = race_best(s, racer);
        double rate[RACE_RATES], y[RACE_RATES];
        if (best < 0)
            continue;
        for (int i = 0; i < RACE_RATES; i++) {
            rate[i] = race_rate(racer, i) / race_rate(racer, best);
            y[i] = s->search[racer][i];
            if (y[i] < lowest && !race_of_text(s))
                y[i] = lowest;
        }
        PlotStyle point = style(racer);
        plot_line(panel, RACE_RATES, rate, y, point);
        point.size = point.color == PLOT_GREY ? 5 : 7;
        plot_scatter(panel, RACE_RATES, rate, y, point);
    }
}

void race_draw(const void *study, Plot *plot)
{
    const RaceStudy *s = study;
    char warm[32] = "";
    if (s->warm)
        snprintf(warm, sizeof warm, ", %d of warm-up", s->warm);
    bool shows = study_begin(&s->study, plot, 1, 3,
                             "%s on %d %s of %s · batch %d · %d updates%s · weight decay %g",
                             s->model, s->images, images_unit(&s->study.lab->data->train),
                             dataset_title(s->study.lab->data), s->batch, race_updates(s), warm,
                             s->decay);
    plot_footer(plot, "trained %d of %d networks", s->done, s->racers * (RACE_RATES + s->seeds));
    if (!shows)
        return;
    draw_curves(s, plot);
    draw_ends(s, plot);
    draw_rates(s, plot);
}

/* "-" where the search lacks this rate. */
static void value_text(char text[16], double value)
{
    snprintf(text, 16, isnan(value) ? "-" : "%.3f", value);
}

void race_report(const void *study)
{
    char third[16], its[16], times[16];
    const RaceStudy *s = study;
    Run *run = s->study.lab->run;
    run_metrics_header(
        run, "optimiser,rate,low,median,high,trainings,at_a_third,at_best,at_three_times");
    run_say(run,
            "                  best rate   test %-8s            held out: with a third, with "
            "it, with 3 times",
            race_of_text(s) ? "loss" : "accuracy");
    for (int racer = 0; racer < RACERS; racer++) {
        int best = race_best(s, racer);
        const char *missing = race_missing(s, racer);
        if (missing)
            run_say(run, "%-16s  to do: %s", race_name(racer), missing);
        if (best < 0)
            continue;
        Spread v = at_point(s, racer, RACE_POINTS - 1);
        double less = best > 0 ? s->search[racer][best - 1] : NAN;
        double more = best + 1 < RACE_RATES ? s->search[racer][best + 1] : NAN;
        value_text(third, less);
        value_text(its, s->search[racer][best]);
        value_text(times, more);
        run_say(run, "%-16s  %9.2g   %.3f (%.3f to %.3f)   %s, %s, %s%s", race_name(racer),
                race_rate(racer, best), v.median, v.low, v.high, third, its, times,
                best == 0 || best == RACE_RATES - 1 ? "  (at the search's edge)" : "");
        run_metrics(run, "%s,%g,%.6g,%.6g,%.6g,%d,%.6g,%.6g,%.6g", race_name(racer),
                    race_rate(racer, best), v.low, v.median, v.high, v.count, less,
                    s->search[racer][best], more);
    }
}
