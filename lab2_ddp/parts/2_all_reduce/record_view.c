/* record_view.c: see record.h. */
#include "record.h"
#include <math.h>
#include <stdio.h>

static const double TALL = 0.23, WIDE = 0.46; /* half a cell */

/* How many ranks are in this sum. */
static int ranks_in(float sum, int P)
{
    int in = 0;
    for (int p = 0; p < P; p++)
        in += record_parts(sum, p) > 0;
    return in;
}

/* The ranks that are in it: "0+2+3"; one that is in it twice, twice. */
static void parts_text(char *text, size_t room, float sum, int P)
{
    size_t at = 0;
    *text = 0;
    for (int p = 0; p < P; p++)
        for (int k = 0; k < record_parts(sum, p) && k < 2; k++)
            at += (size_t)snprintf(text + at, room - at, "%s%d", at ? "+" : "", p);
}

static bool is_twice(float sum, int P)
{
    for (int p = 0; p < P; p++)
        if (record_parts(sum, p) > 1)
            return true;
    return false;
}

static void draw_cell(PlotPanel *panel, int P, int rank, int chunk, float sum)
{
    char text[4 * MOST_SEEN + 1];
    int in = ranks_in(sum, P);
    double x0 = chunk - WIDE, x1 = chunk + WIDE, y = P - 1 - rank, y0 = y - TALL, y1 = y + TALL;
    bool twice = is_twice(sum, P);
    plot_boxes(panel, 1, &x0, &x1, &y0, &y1,
               (PlotStyle){.color = twice ? plot_series(1)
                                          : plot_map_color(PLOT_VIRIDIS, 0.15 + 0.8 * in / P),
                           .opacity = 1});
    parts_text(text, sizeof text, sum, P);
    plot_text(panel, chunk - WIDE * 0.85, y, text,
              (PlotStyle){.size = P > 6 ? 11
                                : P > 4 ? 13
                                        : 16,
                          .color = in > P / 2 ? PLOT_INK : PLOT_WHITE});
}

/* A message that is on its way: a box over its chunks, between the two rows; what goes down keeps
 * left, what goes up right. */
static void draw_message(PlotPanel *panel, int P, const MessageSeen *m, double time)
{
    double on = (time - m->leaves) / (m->arrived - m->leaves);
    if (!(on > 0 && on < 1))
        return;
    int first = m->first < 0 ? 0 : m->first, count = m->first < 0 ? P : m->count;
    bool down = m->to > m->from;
    double middle = first + (count - 1) / 2.0 + (down ? -0.2 : 0.2), half = count / 2.0 - 0.3,
           from = P - 1 - m->from, at = from + on * (m->from - m->to),
           edge = down ? fmax(from - TALL, at) : fmin(from + TALL, at), x[] = {middle, middle},
           y[] = {edge, at}, x0 = middle - half, x1 = middle + half, y0 = at - 0.09, y1 = at + 0.09;
    uint32_t color = plot_series(3);
    plot_line(panel, 2, x, y, (PlotStyle){.color = color, .width = 2, .opacity = 0.7});
    plot_boxes(panel, 1, &x0, &x1, &y0, &y1, (PlotStyle){.color = color, .opacity = 0.9});
}

static void draw_chunks(Plot *plot, const Record *r, double time, const char *missing)
{
    static const char *const ranks[] = {"rank 0", "rank 1", "rank 2", "rank 3",
                                        "rank 4", "rank 5", "rank 6", "rank 7"};
    static const char *const chunks[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    const char *rows[MOST_SEEN];
    for (int p = 0; p < r->P; p++)
        rows[r->P - 1 - p] = ranks[p];
    PlotPanel *panel =
        plot_panel(plot, (PlotAxes){.columns = 3,
                                    .title = "Whose elements are in each chunk's sum",
                                    .x = plot_names("chunk of the vector", chunks, r->P, 0.6),
                                    .y = plot_names(NULL, rows, r->P, 0.6),
                                    .no_legend = true});
    for (int p = 0; r->done && p < r->P; p++)
        for (int k = 0; k < r->P; k++)
            draw_cell(panel, r->P, p, k, record_vector(r, p, time)[k]);
    for (int i = 0; r->done && i < r->messages; i++)
        draw_message(panel, r->P, &r->message[i], time);
    if (missing)
        plot_note(panel, missing);
}

/* What each rank's card has sent so far, in whole vectors. */
static void draw_sent(Plot *plot, const Record *r, double time)
{
    double x0[MOST_SEEN] = {0}, sent[MOST_SEEN] = {0}, y0[MOST_SEEN], y1[MOST_SEEN],
           all[MOST_SEEN] = {0}, most = 1;
    for (int i = 0; i < r->messages; i++) {
        const MessageSeen *m = &r->message[i];
        double whole = (double)m->count / r->P, lasts = r->vector * whole;
        sent[m->from] += whole * fmin(fmax((time - m->leaves) / lasts, 0), 1);
        all[m->from] += whole;
        most = fmax(most, all[m->from]);
    }
    for (int p = 0; p < r->P; p++) {
        y0[p] = r->P - 1 - p - TALL;
        y1[p] = r->P - 1 - p + TALL;
    }
    static const char *const none[] = {""};
    PlotPanel *panel = plot_panel(
        plot, (PlotAxes){.column = 3,
                         .title = "Vectors sent; grey: still to send",
                         .x = {.label = "whole vectors", .low = 0, .high = 1.05 * most},
                         .y = {.names = none, .names_count = 1, .low = -0.6, .high = r->P - 0.4},
                         .no_legend = true});
    plot_boxes(panel, r->P, x0, all, y0, y1, (PlotStyle){.color = PLOT_GREY, .opacity = 0.25});
    plot_boxes(panel, r->P, x0, sent, y0, y1, (PlotStyle){.color = plot_series(0), .opacity = 1});
}

void record_draw(Plot *plot, const Record *r, double time, const char *missing, const char *footer)
{
    plot_begin(plot, 1, 4, "All-reduce, %s · %d ranks · n·β = %g α · at %.3g α of %.3g α",
               all_reduces[r->algorithm].name, r->P, r->vector / r->latency,
               fmin(time, r->end) / r->latency, r->end / r->latency);
    draw_chunks(plot, r, time, missing);
    draw_sent(plot, r, time);
    plot_footer(plot, "%s", footer);
}
