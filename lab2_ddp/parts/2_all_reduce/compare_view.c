/* compare_view.c: see compare.h. */
#include "compare.h"
#include "exercise.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Is there a link, and exercise 2f? */
static bool predicts(const Comparison *c)
{
    return !exercise_missing(SECONDS_EXERCISE) && isfinite(c->link.bandwidth);
}

/* NAN: it cannot be predicted. */
static double predicted(const Comparison *c, Algorithm a, int P, double bytes)
{
    return predicts(c) ? all_reduce_seconds(a, P, bytes, c->link.latency, 1 / c->link.bandwidth)
                       : NAN;
}

/* The fastest: the index in all_reduces; -1: unknown. */
static int best_predicted(const Comparison *c, int P, double bytes)
{
    int best = -1;
    double least = INFINITY;
    for (int a = 0; a < ALL_REDUCES; a++) {
        double seconds = predicted(c, (Algorithm)a, P, bytes);
        if (seconds < least * (1 - 1e-9)) { /* of two that are equal, the simpler one */
            least = seconds;
            best = a;
        }
    }
    return best;
}

static int best_measured(const Comparison *c, int world, int size)
{
    int best = -1;
    for (int a = 0; a < ALL_REDUCES; a++) {
        const Measured *m = &c->at[a][world][size];
        if (m->done && m->right && (best < 0 || m->seconds < c->at[best][world][size].seconds))
            best = a;
    }
    return best;
}

static uint32_t color_of(int kind) { return kind == MPI_S_OWN ? PLOT_GREY : plot_series(kind); }

static void link_words(char *text, size_t room, const Comparison *c)
{
    char link[80];
    link_text(link, sizeof link, c->link);
    if (isfinite(c->link.bandwidth))
        snprintf(text, room, "%s, %s clock", link, link_virtual() ? "virtual" : "real");
    else
        snprintf(text, room, "this machine's memory, real clock");
}

/* "4 KB", "1 MB" */
static void bytes_text(char *text, size_t room, double bytes)
{
    if (bytes < 1 << 20)
        snprintf(text, room, "%g KiB", bytes / 1024);
    else
        snprintf(text, room, "%g MiB", bytes / (1 << 20));
}

/* ---- times ---- */

/* Dots: measured; on a machine without a prediction they are joined. */
static void draw_measured(PlotPanel *panel, const Comparison *c, int kind, int n, const double *x,
                          const double *seconds)
{
    PlotStyle style = {.label = all_reduces[kind].name, .color = color_of(kind), .size = 8};
    if (kind == MPI_S_OWN)
        style.shape = PLOT_CROSS;
    int known = 0;
    for (int i = 0; i < n; i++)
        known += !isnan(seconds[i]);
    if (known == 0)
        return;
    plot_scatter(panel, n, x, seconds, style);
    if (!predicts(c))
        plot_line(panel, n, x, seconds, (PlotStyle){.color = color_of(kind), .width = 1.2});
}

static double milliseconds(const Measured *m)
{
    return m->done && m->right ? 1e3 * m->seconds : NAN;
}

static void draw_over_sizes(PlotPanel *panel, const Comparison *c, int world)
{
    enum { FINE = 60 };
    double x[MOST_SIZES], y[MOST_SIZES], fine[FINE], line[FINE];
    double low = 4.0 * c->count[0], high = 4.0 * c->count[c->sizes - 1];
    for (int a = 0; a < COMPARED; a++) {
        for (int i = 0; i < FINE && a < ALL_REDUCES; i++) {
            fine[i] = low * pow(high / low, i / (FINE - 1.0));
            line[i] = 1e3 * predicted(c, (Algorithm)a, c->worlds.P[world], fine[i]);
            fine[i] /= 1024;
        }
        if (a < ALL_REDUCES && predicts(c))
            plot_line(panel, FINE, fine, line, (PlotStyle){.color = color_of(a), .width = 1.6});
        for (int i = 0; i < c->sizes; i++) {
            x[i] = 4.0 * c->count[i] / 1024;
            y[i] = milliseconds(&c->at[a][world][i]);
        }
        draw_measured(panel, c, a, c->sizes, x, y);
    }
}

static void draw_over_ranks(PlotPanel *panel, const Comparison *c, int size)
{
    double x[MOST_WORLDS], y[MOST_WORLDS], line[64], P[64];
    int most = c->worlds.P[c->worlds.count - 1];
    for (int a = 0; a < COMPARED; a++) {
        int n = 0;
        for (int p = 2; p <= most && n < 64 && a < ALL_REDUCES; p++, n++) {
            P[n] = p;
            line[n] = 1e3 * predicted(c, (Algorithm)a, p, 4.0 * c->count[size]);
        }
        if (a < ALL_REDUCES && predicts(c))
            plot_line(panel, n, P, line, (PlotStyle){.color = color_of(a), .width = 1.6});
        for (int i = 0; i < c->worlds.count; i++) {
            x[i] = c->worlds.P[i];
            y[i] = milliseconds(&c->at[a][i][size]);
        }
        draw_measured(panel, c, a, c->worlds.count, x, y);
    }
}

/* What is to do, or wrong, in the middle of a panel. */
static void draw_to_do(PlotPanel *panel)
{
    char text[(ALL_REDUCES + 1) * 210] = "";
    const char *lines[ALL_REDUCES + 1];
    int n = all_reduces_missing(lines);
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s", i ? "\n" : "",
                 (int)strcspn(lines[i], ":"), lines[i]);
    if (*text)
        plot_note(panel, text);
}

void compare_draw_times(Plot *plot, const Comparison *c, int world, int size)
{
    char link[120], left[80], right[80], bytes[24];
    link_words(link, sizeof link, c);
    bytes_text(bytes, sizeof bytes, 4.0 * c->count[size]);
    snprintf(left, sizeof left, "%d ranks", c->worlds.P[world]);
    snprintf(right, sizeof right, "a vector of %s", bytes);
    plot_begin(plot, 1, 2, "All-reduce · %s · %s", link,
               predicts(c) ? "lines: predicted, dots: measured" : "measured");
    PlotPanel *sizes = plot_cell(plot, 0, 0, left, plot_log("size of the vector (KiB)", 2, 0, 0),
                                 plot_log("time (ms)", 10, 0, 0));
    draw_over_sizes(sizes, c, world);
    PlotPanel *ranks = plot_panel(plot, (PlotAxes){.column = 1,
                                                   .title = right,
                                                   .x = {.label = "ranks P", .log = 2},
                                                   .y = {.label = "time (ms)", .log = 10},
                                                   .no_legend = true});
    draw_over_ranks(ranks, c, size);
    draw_to_do(ranks);
}

/* ---- the map ---- */

enum { MAP_SIZES = 56, MAP_RANKS = 47 }; /* from 2 on */

/* A rectangle per P and size, in the colour of the one that is predicted to be fastest. */
static void draw_predicted(PlotPanel *panel, const Comparison *c, double low, double high)
{
    static double x0[ALL_REDUCES][MAP_SIZES * MAP_RANKS], x1[ALL_REDUCES][MAP_SIZES * MAP_RANKS],
        y0[ALL_REDUCES][MAP_SIZES * MAP_RANKS], y1[ALL_REDUCES][MAP_SIZES * MAP_RANKS];
    int n[ALL_REDUCES] = {0};
    double log_size[ALL_REDUCES] = {0}, log_ranks[ALL_REDUCES] = {0}; /* sums */
    double step = pow(high / low, 1.0 / MAP_SIZES);
    for (int P = 2; P < 2 + MAP_RANKS; P++)
        for (int i = 0; i < MAP_SIZES; i++) {
            double from = low * pow(step, i);
            int a = best_predicted(c, P, from * sqrt(step));
            if (a < 0)
                continue;
            x0[a][n[a]] = from / 1024;
            x1[a][n[a]] = from * step / 1024;
            log_size[a] += log(from);
            log_ranks[a] += log(P);
            y0[a][n[a]] = P - 0.5;
            y1[a][n[a]++] = P + 0.5;
        }
    static const double opacity[ALL_REDUCES] = {0.8, 0.3, 0.5, 0.25, 0.45}; /* apart in grey, too */
    for (int a = 0; a < ALL_REDUCES; a++) {
        if (n[a] == 0)
            continue;
        plot_boxes(panel, n[a], x0[a], x1[a], y0[a], y1[a],
                   (PlotStyle){.label = all_reduces[a].name,
                               .color = plot_series(a),
                               .opacity = opacity[a]});
        /* Its name in the middle of its area, if the area covers its middle. */
        double size = exp(log_size[a] / n[a]), P = exp(log_ranks[a] / n[a]);
        if (best_predicted(c, (int)round(P), size) == a)
            plot_text(panel, size / 1024, P, all_reduces[a].name,
                      (PlotStyle){.color = PLOT_INK, .size = 15});
    }
}

/* A dot where it was measured, in the colour of the fastest. */
static void draw_winners(PlotPanel *panel, const Comparison *c)
{
    for (int w = 0; w < c->worlds.count; w++)
        for (int i = 0; i < c->sizes; i++) {
            int a = best_measured(c, w, i);
            double x = 4.0 * c->count[i] / 1024, y = c->worlds.P[w];
            if (a < 0)
                continue;
            PlotStyle style = {.color = PLOT_WHITE, .shape = (PlotShape)a, .size = 13};
            plot_scatter(panel, 1, &x, &y, style);
            style.color = plot_series(a);
            style.size = 9;
            plot_scatter(panel, 1, &x, &y, style);
        }
}

void compare_draw_map(Plot *plot, const Comparison *c)
{
    char link[120];
    /* ends before the next tick, whose label would be cut off */
    double low = 4.0 * c->count[0] / 2, high = 4.0 * c->count[c->sizes - 1] * 1.9;
    int most = c->worlds.P[c->worlds.count - 1];
    bool known = predicts(c);
    link_words(link, sizeof link, c);
    plot_begin(plot, 1, 1, "Which all-reduce is fastest? · %s", link);
    PlotPanel *panel = plot_cell(plot, 0, 0,
                                 known ? "areas: predicted, dots: measured" : "dots: measured",
                                 plot_log("size of the vector (KiB)", 2, low / 1024, high / 1024),
                                 plot_log("ranks P", 2, 1.8, known ? 1.5 + MAP_RANKS : most + 0.5));
    if (known)
        draw_predicted(panel, c, low, high);
    draw_winners(panel, c);
    draw_to_do(panel);
}

/* ---- the table ---- */

static void report_one(const Comparison *c, Run *run, int a, int w, int i)
{
    const Measured *m = &c->at[a][w][i];
    char bytes[24], text[64] = "";
    double size = 4.0 * c->count[i],
           seconds = a == MPI_S_OWN ? NAN : predicted(c, (Algorithm)a, c->worlds.P[w], size);
    bytes_text(bytes, sizeof bytes, size);
    if (!isnan(seconds))
        snprintf(text, sizeof text, "%13.3f  %5.2f", 1e3 * seconds, m->seconds / seconds);
    run_say(run, "%4d  %8s  %-14s %9.0f  %11.3f  %11.3f%s%s", c->worlds.P[w], bytes,
            all_reduces[a].name, m->messages, m->bytes / 1e6, 1e3 * m->seconds, text,
            m->right ? "" : "  a wrong sum: see make check");
}

void compare_report(const Comparison *c, Run *run)
{
    int last = c->worlds.count - 1;
    run_say(run, "   P      size  all-reduce      messages           MB  measured ms%s",
            predicts(c) ? " predicted ms  ratio" : "");
    for (int i = 0; i<c->sizes; i += c->sizes> 1 ? c->sizes - 1 : 1)
        for (int a = 0; a < COMPARED; a++)
            if (c->at[a][last][i].done)
                report_one(c, run, a, last, i);
    run_say(run,
            "messages, MB: sent by the rank that sends most; MPI_Allreduce sends in its own way");
    run_metrics_header(run, "all_reduce,ranks,bytes,messages,sent,seconds,predicted,right");
    for (int a = 0; a < COMPARED; a++)
        for (int w = 0; w < c->worlds.count; w++)
            for (int i = 0; i < c->sizes; i++) {
                const Measured *m = &c->at[a][w][i];
                double size = 4.0 * c->count[i];
                if (m->done)
                    run_metrics(run, "%s,%d,%.0f,%.0f,%.0f,%.6g,%.6g,%d", all_reduces[a].name,
                                c->worlds.P[w], size, m->messages, m->bytes, m->seconds,
                                a == MPI_S_OWN ? NAN
                                               : predicted(c, (Algorithm)a, c->worlds.P[w], size),
                                m->right);
            }
}
