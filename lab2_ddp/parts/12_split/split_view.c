/* split_view.c: the times of three layers, measured and predicted; and which cut of a whole block
 * is fastest, by bandwidth and length of the text: a sequence for each rank, and one sequence.
 */
#include "split_study.h"
#include <math.h>
#include <stdio.h>

static const double bandwidths[2] = {1e7 / 8, 1e11 / 8}; /* of the map, bytes/s */
enum { SHORTEST = 6, LONGEST = 17, COLUMNS = 48 };       /* powers of two; columns of the map */

static void draw_times(const SplitStudy *s, Plot *plot)
{
    PlotPanel *panel = plot_cell(plot, 0, 0, "A layer's time, on the link",
                                 plot_log("ranks P", 2, 0.8, 10), plot_log("time (ms)", 10, 0, 0));
    for (int k = 0; k < SPLIT_LAYERS; k++) {
        double P[SPLIT_SIZES], found[SPLIT_SIZES], line[SPLIT_SIZES];
        for (int i = 0; i < SPLIT_SIZES; i++) {
            P[i] = 1 << i;
            found[i] = 1e3 * s->found[k][i].seconds;
            line[i] = s->compute[k] > 0 ? 1e3 * split_predicted(s, k, 1 << i) : NAN;
        }
        PlotStyle style = {.color = plot_series(k), .shape = (PlotShape)k, .size = 9};
        plot_line(panel, SPLIT_SIZES, P, line, (PlotStyle){.color = style.color, .width = 1.5});
        style.label = split_layers[k];
        plot_scatter(panel, SPLIT_SIZES, P, found, style);
    }
}

/* The fastest way on P ranks; -1: one rank alone. Few samples cannot be cut by samples. */
static int fastest(const SplitStudy *s, int P, double samples, double positions, double bandwidth)
{
    BlockWork work = split_block(s, samples, positions);
    Link link = {bandwidth, s->link.latency};
    double least = work.compute;
    int best = -1;
    for (int kind = samples < P ? SPLIT_TENSOR : SPLIT_DATA; kind < SPLIT_KINDS; kind++) {
        double seconds = split_seconds((SplitKind)kind, P, work, link);
        if (seconds < least)
            least = seconds, best = kind;
    }
    return best;
}

static void draw_map(const SplitStudy *s, Plot *plot, int column, int P, int samples)
{
    static const char *const names[] = {"one rank", "samples (data)", "weights (tensor)",
                                        "weights and positions (sequence)", "positions (context)"};
    const uint32_t colors[] = {plot_series(3), plot_series(LAYER_TENSOR),
                               plot_series(LAYER_SEQUENCE), plot_series(LAYER_RING)};
    static double x0[COLUMNS * LONGEST], x1[COLUMNS * LONGEST], y0[COLUMNS * LONGEST],
        y1[COLUMNS * LONGEST];
    char title[80];
    snprintf(title, sizeof title, "%d sequence%s on %d ranks: cut what?", samples,
             samples > 1 ? "s" : "", P);
    PlotPanel *panel =
        plot_cell(plot, 0, column, title, plot_log("bandwidth (Mbit/s)", 10, 10, 1e5),
                  plot_log("positions T of a sequence", 2, 1 << SHORTEST, 1 << LONGEST));
    double step = log(bandwidths[1] / bandwidths[0]) / COLUMNS;
    for (int kind = -1; kind < SPLIT_KINDS; kind++) {
        int n = 0;
        for (int y = SHORTEST; y < LONGEST; y++)
            for (int x = 0; x < COLUMNS; x++) {
                double low = bandwidths[0] * exp(x * step);
                if (fastest(s, P, samples, pow(2, y + 0.5), low * exp(step / 2)) != kind)
                    continue;
                x0[n] = 8e-6 * low, x1[n] = 8e-6 * low * exp(step);
                y0[n] = 1 << y, y1[n++] = 2 << y;
            }
        if (n)
            plot_boxes(panel, n, x0, x1, y0, y1,
                       (PlotStyle){.color = kind < 0 ? PLOT_GREY : colors[kind],
                                   .opacity = kind < 0 ? 0.3 : 0.8,
                                   .label = names[kind + 1]});
    }
    plot_rule_x(panel, 8e-6 * s->link.bandwidth,
                (PlotStyle){.note = "this link", .color = PLOT_INK, .width = 1});
}

void split_draw(const void *study, Plot *plot)
{
    const SplitStudy *s = study;
    char link[64];
    int P = s->study.lab->comm->size < 8 ? s->study.lab->comm->size : 8;
    link_text(link, sizeof link, s->link);
    bool shows = study_begin(&s->study, plot, 1, 3, "%d positions · width %d · %s", s->positions,
                             s->width, link);
    plot_footer(plot, "lines: predicted · points: measured on the virtual clock, computing charged "
                      "as on one rank · maps: your 12e, computing at this processor's rate");
    if (!shows)
        return;
    draw_times(s, plot);
    if (!(s->compute[LAYER_TENSOR] > 0))
        return;
    draw_map(s, plot, 1, P, P);
    draw_map(s, plot, 2, P, 1);
}

void split_report(const void *study)
{
    const SplitStudy *s = study;
    Run *run = s->study.lab->run;
    run_metrics_header(run, "layer,ranks,seconds,predicted,sent,sent_predicted,difference");
    run_say(run, "layer                              ranks  sent KB  predicted   time ms  "
                 "predicted  difference");
    for (int k = 0; k < SPLIT_LAYERS; k++)
        for (int i = 0; i < SPLIT_SIZES; i++) {
            const SplitFound *f = &s->found[k][i];
            if (isnan(f->seconds))
                continue;
            int P = 1 << i;
            double sent = split_sent(s, k, P), seconds = split_predicted(s, k, P);
            run_metrics(run, "%s,%d,%.6g,%.6g,%.0f,%.0f,%.2g", split_layers[k], P, f->seconds,
                        seconds, f->sent, sent, f->difference);
            run_say(run, "%-33s  %5d  %7.0f  %9.0f  %8.3f  %9.3f  %10.1e", split_layers[k], P,
                    f->sent / 1e3, sent / 1e3, 1e3 * f->seconds, 1e3 * seconds, f->difference);
        }
}
