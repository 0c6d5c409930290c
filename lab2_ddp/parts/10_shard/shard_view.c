/* shard_view.c: memory per rank against stage and P as stacked bars, predicted beside counted;
 * bytes sent against P and against micro-batches; activations and time of a gradient in parts. */
#include "check.h"
#include "link.h"
#include "shard_study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4 }; /* of a bar, from below */
static const char *const part_names[PARTS] = {"parameters", "gradient", "momentum", "activations"};
static const int part_colours[PARTS] = {0, 4, 2, 6};
enum { MOST_BARS = 2 * ZERO_STAGES * SHARD_SIZES };

static void parts_of(double v[PARTS], const RankCosts *c, double activations)
{
    v[0] = c->params, v[1] = c->grads, v[2] = c->state, v[3] = activations;
}

/* The bars of one kind of memory, predicted (k = 0) or counted (1). Returns how many. */
static int lay_bars(const ShardStudy *s, int part, int k, double x0[], double x1[], double y0[],
                    double y1[])
{
    int n = 0;
    for (int stage = 0; stage < ZERO_STAGES; stage++)
        for (int i = 0; i < s->sizes; i++) {
            const StageRow *row = &s->stage[stage][i];
            double v[PARTS], below = 0, pitch = 0.9 / s->sizes;
            if (!row->done)
                continue;
            parts_of(v, k ? &row->found : &row->predicted,
                     k ? row->activations : row->activations_predicted);
            for (int p = 0; p < part; p++)
                below += v[p];
            x0[n] = stage - 0.45 + pitch * (i + 0.06 + 0.44 * k);
            x1[n] = x0[n] + pitch * 0.42;
            y0[n] = below / 1e6;
            y1[n++] = (below + v[part]) / 1e6;
        }
    return n;
}

static void draw_memory(const ShardStudy *s, Plot *plot)
{
    double highest = 1e-6;
    for (int stage = 0; stage < ZERO_STAGES; stage++)
        for (int i = 0; i < s->sizes; i++)
            highest = fmax(highest, s->stage[stage][i].all / 1e6);
    PlotPanel *panel = plot_panel(
        plot, (PlotAxes){.columns = 2,
                         .title = "Memory of one of 1, 2, 4 … ranks: predicted (pale), counted",
                         .x = plot_names(NULL, zero_names, ZERO_STAGES, 0.5),
                         .y = plot_axis("peak of an update (MB)", 0, 1.08 * highest)});
    double x0[MOST_BARS], x1[MOST_BARS], y0[MOST_BARS], y1[MOST_BARS];
    for (int part = 0; part < PARTS; part++)
        for (int k = 0; k < 2; k++) {
            int n = lay_bars(s, part, k, x0, x1, y0, y1);
            plot_boxes(panel, n, x0, x1, y0, y1,
                       (PlotStyle){.color = plot_series(part_colours[part]),
                                   .opacity = k ? 1 : 0.45,
                                   .label = k ? part_names[part] : NULL});
        }
    for (int stage = 0; stage < ZERO_STAGES; stage++)
        for (int i = 0; i < s->sizes; i++) {
            const StageRow *row = &s->stage[stage][i];
            char text[16];
            snprintf(text, sizeof text, "%d", 1 << i);
            if (row->done)
                plot_text(panel, stage - 0.45 + 0.9 / s->sizes * (i + 0.4),
                          row->all / 1e6 + highest / 20, text,
                          (PlotStyle){.color = PLOT_INK, .size = 12});
        }
    guess_rule(&s->guess, panel);
    if (s->study.missing)
        plot_note(panel, s->study.missing);
}

/* ---- bytes ---- */

/* Lines coincide: the first are drawn larger. */
static void draw_wire(const StageRow rows[], int n, const double *x, int stage, PlotPanel *panel)
{
    static const PlotShape shapes[] = {PLOT_SQUARE, PLOT_DIAMOND, PLOT_DOT, PLOT_TRIANGLE};
    double predicted[SHARD_SIZES], found[SHARD_SIZES];
    for (int i = 0; i < n; i++) {
        predicted[i] = rows[i].done ? rows[i].predicted.wire / 1e6 : NAN;
        found[i] = rows[i].done ? rows[i].found.wire / 1e6 : NAN;
    }
    PlotStyle line = {.color = plot_shade(stage)};
    plot_line(panel, n, x, predicted, line);
    plot_scatter(panel, n, x, found,
                 (PlotStyle){.color = line.color,
                             .shape = shapes[stage],
                             .size = 15 - 3 * stage,
                             .label = zero_names[stage]});
}

static void draw_bytes(const ShardStudy *s, Plot *plot)
{
    double x[SHARD_SIZES], micro[SHARD_MICROS];
    char title[64];
    for (int i = 0; i < s->sizes; i++)
        x[i] = 1 << i;
    for (int i = 0; i < SHARD_MICROS; i++)
        micro[i] = shard_micro[i];
    PlotAxis bytes = {.label = "MB per update", .low = 0, .high = NAN};
    PlotPanel *panel = plot_cell(plot, 0, 2, "Bytes that a rank sends",
                                 plot_log("ranks P", 2, 0.8, 1.3 * x[s->sizes - 1]), bytes);
    for (int stage = 0; stage < ZERO_STAGES; stage++)
        draw_wire(s->stage[stage], s->sizes, x, stage, panel);
    snprintf(title, sizeof title, "… on %d ranks, in micro-batches", 1 << (s->sizes - 1));
    panel = plot_cell(plot, 1, 2, title,
                      plot_axis("micro-batches of an update", 0.5,
                                shard_micro[SHARD_MICROS - 1] + 0.5),
                      bytes);
    for (int stage = 0; stage < ZERO_STAGES; stage++)
        draw_wire(s->micro[stage], SHARD_MICROS, micro, stage, panel);
}

/* ---- activations ---- */

static void draw_saving(const SavingRow rows[], bool time, PlotPanel *panel, int colour,
                        const char *label)
{
    double x[SAVINGS], predicted[SAVINGS], found[SAVINGS];
    for (int i = 0; i < SAVINGS; i++) {
        const SavingRow *r = &rows[i];
        x[i] = r->done ? r->cuts : NAN;
        predicted[i] = r->done && !time ? r->predicted / 1e6 : NAN;
        found[i] = !r->done ? NAN : time ? r->seconds / rows[0].seconds : r->found / 1e6;
    }
    PlotStyle style = {.color = colour ? PLOT_GREY : PLOT_INK};
    plot_line(panel, SAVINGS, x, time ? found : predicted, style);
    style.shape = colour ? PLOT_SQUARE : PLOT_DOT;
    style.label = label;
    style.size = 9;
    plot_scatter(panel, SAVINGS, x, found, style);
}

static void draw_savings(const ShardStudy *s, Plot *plot)
{
    char title[128];
    snprintf(title, sizeof title, "Activations: %s, %d images", s->deep, s->deep_batch);
    PlotAxis pieces = {.label = "parts, or micro-batches", .log = 2, .low = 0.9, .high = 20};
    PlotPanel *panel = plot_cell(plot, 1, 0, title, pieces, plot_axis("memory (MB)", 0, NAN));
    draw_saving(s->parts, false, panel, 0, "computed twice, in parts");
    draw_saving(s->pieces, false, panel, 1, "in micro-batches");
    panel = plot_cell(plot, 1, 1, "… and their price", pieces,
                      plot_axis("time (undivided: 1)", 0, NAN));
    plot_rule_y(panel, 4.0 / 3,
                (PlotStyle){.note = "4/3: a forward pass more",
                            .color = PLOT_GREY,
                            .dashed = true});
    draw_saving(s->parts, true, panel, 0, "computed twice, in parts");
    draw_saving(s->pieces, true, panel, 1, "in micro-batches");
}

void shard_draw(const void *study, Plot *plot)
{
    const ShardStudy *s = study;
    char link[64];
    link_text(link, sizeof link, link_now_used());
    plot_begin(plot, 2, 3, "%s%s%s, %.2f M parameters, on %s · batch %d per rank · %s", s->model,
               strcmp(s->model, "mlp") ? "" : " ", strcmp(s->model, "mlp") ? "" : s->hidden,
               s->parameters / 1e6, dataset_title(s->study.lab->data), s->batch, link);
    draw_memory(s, plot);
    draw_bytes(s, plot);
    draw_savings(s, plot);
    plot_footer(plot,
                "lines and pale bars: predicted by rank_costs and activation_bytes · "
                "measured %d of %d",
                s->finished, shard_steps(s));
}

/* ---- the tables ---- */

static void report_stage(const ShardStudy *s, const StageRow *r, int stage, int P, int micro)
{
    Run *run = s->study.lab->run;
    if (!r->done)
        return;
    run_say(run,
            "%-7s %3d %5d  %8.3f %8.3f %8.3f %8.3f  %8.3f %8.3f %+6.1f %%  %8.3f  %8.2f  %9.2g",
            zero_names[stage], P, micro, r->found.params / 1e6, r->found.grads / 1e6,
            r->found.state / 1e6, r->activations / 1e6, r->all / 1e6, r->all_predicted / 1e6,
            100 * (r->all_predicted / r->all - 1), r->found.wire / 1e6, 1e3 * r->seconds,
            r->difference);
    run_metrics(run,
                "%s,%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,",
                zero_names[stage], P, micro, r->found.params, r->predicted.params, r->found.grads,
                r->predicted.grads, r->found.state, r->predicted.state, r->activations,
                r->activations_predicted, r->all, r->all_predicted, r->found.wire,
                r->predicted.wire, r->seconds, r->difference);
}

/* Beside `plain`, the same without gathering ahead. */
static void report_ahead(const ShardStudy *s, const StageRow *r, const StageRow *plain, int P)
{
    Run *run = s->study.lab->run;
    if (!r->done)
        return;
    double predicted = plain->seconds - plain->hideable;
    run_say(run, "%9d   %8.3f %8.3f   %10.2f %10.2f %10.2f  %9.2g", P, plain->found.params / 1e6,
            r->found.params / 1e6, 1e3 * plain->seconds, 1e3 * predicted, 1e3 * r->seconds,
            r->difference);
    run_metrics(run, "ZeRO 3 ahead,%d,1,%.9g,,,,,,,,,,,,%.9g,%.9g,%.9g", P, r->found.params,
                r->seconds, r->difference, predicted);
}

static void report_saving(const ShardStudy *s, const SavingRow *r, const SavingRow *one,
                          const char *what)
{
    Run *run = s->study.lab->run;
    if (!r->done)
        return;
    char *predicted = format_new("%.3f", r->predicted / 1e6),
         *difference = isnan(r->difference) ? format_new("-") : format_new("%.2g", r->difference);
    run_say(run, "%-26s %3d  %9.3f %9s  %8.2f  %6.2f  %9s", what, r->cuts, r->found / 1e6,
            predicted, 1e3 * r->seconds, r->seconds / one->seconds, difference);
    free(difference);
    run_metrics(run, "%s,1,%d,,,,,,,%.9g,%.9g,,,,,%.9g,%.9g,", what, r->cuts, r->found,
                r->predicted, r->seconds, r->difference);
    free(predicted);
}

void shard_report(const void *study)
{
    const ShardStudy *s = study;
    Run *run = s->study.lab->run;
    run_metrics_header(run, "what,ranks,micro,params,params_predicted,grads,grads_predicted,state,"
                            "state_predicted,activations,activations_predicted,all,all_predicted,"
                            "wire,wire_predicted,seconds,difference,seconds_predicted");
    run_say(run, "memory of a rank in MB, counted; predicted and off by; sent in MB, per update; "
                 "time on the link");
    run_say(run, "stage     P micro    params    grads    state   activ.       all predict.        "
                 "       sent  ms/update difference");
    for (int stage = 0; stage < ZERO_STAGES; stage++)
        for (int i = 0; i < s->sizes; i++)
            report_stage(s, &s->stage[stage][i], stage, 1 << i, 1);
    for (int stage = 0; stage < ZERO_STAGES; stage++)
        for (int i = 1; i < SHARD_MICROS; i++)
            report_stage(s, &s->micro[stage][i], stage, 1 << (s->sizes - 1), shard_micro[i]);
    run_say(run, "ZeRO 3, the next layer gathered while this one is worked on: MB, ms/update");
    run_say(run, "        P     params    ahead      without  predicted      ahead difference");
    for (int i = 0; i < s->sizes; i++)
        report_ahead(s, &s->ahead[i], &s->stage[ZERO_3][i], 1 << i);
    run_say(run, "one gradient of %s, %d images: activations in MB", s->deep, s->deep_batch);
    run_say(run,
            "                           cut     counted predicted        ms   times difference");
    for (int i = 0; i < SAVINGS; i++)
        report_saving(s, &s->parts[i], &s->parts[0], "computed twice; parts");
    for (int i = 0; i < SAVINGS; i++)
        report_saving(s, &s->pieces[i], &s->pieces[0], "accumulated; micro-batches");
    const StageRow *last = &s->stage[ZERO_3][s->sizes - 1];
    guess_found(&s->guess, run, last->done ? last->all / 1e6 : NAN);
}
