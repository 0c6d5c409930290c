/* overlap_view.c: the waiting share against bandwidth and against the buckets' size, lines
 * predicted and points measured; below them, three updates under each other. */
#include "check.h"
#include "overlap_study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const size_names[STUDY_SIZES] = {"a layer", "10 KB",  "30 KB",
                                                    "100 KB",  "300 KB", "all"};

static PlotStyle style_of(ExchangeKind kind, const char *label)
{
    static const PlotShape shapes[] = {PLOT_DOT, PLOT_SQUARE, PLOT_DIAMOND, PLOT_DOT};
    static const int colors[] = {6, 4, 5, 2}; /* none of the timeline's below */
    return (PlotStyle){.color = plot_series(colors[kind]),
                       .shape = shapes[kind],
                       .size = 9,
                       .label = label};
}

/* ---- waiting against bandwidth ---- */

static void draw_bandwidths(const OverlapStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_cell(plot, 0, 0, "Waiting for the network",
                                 plot_log("bandwidth (Mbit/s)", 10, 70, 1.5e4),
                                 plot_axis("share of an update (%)", 0, 100));
    for (int e = 0; e < STUDY_EXCHANGES; e++) {
        double x[STUDY_BANDWIDTHS], found[STUDY_BANDWIDTHS], predicted[STUDY_BANDWIDTHS];
        for (int i = 0; i < STUDY_BANDWIDTHS; i++) {
            int index = STUDY_BY_BANDWIDTH + STUDY_EXCHANGES * i + e;
            x[i] = study_bandwidth[i] / 1e6;
            found[i] = 100 * study_share(&s->measured[index]);
            predicted[i] = 100 * study_predicted_share(s, index);
        }
        ExchangeKind kind = EXCHANGE_PER_LAYER + e;
        PlotStyle line = {.color = style_of(kind, NULL).color};
        plot_line(panel, STUDY_BANDWIDTHS, x, predicted, line);
        plot_scatter(panel, STUDY_BANDWIDTHS, x, found, style_of(kind, exchange_names[kind]));
    }
}

/* ---- the buckets' size ---- */

static void draw_sizes(const OverlapStudy *s, Plot *plot)
{
    double x[STUDY_SIZES], found[STUDY_SIZES], predicted[STUDY_SIZES];
    char link[64], title[96];
    link_text(link, sizeof link, s->link);
    snprintf(title, sizeof title, "Buckets of what size? (%s)", link);
    for (int i = 0; i < STUDY_SIZES; i++) {
        const Measured *m = &s->measured[STUDY_BY_SIZE + i];
        x[i] = i;
        found[i] = m->done ? 1e3 * m->exposed : NAN;
        predicted[i] = 1e3 * study_predicted(s, STUDY_BY_SIZE + i);
    }
    PlotPanel *panel = plot_cell(plot, 0, 1, title,
                                 plot_names("a bucket is started once it has", size_names,
                                            STUDY_SIZES, 0.5),
                                 plot_log("an update waits (ms)", 10, 0, 0));
    PlotStyle style = style_of(EXCHANGE_BUCKETS, "measured"),
              line = {.color = style.color, .label = "predicted"};
    plot_line(panel, STUDY_SIZES, x, predicted, line);
    plot_scatter(panel, STUDY_SIZES, x, found, style);
    guess_rule(&s->guess, panel);
}

/* ---- timelines ---- */

enum { BOX_FORWARD, BOX_BACKWARD, BOX_UPDATE, BOX_NETWORK, BOX_KINDS };
static const char *const box_names[BOX_KINDS] = {"forward", "backward, layer by layer", "update",
                                                 "all-reduce"};

typedef struct Boxes {
    int n;
    double x0[BENCH_LAYERS * STUDY_EXCHANGES], x1[BENCH_LAYERS * STUDY_EXCHANGES],
        y0[BENCH_LAYERS * STUDY_EXCHANGES], y1[BENCH_LAYERS * STUDY_EXCHANGES];
} Boxes;

/* A box between two moments, in milliseconds, with a gap of a hair to the next one. */
static void add_box(Boxes *b, double from, double to, double row)
{
    double gap = fmin(0.04, 100 * (to - from));
    if (b->n == BENCH_LAYERS * STUDY_EXCHANGES || !(to > from))
        return;
    b->x0[b->n] = 1e3 * from;
    b->x1[b->n] = 1e3 * to - gap;
    b->y0[b->n] = row - 0.42;
    b->y1[b->n++] = row + 0.42;
}

/* One update of rank 0: what it computes in row `row` + 1, its all-reduces in row `row`. What is in
 * flight together goes over the link one after the other. */
static void add_update(Boxes boxes[BOX_KINDS], const Measured *m, int layers, double row)
{
    const UpdateTimes *t = &m->times;
    double before = t->forward, link_free = 0;
    add_box(&boxes[BOX_FORWARD], 0, t->forward, row + 1);
    for (int i = 0; i < layers; i++) {
        add_box(&boxes[BOX_BACKWARD], before, t->layer[i], row + 1);
        before = t->layer[i];
    }
    add_box(&boxes[BOX_UPDATE], t->exchanged, t->updated, row + 1);
    for (int i = 0; i < t->calls; i++) {
        add_box(&boxes[BOX_NETWORK], fmax(t->call[i].began, link_free), t->call[i].ended, row);
        link_free = fmax(link_free, t->call[i].ended);
    }
}

static void draw_timelines(const OverlapStudy *s, Plot *plot)
{
    static Boxes boxes[BOX_KINDS];
    static const char *const phases[BOX_KINDS] = {"forward", "backward", "update", "exchange"};
    static const char *const rows[] = {"network", "overlapped", "network",
                                       "flat",    "network",    "naive"};
    char link[64], title[128];
    link_text(link, sizeof link, s->link);
    snprintf(title, sizeof title, "One update of rank 0, three times: %s, buckets of %.0f KB", link,
             s->least / 1e3);
    PlotPanel *panel =
        plot_panel(plot,
                   (PlotAxes){.row = 1,
                              .columns = 2,
                              .title = title,
                              .x = {.label = "time in the update (ms)", .low = 0, .high = NAN},
                              .y = {.names = rows, .names_count = 6, .low = -0.6, .high = 5.6}});
    for (int k = 0; k < BOX_KINDS; k++)
        boxes[k].n = 0;
    for (int e = 0; e < STUDY_EXCHANGES; e++)
        if (s->measured[STUDY_CHOSEN + e].done)
            add_update(boxes, &s->measured[STUDY_CHOSEN + e], s->bench->layers, 4 - 2 * e);

    for (int k = 0; k < BOX_KINDS; k++)
        plot_boxes(panel, boxes[k].n, boxes[k].x0, boxes[k].x1, boxes[k].y0, boxes[k].y1,
                   (PlotStyle){.label = box_names[k],
                               .color = plot_phase(phases[k]),
                               .opacity = 1});
    if (s->study.missing)
        plot_note(panel, s->study.missing);
}

void overlap_draw(const void *study, Plot *plot)
{
    const OverlapStudy *s = study;
    int done = 0;
    for (int i = 0; i < STUDY_SETTINGS; i++)
        done += s->measured[i].done;
    plot_begin(plot, 2, 2, "%s on %s · batch %d per rank · %d ranks · %s clock", s->model,
               dataset_title(s->study.lab->data), s->batch, s->study.lab->comm->size,
               link_virtual() ? "virtual" : "real");
    draw_bandwidths(s, plot);
    draw_sizes(s, plot);
    draw_timelines(s, plot);
    plot_footer(plot,
                "lines: predicted by exposed_seconds · points: measured (%d of %d) · "
                "latency %.0f µs",
                done, STUDY_SETTINGS, 1e6 * s->link.latency);
}

/* ---- the table ---- */

static void report_one(const OverlapStudy *s, int index)
{
    Run *run = s->study.lab->run;
    const Measured *m = &s->measured[index];
    if (!m->done)
        return;
    const Setting *c = &m->setting;
    char link[64] = "no link, real clock", size[32] = "", *predicted, *difference;
    if (!c->steady)
        link_text(link, sizeof link, c->link);
    if (c->kind == EXCHANGE_BUCKETS)
        snprintf(size, sizeof size, isfinite(c->least) ? "%.0f KB" : "all", c->least / 1e3);
    predicted = c->steady || isnan(m->predicted) ? format_new("–")
                                                 : format_new("%.2f", 1e3 * m->predicted);
    difference = isnan(m->difference) ? format_new("–") : format_new("%.2g", m->difference);
    run_say(run, "%-21s  %-21s %7s  %8.2f  %8.2f  %9s  %7.1f %%  %10s", link,
            exchange_names[c->kind], size, 1e3 * m->step, 1e3 * m->exposed, predicted,
            100 * study_share(m), difference);
    run_metrics(run, "%.9g,%.9g,%s,%.9g,%d,%.9g,%.9g,%.9g,%.9g",
                c->steady ? INFINITY : c->link.bandwidth, c->link.latency, exchange_names[c->kind],
                c->least, c->steady, m->step, m->exposed, m->predicted, m->difference);
    free(difference);
    free(predicted);
}

void overlap_report(const void *study)
{
    const OverlapStudy *s = study;
    Run *run = s->study.lab->run;
    run_say(run, "link                   exchange              buckets update ms   wait ms  "
                 "predicted   of update  difference");
    run_metrics_header(run, "bandwidth,latency,exchange,least,steady,update,exposed,predicted,"
                            "difference");
    const char *to_do = exercise_missing("4c_exposed_seconds");
    if (to_do)
        run_say(run, "without predictions: %s", to_do);
    for (int i = 0; i < STUDY_SETTINGS; i++)
        report_one(s, i);
    const Measured *flat = &s->measured[STUDY_STEADY + 1], *best = &s->measured[STUDY_STEADY + 2];
    if (flat->done && best->done)
        run_say(run, "no link: flat waits %.2f ms of %.2f, overlapped %.2f of %.2f: %s",
                1e3 * flat->exposed, 1e3 * flat->step, 1e3 * best->exposed, 1e3 * best->step,
                study_share(flat) < 0.05
                    ? "within one machine there is next to nothing to win"
                    : "for each other, rather than for a network: is the machine busy?");
    const Measured *chosen = &s->measured[STUDY_CHOSEN + EXCHANGE_BUCKETS - EXCHANGE_PER_LAYER];
    guess_found(&s->guess, run, chosen->done ? 1e3 * chosen->exposed : NAN);
}
