/* parallel_view.c: a timeline for each scheme, all on one scale, and a table of what it costs. */
#include "parallel_study.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const rank_names[MOST_RANKS] = {"rank 0", "rank 1", "rank 2", "rank 3"};
static const char *const kind_names[] = {"forward", "backward", "update", "exchange"};

typedef struct Boxes {
    int n;
    double x0[MOST_EVENTS * MOST_RANKS], x1[MOST_EVENTS * MOST_RANKS], y0[MOST_EVENTS * MOST_RANKS],
        y1[MOST_EVENTS * MOST_RANKS];
} Boxes;

static int colour_of(EventKind kind) { return kind > EVENT_UPDATE ? 3 : (int)kind; }

/* Rank 0 on top; milliseconds. */
static void add_event(Boxes *b, const Outcome *o, int rank, const Event *event, double clock)
{
    double x1 = fmin(event->ended, clock);
    if (event->began >= x1)
        return;
    b->x0[b->n] = 1000 * event->began;
    b->x1[b->n] = 1000 * x1;
    b->y0[b->n] = o->ranks - 1 - rank - 0.42;
    b->y1[b->n++] = o->ranks - 1 - rank + 0.42;
}

/* The micro-batch's number, where there is room; digit: width of a digit, ms. */
static void number(PlotPanel *panel, const Outcome *o, double clock, double digit)
{
    for (int r = 0; r < o->ranks; r++)
        for (int i = 0; i < o->log[r].count; i++) {
            const Event *event = &o->log[r].event[i];
            char text[16];
            if (event->kind > EVENT_BACKWARD || event->ended > clock ||
                1000 * (event->ended - event->began) < 1.3 * digit * (event->micro < 9 ? 1 : 2))
                continue;
            snprintf(text, sizeof text, "%d", event->micro + 1);
            plot_text(panel,
                      500 * (event->began + event->ended) -
                          digit * (event->micro < 9 ? 0.85 : 1.35),
                      o->ranks - 1 - r, text, (PlotStyle){.size = 11, .color = PLOT_WHITE});
        }
}

static void describe(const Outcome *o, char *text, size_t room)
{
    int n = snprintf(text, room, "%s", o->scheme.name);
    if (!o->done)
        snprintf(text + n, room - n, "%s", o->missing ? "" : ": not yet measured");
    else if (o->ranks > 1 && !isnan(outcome_idle(o)))
        snprintf(text + n, room - n, ": idle %.0f %%", 100 * outcome_idle(o));
}

/* columns: of panels beside each other; 1: it is drawn large */
static void draw_timeline(Plot *plot, const Outcome *o, PlotAxes axes, double scale, double clock,
                          int columns)
{
    bool large = columns == 1;
    static Boxes boxes;
    char title[96];
    describe(o, title, sizeof title);
    axes.title = title;
    if (o->missing) {
        axes.x.label = axes.y.label = "";
        plot_note(plot_panel(plot, axes), o->missing);
        return;
    }
    axes.x = (PlotAxis){.label = large ? "time in one update (ms)" : "ms", .low = 0, .high = scale};
    axes.y = (PlotAxis){.low = -0.6, .high = (o->done ? o->ranks : 1) - 0.4};
    const char *names[MOST_RANKS];
    for (int r = 0; r < o->ranks; r++)
        names[o->ranks - 1 - r] = rank_names[r];
    axes.y.names = names;
    axes.y.names_count = o->ranks;
    PlotPanel *panel = plot_panel(plot, axes);
    for (int c = 0; o->done && c < 4; c++) {
        boxes.n = 0;
        for (int r = 0; r < o->ranks; r++)
            for (int i = 0; i < o->log[r].count; i++)
                if (colour_of(o->log[r].event[i].kind) == c)
                    add_event(&boxes, o, r, &o->log[r].event[i], clock);
        plot_boxes(panel, boxes.n, boxes.x0, boxes.x1, boxes.y0, boxes.y1,
                   (PlotStyle){.label = kind_names[c],
                               .color = plot_phase(kind_names[c]),
                               .opacity = 1});
    }
    if (columns < 4 && o->done && o->scheme.stages > 1 && o->scheme.micros > 1)
        number(panel, o, clock, 7 * scale / (1240.0 / columns - 100));
    if (isfinite(clock))
        plot_rule_x(panel, 1000 * clock, (PlotStyle){.color = PLOT_INK, .width = 1});
}

/* ---- the table ---- */

enum { COLUMNS = 8 };
static const char *const headings[COLUMNS] = {"exchanged",     "MB per rank",
                                              "images kept",   "loss error",
                                              "weights error", "idle (by formula)",
                                              "ms, own cores", "ms, this machine"};

static void cell(const Outcome *o, int batch, int column, char *text, size_t room)
{
    double most = 0, bubble = outcome_bubble(&o->scheme);
    bool agree = true;
    for (int r = 0; r < o->ranks; r++) {
        most = fmax(most, o->bytes[r]);
        agree &= o->bytes[r] == o->expected[r];
    }
    switch (column) {
    case 0: snprintf(text, room, "%s", o->scheme.exchanged); break;
    case 1: snprintf(text, room, "%.3f%s", most / 1e6, agree ? "" : ", NOT the formula's"); break;
    case 2: snprintf(text, room, "%d", outcome_kept(o, 0, batch)); break;
    case 3: snprintf(text, room, "%.1e", o->loss_error); break;
    case 4: snprintf(text, room, "%.1e", o->weights_error); break;
    case 5:
        if (isnan(outcome_idle(o)))
            snprintf(text, room, "–");
        else if (isnan(bubble))
            snprintf(text, room, "%.1f %%", 100 * outcome_idle(o));
        else
            snprintf(text, room, "%.1f %%  (%.1f %%)", 100 * outcome_idle(o), 100 * bubble);
        break;
    case 6: snprintf(text, room, "%.1f", 1000 * o->end); break;
    default: snprintf(text, room, "%.1f", 1000 * o->wall);
    }
}

static void draw_table(Plot *plot, const Outcome *out, int batch, int schemes, int columns)
{
    static const char *const nothing[] = {""};
    const char *names[MOST_SCHEMES];
    for (int i = 0; i < schemes; i++)
        names[schemes - 1 - i] = out[i].scheme.name;
    PlotPanel *panel = plot_panel(
        plot,
        (PlotAxes){
            .row = 4,
            .rows = 3,
            .columns = columns,
            .x = {.names = nothing, .names_count = 1, .low = -0.5, .high = COLUMNS - 0.5},
            .y = {.names = names, .names_count = schemes, .low = -0.6, .high = schemes + 0.6}});
    for (int c = 0; c < 4; c++) /* the timelines' colours, in one legend */
        plot_boxes(panel, 0, NULL, NULL, NULL, NULL,
                   (PlotStyle){.label = kind_names[c], .color = plot_phase(kind_names[c])});
    for (int c = 0; c < COLUMNS; c++)
        plot_text(panel, c - 0.35, schemes, headings[c],
                  (PlotStyle){.size = 12.5, .color = PLOT_INK});
    for (int i = 0; i < schemes; i++)
        for (int c = 0; c < (out[i].done ? COLUMNS : out[i].missing != NULL); c++) {
            char text[64] = "to do";
            if (out[i].done)
                cell(&out[i], batch, c, text, sizeof text);
            plot_text(panel, c - 0.35, schemes - 1 - i, text,
                      (PlotStyle){.size = 12.5, .color = PLOT_INK});
        }
}

static void begin(const ParallelStudy *s, Plot *plot, int columns)
{
    int ranks = s->study.lab->comm->size;
    plot_begin(plot, 7, columns,
               "%d dense layers of %d on %s · batch %d in %d micro-batches · η = %g · %d rank%s",
               2 * s->blocks, s->width, dataset_title(s->task.data), s->batch, s->micros, s->rate,
               ranks, ranks == 1 ? "" : "s");
    if (ranks == 1)
        plot_footer(plot, "one rank: nothing to split; use 2, 3 or 4: make lab1 ONLY=9_three NP=4");
    else
        plot_footer(plot, "as if each rank had its own core · idle: exchanging or waiting · %s",
                    s->missing[USES_BUSY] ? s->missing[USES_BUSY]
                                          : "error: largest relative difference from one rank");
}

void parallel_draw(const void *study, Plot *plot)
{
    const ParallelStudy *s = study;
    const Outcome *out = s->out;
    int schemes = s->schemes, chosen = s->chosen;
    double scale = 1e-3;
    for (int i = schemes > 1; i < schemes; i++)
        scale = fmax(scale, out[i].done ? 1010 * out[i].end : 0);
    if (schemes == 1 && out[0].done)
        scale = 1010 * out[0].end;
    int first = schemes > 1, shown = schemes - first,
        columns = shown > 6 ? 4
                : shown > 4 ? 3
                : shown > 1 ? 2
                            : 1;
    begin(s, plot, columns);
    if (chosen >= 0 && chosen < schemes)
        draw_timeline(plot, &out[chosen],
                      (PlotAxes){.rows = 4, .columns = columns, .no_legend = true},
                      fmax(scale, 1010 * out[chosen].end), s->clock, 1);
    else
        for (int i = 0; i < shown; i++)
            draw_timeline(plot, &out[first + i],
                          (PlotAxes){.row = 2 * (i / columns),
                                     .column = i % columns,
                                     .rows = shown == 1 ? 4 : 2,
                                     .no_legend = true},
                          scale, s->clock, columns);
    draw_table(plot, out, s->batch, schemes, columns);
}
