/* study_view.c: the figure: time to accuracy against bandwidth, and the bandwidth below which each
 * remedy pays; the tables and the file. */
#include "compression_study.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_POINTS = 60 };
static const double LOW = 0.01, HIGH = 200; /* Gbit/s, of the figure */

/* Over the seeds of a row; at: lowest, median, highest. Returns how many are known. */
static int over_seeds(double at[3], const CompressionStudy *s, int row,
                      double (*value)(const CompressionStudy *, int row, int seed, double x),
                      double x)
{
    double v[STUDY_SEEDS];
    for (int k = 0; k < s->seeds; k++)
        v[k] = value(s, row, k, x);
    return study_spread(at, v, s->seeds);
}

static double last_accuracy(const CompressionStudy *s, int row, int seed, double unused)
{
    const Trained *t = &s->result[row].trained[seed];
    return t->done ? t->accuracy[s->points - 1] : NAN;
}

static double time_to_target(const CompressionStudy *s, int row, int seed, double mbit)
{
    Link link = {mbit * 1e6 / 8, s->latency};
    return study_seconds(s, row, study_updates_to(s, row, seed, study_target(s)), link);
}

static double updates_to(const CompressionStudy *s, int row, int seed, double target)
{
    return study_updates_to(s, row, seed, target);
}

/* In Mbit/s. */
static double pays(const CompressionStudy *s, int row, int seed, double target)
{
    return study_pays_below(s, row, seed, target) * 8 / 1e6;
}

/* ---- the figure ---- */

/* A distinct colour, shape and dash for each of up to 21 rows. */
static PlotStyle style_of(const CompressionStudy *s, int row)
{
    static const PlotShape shapes[] = {PLOT_DOT, PLOT_SQUARE, PLOT_TRIANGLE};
    if (row == 0)
        return (PlotStyle){.color = PLOT_INK, .width = 3.5, .size = 9};
    return (PlotStyle){.color = plot_series((row - 1) % 7),
                       .shape = shapes[(row - 1) / 7 % 3],
                       .dashed = (row - 1) / 7 % 2,
                       .width = (row - 1) / 7 == 2 ? 1.2 : 2,
                       .size = 9};
}

static void draw_times(const CompressionStudy *s, PlotPanel *panel, int row)
{
    double x[LINE_POINTS], y[LINE_POINTS], at[3], below[3], target = study_target(s);
    PlotStyle style = style_of(s, row);
    for (int i = 0; i < LINE_POINTS; i++) {
        x[i] = LOW * pow(HIGH / LOW, i / (LINE_POINTS - 1.0));
        over_seeds(at, s, row, time_to_target, 1e3 * x[i]);
        y[i] = at[1];
    }
    plot_line(panel, LINE_POINTS, x, y, style);
    int place = 2 + LINE_POINTS * 9 / 20 * row / s->remedies; /* its number, left of the marks */
    char number[12];
    snprintf(number, sizeof number, "%d", row);
    plot_text(panel, x[place], y[place], number, (PlotStyle){.color = style.color, .size = 12});
    over_seeds(below, s, row, pays, target);
    double crosses = below[1] / 1e3;
    if (row > 0 && crosses > LOW && crosses < HIGH) {
        over_seeds(at, s, row, time_to_target, below[1]);
        plot_scatter(panel, 1, &crosses, &at[1], style);
    }
}

static void draw_pays(const CompressionStudy *s, PlotPanel *panel, int row)
{
    double below[3], last[3], y = s->remedies - 1 - row;
    char text[64];
    PlotStyle style = style_of(s, row);
    int known = over_seeds(below, s, row, pays, study_target(s));
    if (!over_seeds(last, s, row, last_accuracy, 0))
        return;
    for (int i = 0; i < 3; i++)
        below[i] /= 1e3;
    double low = fmin(fmax(below[0], LOW), HIGH), high = fmin(fmax(below[2], LOW), HIGH),
           at = fmin(fmax(below[1], LOW), HIGH), left = LOW, top = y + 0.3, bottom = y - 0.3,
           mark = fmin(at, HIGH / 1.3);
    snprintf(text, sizeof text, " %.3f", last[1]);
    if (row > 0 && known && below[1] > 0) {
        plot_boxes(panel, 1, &left, &at, &bottom, &top,
                   (PlotStyle){.color = style.color, .opacity = 0.35});
        if (known > 1) /* below the text */
            plot_boxes(panel, 1, &low, &high, &(double){y - 0.3}, &(double){y - 0.2},
                       (PlotStyle){.color = style.color, .opacity = 0.9});
        plot_scatter(panel, 1, &mark, &y, style);
        snprintf(text, sizeof text, isinf(below[1]) ? " always · %.3f" : "  %.3f", last[1]);
    } else if (row > 0 && known)
        snprintf(text, sizeof text, " never · %.3f", last[1]);
    bool room = at < 3; /* to the right of the mark */
    plot_text(panel,
              row > 0 && known && below[1] > 0 && !room ? LOW
              : row > 0 && known                        ? at
                                                        : LOW,
              y, text, (PlotStyle){.color = PLOT_INK, .size = 12});
}

void compression_draw(const void *study, Plot *plot)
{
    const CompressionStudy *s = study;
    const char *names[STUDY_REMEDIES];
    char numbered[STUDY_REMEDIES][64];
    char link[64], left_title[128];
    double target = study_target(s);
    for (int row = 0; row < s->remedies; row++) {
        snprintf(numbered[row], sizeof numbered[row], "%s · %d", study_spec(s, row)->name, row);
        names[s->remedies - 1 - row] = numbered[row];
    }
    link_text(link, sizeof link, s->link);
    if (isnan(target))
        snprintf(left_title, sizeof left_title, "Time to accuracy");
    else
        snprintf(left_title, sizeof left_title, "Time to an accuracy of %.3f (that of none − %.2f)",
                 target, s->below);
    char network[64];
    if (strcmp(s->model, "mlp"))
        snprintf(network, sizeof network, "%s", s->model);
    else
        snprintf(network, sizeof network, "mlp %d-%d", s->hidden[0], s->hidden[1]);
    plot_begin(plot, 1, 5,
               "%s on %s · %d ranks with batches of %d · η = %g, momentum %g · %d updates", network,
               dataset_title(s->study.lab->data), s->study.lab->comm->size, s->batch, s->rate,
               s->momentum, s->updates);
    PlotPanel *left = plot_panel(
        plot, (PlotAxes){.columns = 3,
                         .title = left_title,
                         .x = {.label = "bandwidth (Gbit/s)", .log = 10, .low = LOW, .high = HIGH},
                         .y = {.label = "computing, compressing, sending (s)", .log = 10},
                         .no_legend = true});
    PlotPanel *right = plot_panel(plot,
                                  (PlotAxes){.column = 3,
                                             .columns = 2,
                                             .title = "Pays below this bandwidth; accuracy",
                                             .x = plot_log("bandwidth (Gbit/s)", 10, LOW, HIGH),
                                             .y = plot_names(NULL, names, s->remedies, 0.6),
                                             .no_legend = true});
    if (s->study.missing)
        plot_note(left, s->study.missing);
    for (int row = s->remedies - 1; row >= 0 && !s->study.missing; row--) {
        draw_times(s, left, row);
        draw_pays(s, right, row);
    }
    plot_footer(plot,
                "trained on %s, %d of %d networks (medians over %d seed%s); other bandwidths "
                "derived · short bar: over the seeds",
                link, s->done, s->remedies * s->seeds, s->seeds, s->seeds > 1 ? "s" : "");
}

/* ---- the tables ---- */

/* "850 Mbit/s", "3.2 Gbit/s", "never", "always"; 24 bytes are enough. */
static void bandwidth_text(char *text, size_t room, double mbit)
{
    if (isnan(mbit))
        snprintf(text, room, "-");
    else if (mbit == 0)
        snprintf(text, room, "never");
    else if (isinf(mbit))
        snprintf(text, room, "always");
    else
        snprintf(text, room, mbit < 1000 ? "%.0f Mbit/s" : "%.1f Gbit/s",
                 mbit < 1000 ? mbit : mbit / 1000);
}

static void report_costs(const CompressionStudy *s)
{
    Run *run = s->study.lab->run;
    double target = study_target(s);
    run_say(run,
            "remedy                      KB/update  compress ms  ns/element  updates to %.3f  "
            "accuracy",
            target);
    for (int row = 0; row < s->remedies; row++) {
        const RemedyResult *r = &s->result[row];
        double to[3], last[3];
        char updates[32];
        over_seeds(to, s, row, updates_to, target);
        if (!over_seeds(last, s, row, last_accuracy, 0))
            continue;
        snprintf(updates, sizeof updates, isinf(to[1]) ? "never" : "%.0f", to[1]);
        run_say(run, "%-26s %10.1f %12.2f %11.2f %17s  %.3f (%.3f to %.3f)",
                study_spec(s, row)->name, r->sent / 1e3, 1e3 * r->compress,
                1e9 * r->compress / r->elements, updates, last[1], last[0], last[2]);
    }
}

static void at_equal_time(double *accuracy, const CompressionStudy *s, int row)
{
    for (int k = 0; k < STUDY_LINKS; k++) {
        Link link = {study_bandwidth[k], s->latency};
        double v[STUDY_SEEDS], at[3], seconds = study_equal_time(s, link);
        for (int seed = 0; seed < s->seeds; seed++)
            v[seed] = study_accuracy_at(s, row, seed, seconds, link);
        study_spread(at, v, s->seeds);
        accuracy[k] = at[1];
    }
}

static void report_equal_time(const CompressionStudy *s)
{
    Run *run = s->study.lab->run;
    double accuracy[STUDY_REMEDIES][STUDY_LINKS], best[STUDY_LINKS] = {0};
    for (int row = 0; row < s->remedies; row++) {
        at_equal_time(accuracy[row], s, row);
        for (int k = 0; k < STUDY_LINKS; k++)
            best[k] = fmax(best[k], accuracy[row][k]);
    }
    char line[160];
    int at = snprintf(line, sizeof line, "accuracy after               ");
    for (int k = 0; k < STUDY_LINKS; k++)
        at += snprintf(line + at, sizeof line - (size_t)at, "%8.2f s ",
                       study_equal_time(s, (Link){study_bandwidth[k], s->latency}));
    run_say(run, "%s", line);
    run_say(run, "on a link of                 100 Mbit/s  1 Gbit/s 10 Gbit/s 100 Gbit/s  pays "
                 "below (over the seeds)");
    for (int row = 0; row < s->remedies; row++) {
        double below[3];
        char mark[3][24];
        if (isnan(accuracy[row][0]))
            continue;
        over_seeds(below, s, row, pays, study_target(s));
        for (int k = 0; k < 3; k++)
            bandwidth_text(mark[k], sizeof mark[k], row ? below[k] : NAN);
        at = snprintf(line, sizeof line, "%-28s", study_spec(s, row)->name);
        for (int k = 0; k < STUDY_LINKS; k++)
            at += snprintf(line + at, sizeof line - (size_t)at, "   %.3f%s ", accuracy[row][k],
                           accuracy[row][k] == best[k] ? "*" : " ");
        if (s->seeds > 1 && row)
            run_say(run, "%s %s (%s to %s)", line, mark[1], mark[0], mark[2]);
        else
            run_say(run, "%s %s", line, mark[1]);
    }
}

static void report_proofs(const CompressionStudy *s)
{
    Run *run = s->study.lab->run;
    double most = 0, table = 0;
    for (int k = 0; k < s->proofs; k++) {
        const Proof *p = &s->proof[k];
        double off = p->derived / p->clock - 1;
        most = fmax(most, fabs(off));
        table = fmax(table, fabs(p->table / p->clock - 1));
        run_say(run, "really on %6.0f Mbit/s: %-18s %9.3f ms an update, derived %9.3f: %+.1f %%",
                study_bandwidth[p->link] * 8 / 1e6, study_spec(s, p->remedy)->name, 1e3 * p->clock,
                1e3 * p->derived, 100 * off);
    }
    if (s->proofs)
        run_say(run,
                "derived times are at most %.1f %% off, the tables' %.1f %%: computing takes "
                "more or less each time",
                100 * most, 100 * table);
}

static void write_metrics(const CompressionStudy *s)
{
    Run *run = s->study.lab->run;
    double target = study_target(s);
    run_metrics_header(run, "remedy,seed,elements,bytes,compute,compress,updates_to_target,"
                            "accuracy,at_100M,at_1G,at_10G,at_100G,pays_below");
    for (int row = 0; row < s->remedies; row++)
        for (int seed = 0; seed < s->seeds; seed++) {
            const RemedyResult *r = &s->result[row];
            double at[STUDY_LINKS];
            if (!r->trained[seed].done)
                continue;
            for (int k = 0; k < STUDY_LINKS; k++) {
                Link link = {study_bandwidth[k], s->latency};
                at[k] = study_accuracy_at(s, row, seed, study_equal_time(s, link), link);
            }
            run_metrics(run, "%s,%d,%d,%.10g,%.6g,%.6g,%.6g,%.4f,%.4f,%.4f,%.4f,%.4f,%.6g",
                        study_spec(s, row)->name, seed, r->elements, r->sent, r->compute,
                        r->compress, study_updates_to(s, row, seed, target),
                        last_accuracy(s, row, seed, 0), at[0], at[1], at[2], at[3],
                        study_pays_below(s, row, seed, target));
        }
}

void compression_report(const void *study)
{
    const CompressionStudy *s = study;
    Run *run = s->study.lab->run;
    write_metrics(s);
    if (isnan(study_target(s))) {
        run_say(run, s->result[0].trained[0].done
                         ? "no target: without compression the network has not learnt enough: a "
                           "lower --rate, more --updates?"
                         : "no network is trained yet");
        return;
    }
    run_say(run, "computing an update: %.1f ms", 1e3 * s->result[0].compute);
    report_costs(s);
    report_equal_time(s);
    report_proofs(s);
    if (s->parted)
        run_say(run,
                "%s: the ranks' weights differ after a training: an exchange does not give "
                "all ranks the same bits",
                s->parted);
}
