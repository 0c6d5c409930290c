/* network_view.c: efficiency against bandwidth, latency and ranks; lines are predicted, points
 * measured. Where communication takes over is marked. */
#include "network_study.h"
#include <math.h>
#include <stdio.h>

static const PlotShape shapes[GROUPS] = {PLOT_DOT, PLOT_SQUARE, PLOT_DIAMOND, PLOT_TRIANGLE,
                                         PLOT_DOT};
static const PlotStyle half = {.note = "50 %", .color = PLOT_GREY, .dashed = true, .width = 1.5};
static const PlotAxis percent = {.label = "efficiency (%)", .low = 0, .high = 105};

/* n points from `first` on, against x: a line, and what is measured. */
static void draw_row(const NetworkStudy *s, PlotPanel *panel, int first, int n, const double *x,
                     PlotStyle style)
{
    double predicted[STUDY_BANDWIDTHS], found[STUDY_BANDWIDTHS];
    for (int i = 0; i < n; i++) {
        predicted[i] = 100 * network_predicted(s, first + i);
        found[i] = 100 * network_measured(s, first + i);
    }
    plot_line(panel, n, x, predicted, (PlotStyle){.color = style.color});
    plot_scatter(panel, n, x, found, style);
}

static PlotStyle style_of_group(int group, const char *label)
{
    return (
        PlotStyle){.color = plot_shade(group), .shape = shapes[group], .size = 8, .label = label};
}

/* ---- against bandwidth ---- */

/* A smooth line: the prediction between the points, too. */
static void draw_smooth(const NetworkStudy *s, PlotPanel *panel, int group)
{
    enum { STEPS = 120 };
    double x[STEPS], y[STEPS];
    StudyPoint p = {s->choice.model, group, s->choice.link, s->choice.overlapped};
    for (int i = 0; i < STEPS; i++) {
        x[i] = 50 * pow(10, i * 3.6 / (STEPS - 1));
        p.link.bandwidth = x[i] * 1e6 / 8;
        y[i] = 100 * efficiency(2 << group, network_work(s, p), p.link);
    }
    plot_line(panel, STEPS, x, y, (PlotStyle){.color = plot_shade(group)});
}

/* Bit/s at which P ranks exchange for as long as they compute. */
static double takes_over(const NetworkStudy *s, int model, int P, double wanted)
{
    return 8 * bandwidth_for(P, s->model[model].work, s->choice.link.latency, wanted);
}

static void draw_bandwidths(const NetworkStudy *s, Plot *plot)
{
    static const char *const names[GROUPS] = {"2 ranks", "4", "8", "16", "32"};
    double x[STUDY_BANDWIDTHS];
    char title[120];
    snprintf(title, sizeof title, "Bandwidth · %s%s", s->model[s->choice.model].name,
             s->choice.overlapped ? ", overlapped" : "");
    PlotPanel *panel = plot_cell(plot, 0, 0, title, plot_log("bandwidth (Mbit/s)", 10, 50, 2e5),
                                 percent);
    for (int i = 0; i < STUDY_BANDWIDTHS; i++)
        x[i] = network_bandwidth[i] / 1e6;
    plot_rule_x(panel, 8 * s->choice.link.bandwidth / 1e6,
                (PlotStyle){.note = "this link", .color = PLOT_GREY, .width = 1});
    for (int g = 0; g < GROUPS; g++) {
        double found[STUDY_BANDWIDTHS], over = takes_over(s, s->choice.model, 2 << g, 0.5) / 1e6;
        draw_smooth(s, panel, g);
        for (int i = 0; i < STUDY_BANDWIDTHS; i++)
            found[i] = 100 * network_measured(s, STUDY_BY_BANDWIDTH + g * STUDY_BANDWIDTHS + i);
        plot_scatter(panel, STUDY_BANDWIDTHS, x, found, style_of_group(g, names[g]));
        plot_scatter(panel, 1, &over, (double[]){50},
                     (PlotStyle){.color = plot_shade(g), .shape = PLOT_STAR, .size = 9});
    }
    plot_rule_y(panel, 50, half);
    plot_scatter(panel, 1, (double[]){NAN}, (double[]){NAN},
                 (PlotStyle){.color = PLOT_GREY,
                             .shape = PLOT_STAR,
                             .size = 12,
                             .label = "half of an update is waiting (6b)"});
}

/* ---- against latency ---- */

static void draw_latencies(const NetworkStudy *s, Plot *plot)
{
    static const char *const names[STUDY_FEW] = {"2 ranks", "8", "32"};
    double x[STUDY_LATENCIES];
    PlotPanel *panel = plot_cell(plot, 0, 1, "Latency, at this link's bandwidth",
                                 plot_log("latency (µs)", 10, 0.7, 1.5e4), percent);
    for (int i = 0; i < STUDY_LATENCIES; i++)
        x[i] = 1e6 * network_latency[i];
    plot_rule_x(panel, 1e6 * s->choice.link.latency,
                (PlotStyle){.note = "this link", .color = PLOT_GREY, .width = 1});
    for (int k = 0; k < STUDY_FEW; k++)
        draw_row(s, panel, STUDY_BY_LATENCY + k * STUDY_LATENCIES, STUDY_LATENCIES, x,
                 style_of_group(2 * k, names[k]));
    plot_rule_y(panel, 50, half);
}

/* ---- against ranks, on the chosen link ---- */

static void draw_ranks(const NetworkStudy *s, Plot *plot)
{
    double x[GROUPS], worth[GROUPS];
    PlotPanel *panel = plot_cell(plot, 1, 0, "Ranks, on this link", plot_log("ranks P", 2, 1.7, 40),
                                 percent);
    for (int g = 0; g < GROUPS; g++) {
        x[g] = 2 << g;
        worth[g] = 100 / x[g];
    }
    for (int k = 0; k < STUDY_MODELS; k++)
        draw_row(s, panel, STUDY_BY_RANKS + k * GROUPS, GROUPS, x,
                 (PlotStyle){.color = plot_series(k ? 5 : 4),
                             .shape = k ? PLOT_SQUARE : PLOT_DOT,
                             .size = 8,
                             .label = s->model[k].name});
    plot_line(panel, GROUPS, x, worth,
              (PlotStyle){.color = PLOT_GREY,
                          .dashed = true,
                          .label = "1/P: no faster than one rank"});
}

/* ---- an update's time, stacked ---- */

static void draw_update(const NetworkStudy *s, Plot *plot)
{
    int first = STUDY_BY_RANKS + s->choice.model * GROUPS;
    UpdateWork work = s->model[s->choice.model].work;
    double compute = 1e3 * (work.forward + work.backward), x0[GROUPS], x1[GROUPS], top[GROUPS],
           base[GROUPS], zero[GROUPS] = {0};
    static const char *const names[] = {"", "2", "4", "8", "16", "32"};
    double slowest = compute;
    for (int g = 0; g < GROUPS; g++)
        slowest = fmax(slowest, 1e3 * s->seconds[first + g]);
    char title[96];
    snprintf(title, sizeof title, "An update · %s, measured", s->model[s->choice.model].name);
    PlotPanel *panel = plot_cell(
        plot, 1, 1, title,
        (PlotAxis){.label = "ranks P", .low = 0.3, .high = 5.7, .names = names, .names_count = 6},
        plot_axis("time (ms)", 0, 1.08 * slowest));
    for (int g = 0; g < GROUPS; g++) {
        x0[g] = g + 0.7;
        x1[g] = g + 1.3;
        base[g] = isnan(s->seconds[first + g]) ? NAN : compute;
        top[g] = 1e3 * s->seconds[first + g];
    }
    plot_boxes(panel, GROUPS, x0, x1, zero, base,
               (PlotStyle){.color = plot_phase("forward"), .label = "computes"});
    plot_boxes(panel, GROUPS, x0, x1, base, top,
               (PlotStyle){.color = plot_phase("exchange"), .label = "waits for the network"});
}

void network_draw(const void *study, Plot *plot)
{
    const NetworkStudy *s = study;
    char link[40];
    link_text(link, sizeof link, s->choice.link);
    const UpdateWork *w[] = {&s->model[0].work, &s->model[1].work};
    bool shows = study_begin(
        &s->study, plot, 2, 2,
        "%s%s · batch %d per rank · MLP computes %.1f ms, sends %.1f MB; ResNet-8 %.1f ms, %.1f MB",
        link, s->choice.overlapped ? ", overlapped" : "", s->batch,
        1e3 * (w[0]->forward + w[0]->backward), w[0]->bytes / 1e6,
        1e3 * (w[1]->forward + w[1]->backward), w[1]->bytes / 1e6);
    plot_footer(plot, "lines: predicted (6a) · points: measured on the virtual clock, computing "
                      "charged as calibrated");
    if (!shows)
        return;
    draw_bandwidths(s, plot);
    draw_latencies(s, plot);
    draw_ranks(s, plot);
    draw_update(s, plot);
}

void network_report(const void *study)
{
    const NetworkStudy *s = study;
    Run *run = s->study.lab->run;
    char link[40];
    run_metrics_header(run, "network,ranks,bandwidth,latency,buckets,forward,backward,bytes,"
                            "seconds,measured,predicted");
    for (int i = 0; i < STUDY_POINTS; i++) {
        StudyPoint p = network_point(s->choice, i);
        UpdateWork w = network_work(s, p);
        if (!isnan(s->seconds[i]))
            run_metrics(run, "%s,%d,%.9g,%.9g,%d,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g",
                        s->model[p.model].spec.name, 2 << p.group, p.link.bandwidth, p.link.latency,
                        w.buckets, w.forward, w.backward, w.bytes, s->seconds[i],
                        network_measured(s, i), network_predicted(s, i));
    }
    link_text(link, sizeof link, s->choice.link);
    run_say(run, "%s, %s", link,
            s->choice.overlapped ? "overlapped: 8 buckets" : "exchanged after the backward pass");
    run_say(run, "network                ranks  update ms  efficiency  predicted  ratio   "
                 "= at Mbit/s  as one rank at");
    for (int i = 0; i < STUDY_BY_BANDWIDTH; i++) {
        StudyPoint p = network_point(s->choice, i);
        int P = 2 << p.group;
        if (isnan(s->seconds[i]))
            continue;
        run_say(run, "%-21s  %5d  %9.2f  %8.1f %%  %7.1f %%  %5.3f  %12.4g  %14.4g",
                s->model[p.model].name, P, 1e3 * s->seconds[i], 100 * network_measured(s, i),
                100 * network_predicted(s, i), network_measured(s, i) / network_predicted(s, i),
                takes_over(s, p.model, P, 0.5) / 1e6, takes_over(s, p.model, P, 1.0 / P) / 1e6);
    }
}
