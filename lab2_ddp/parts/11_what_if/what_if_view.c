/* what_if_view.c: the calculator's figure and its table. */
#include "check.h"
#include "what_if.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const format_names[FORMATS] = {"FP32", "mixed precision"};

/* "1.9 M" */
static void text_of(char *text, size_t room, double value, const char *unit)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    int i = 0;
    for (; i < 5 && value >= 999.5; i++)
        value /= 1000;
    snprintf(text, room, "%.3g %s%s", value, prefix[i], unit);
}

static void seconds_text(char *text, size_t room, double s)
{
    if (s < 1e-3)
        snprintf(text, room, "%.3g µs", 1e6 * s);
    else if (s < 1)
        snprintf(text, room, "%.3g ms", 1e3 * s);
    else
        snprintf(text, room, "%.4g s", s);
}

char *what_if_title(const WhatIf *w)
{
    char link[40], n[32];
    link_text(link, sizeof link, w->link);
    text_of(n, sizeof n, w->net.parameters, "");
    char *stage = w->stage ? format_new(" · ZeRO %d", w->stage) : format_new("%s", "");
    char *title = format_new("%s, %s parameters · %d × %s, batch %d each, %s · %s%s%s%s",
                             w->net.name, n, w->P, w->machine.name, w->batch,
                             format_names[w->format], link, w->remedy ? " · " : "",
                             w->remedy ? remedy_names[w->remedy] : "", stage);
    free(stage);
    return title;
}

void what_if_lines(const WhatIf *w, char line[WHAT_IF_LINES][WHAT_IF_ROOM])
{
    StepCost c = step_cost(w);
    char a[32], b[32], d[32], e[32], f[32];
    seconds_text(a, sizeof a, c.seconds);
    seconds_text(b, sizeof b, c.seconds * (1 - c.efficiency));
    snprintf(line[0], WHAT_IF_ROOM,
             "an update takes %s, %s of it for the network: efficiency %.1f %%", a, b,
             100 * c.efficiency);
    text_of(a, sizeof a, c.samples, "samples/s");
    text_of(b, sizeof b, c.wire, "B");
    snprintf(line[1], WHAT_IF_ROOM, "%s, %.4g times one rank's; a rank sends %s per update", a,
             w->P * c.efficiency, b);
    text_of(a, sizeof a, c.parameters, "B");
    text_of(b, sizeof b, c.gradients, "B");
    text_of(d, sizeof d, c.state, "B");
    text_of(e, sizeof e, c.activations, "B");
    text_of(f, sizeof f, c.parameters + c.gradients + c.state + c.activations, "B");
    snprintf(line[2], WHAT_IF_ROOM,
             "a rank holds %s: parameters %s, gradient %s, state %s, activations %s", f, a, b, d,
             e);
}

/* ---- the panels ---- */

/* Both panels of lines have the same colours, which the first lists, in two columns. */
static PlotStyle line_of(const WhatIf *w, int remedy, bool listed)
{
    return (PlotStyle){.color = plot_series(remedy),
                       .dashed = remedy % 2,
                       .width = remedy == (int)w->remedy ? 4 : 1.5,
                       .label = listed ? remedy_names[remedy] : NULL};
}

static void draw_ranks(const WhatIf *w, Plot *plot)
{
    enum { SIZES = 13 };
    double x[SIZES], y[SIZES], here = w->P, now = 100 * step_cost(w).efficiency;
    PlotPanel *panel = plot_cell(plot, 0, 0, "Efficiency against ranks",
                                 plot_log("ranks P", 2, 0.8, 5000),
                                 plot_axis("efficiency (%)", 0, 105));
    for (int r = 0; r < REMEDIES; r++) {
        WhatIf other = *w;
        other.remedy = r;
        if (!step_possible(&other) || (r == REMEDY_BF16 && w->format == FORMAT_MIXED))
            continue; /* mixed: as none */
        for (int i = 0; i < SIZES; i++) {
            other.P = 1 << i;
            x[i] = other.P;
            y[i] = 100 * step_cost(&other).efficiency;
        }
        plot_line(panel, SIZES, x, y, line_of(w, r, true));
    }
    plot_scatter(panel, 1, &here, &now,
                 (PlotStyle){.label = "chosen", .color = PLOT_INK, .size = 12});
}

static void draw_bandwidths(const WhatIf *w, Plot *plot)
{
    enum { STEPS = 80 };
    double x[STEPS], y[STEPS], here = 8 * w->link.bandwidth / 1e9, now = step_cost(w).seconds;
    PlotPanel *panel = plot_cell(plot, 0, 1, "An update against bandwidth (same colours)",
                                 plot_log("bandwidth (Gbit/s)", 10, 0.009, 1e4),
                                 plot_log("time (s)", 10, 0, 0));
    for (int r = 0; r < REMEDIES; r++) {
        WhatIf other = *w;
        other.remedy = r;
        if (!step_possible(&other) || (r == REMEDY_BF16 && w->format == FORMAT_MIXED))
            continue; /* mixed: as none */
        for (int i = 0; i < STEPS; i++) {
            x[i] = 0.01 * pow(10, i * 6.0 / (STEPS - 1));
            other.link.bandwidth = x[i] * 1e9 / 8;
            y[i] = step_cost(&other).seconds;
        }
        plot_line(panel, STEPS, x, y, line_of(w, r, false));
    }
    plot_scatter(panel, 1, &here, &now, (PlotStyle){.color = PLOT_INK, .size = 12});
}

static void draw_memory(const WhatIf *w, Plot *plot)
{
    static const char *const stages[ZERO_STAGES] = {"ZeRO 0", "1", "2", "3"};
    static const char *const parts[] = {"parameters", "gradient", "optimiser", "activations"};
    static const int colours[] = {0, 4, 2, 6}; /* as in Part 10 */
    double x0[ZERO_STAGES], x1[ZERO_STAGES], top[ZERO_STAGES] = {0}, base[ZERO_STAGES], most = 0;
    double part[4][ZERO_STAGES];
    for (int s = 0; s < ZERO_STAGES; s++) {
        WhatIf other = *w;
        other.stage = s;
        StepCost c = step_cost(&other);
        double v[] = {c.parameters, c.gradients, c.state, c.activations};
        for (int k = 0; k < 4; k++)
            part[k][s] = v[k] / 1e9;
        most = fmax(most, (v[0] + v[1] + v[2] + v[3]) / 1e9);
        x0[s] = s - (s == (int)w->stage ? 0.42 : 0.25);
        x1[s] = s + (s == (int)w->stage ? 0.42 : 0.25);
    }
    PlotPanel *panel = plot_cell(plot, 0, 2, "Memory (wide: the chosen stage)",
                                 plot_names("stage", stages, ZERO_STAGES, 0.6),
                                 plot_axis("memory (GB)", 0, 1.08 * most));
    for (int k = 0; k < 4; k++) {
        for (int s = 0; s < ZERO_STAGES; s++) {
            base[s] = top[s];
            top[s] += part[k][s];
        }
        plot_boxes(panel, ZERO_STAGES, x0, x1, base, top,
                   (PlotStyle){.color = plot_series(colours[k]), .label = parts[k]});
    }
}

void what_if_draw(const WhatIf *w, Plot *plot)
{
    char line[WHAT_IF_LINES][WHAT_IF_ROOM];
    char *title = what_if_title(w);
    what_if_lines(w, line);
    plot_begin(plot, 1, 3, "%s", title);
    draw_ranks(w, plot);
    draw_bandwidths(w, plot);
    draw_memory(w, plot);
    plot_footer(plot, "%s · %s", line[0], line[1]);
    free(title);
}
