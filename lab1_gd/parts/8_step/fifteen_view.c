/* fifteen_view.c: one step's timeline, with a row for each of its fifteen parts, and next to it
 * what each part costs. */
#include "fifteen_study.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BOXES = 2 * MOST_LAYERS };
static const double ROW = 0.8; /* of a row's height, for the lanes of all ranks */

typedef struct Boxes {
    int n;
    double x0[MOST_BOXES], x1[MOST_BOXES], y0[MOST_BOXES], y1[MOST_BOXES];
} Boxes;

typedef struct Frame { /* of the timeline: milliseconds since `zero` */
    double zero, low, high;
} Frame;

/* The top of a rank's lane in a part's row. Part 1 is on top. */
static double lane_top(int part, int rank, int ranks)
{
    return PARTS - 1 - part + ROW / 2 - ROW * rank / ranks;
}

/* A span as a box, wide enough to be seen. */
static void add(Boxes *b, const Frame *f, Span s, int part, int rank, int ranks)
{
    double least = (f->high - f->low) / 350, x0 = 1000 * (s.began - f->zero),
           x1 = fmax(1000 * (s.ended - f->zero), x0 + least);
    if (s.ended == 0 || x1 < f->low || x0 > f->high || b->n == MOST_BOXES)
        return;
    b->x0[b->n] = fmax(x0, f->low);
    b->x1[b->n] = fmin(x1, f->high);
    b->y1[b->n] = lane_top(part, rank, ranks);
    b->y0[b->n++] = lane_top(part, rank, ranks) - ROW / ranks * 0.92;
}

static void show(const Boxes *b, PlotPanel *panel, PlotStyle style)
{
    plot_boxes(panel, b->n, b->x0, b->x1, b->y0, b->y1, style);
}

/* A layer's box ends a little early, to set it apart from the next. */
static void add_layers(Boxes *b, const Frame *f, const StepReport *r, int rank, int ranks)
{
    for (int backward = 0; backward < 2; backward++)
        for (int i = 0; i < r->layers; i++) {
            Span s = r->record.layer[backward][i];
            s.ended -= fmin(0.3 * (s.ended - s.began), (f->high - f->low) / 700 / 1000);
            add(b, f, s, backward ? BACKWARD_1 - r->part_of[i] : FORWARD_1 + r->part_of[i], rank,
                ranks);
        }
}

static void draw_rank(PlotPanel *panel, const Frame *f, const StepReport *r, int rank, int ranks)
{
    char label[32];
    uint32_t color = plot_series(rank);
    Boxes own = {0}, later = {0}, waits = {0};
    for (int p = 0; p < PARTS; p++)
        if (!(p >= FORWARD_1 && p <= FORWARD_3) && !(p >= BACKWARD_3 && p <= BACKWARD_1))
            add(&own, f, r->record.part[p], p, rank, ranks);
    add_layers(&own, f, r, rank, ranks);
    for (int i = 0; i < LATER; i++)
        for (int p = 0; p < QUEUE; p++)
            add(&later, f, r->record.later[i][p], p, rank, ranks);
    if (r->record.waits.ended - r->record.waits.began > 1e-4)
        add(&waits, f, r->record.waits, TO_NETWORK, rank, ranks);
    snprintf(label, sizeof label, "rank %d", rank);
    show(&later, panel, (PlotStyle){.color = color, .opacity = 0.5});
    show(&waits, panel, (PlotStyle){.color = PLOT_INK, .opacity = 0.6});
    show(&own, panel, (PlotStyle){.color = color, .opacity = 1, .label = label});
}

static PlotAxis rows(void)
{
    static const char *names[PARTS];
    for (int p = 0; p < PARTS; p++)
        names[PARTS - 1 - p] = part_names[p];
    return (PlotAxis){.names = names, .names_count = PARTS, .low = -0.6, .high = PARTS - 0.4};
}

static void draw_timeline(Plot *plot, const StepReport *r, int ranks)
{
    Frame f = {.zero = r[0].record.whole.began};
    for (int i = 0; i < ranks; i++) {
        f.low = fmin(f.low, 1000 * (r[i].record.whole.began - f.zero));
        f.high = fmax(f.high, 1000 * (r[i].record.whole.ended - f.zero) * 1.01);
    }
    f.low -= 0.06 * f.high;
    PlotPanel *panel = plot_panel(
        plot,
        (PlotAxes){.columns = 3,
                   .title = "The median of the last 31 steps (pale: later batches)",
                   .x = {.label = "time since the step began (ms)", .low = f.low, .high = f.high},
                   .y = rows()});
    plot_rule_x(panel, 0, (PlotStyle){.color = PLOT_GREY, .dashed = true, .width = 1});
    for (int i = 0; i < ranks; i++)
        draw_rank(panel, &f, &r[i], i, ranks);
}

/* "12.3 ms  34 %"; parts 1 to 4 overlap with the step. */
static void cost_text(char *text, size_t room, const StepReport *r, int part)
{
    double ms = 1000 * r->spread[part].median,
           fraction = r->spread[part].median / r->spread[PARTS].median;
    if (part == QUEUE)
        snprintf(text, room, "ready %.*f ms early", ms < 10 ? 2 : 1, ms);
    else if (part < QUEUE)
        snprintf(text, room, "%.*f ms, overlapped", ms < 10 ? 2 : 1, ms);
    else
        snprintf(text, room, "%.*f ms  %.*f %%", ms < 10 ? 2 : 1, ms, fraction < 0.0995 ? 1 : 0,
                 100 * fraction);
}

/* One rank's bars: the median, and as a line the middle 80 %. Pale, as in the timeline: what
 * overlaps with the step. A batch that waits in the queue costs nothing. */
static void draw_bars(PlotPanel *panel, const StepReport *r, int rank, int ranks, const Frame *f)
{
    Boxes bars = {0}, later = {0}, spreads = {0};
    for (int p = 0; p < PARTS; p++) {
        PartSpread s = r->spread[p];
        if (p == QUEUE)
            continue;
        double middle = lane_top(p, rank, ranks) - 0.46 * ROW / ranks;
        add(p < QUEUE ? &later : &bars, f, (Span){0, s.median}, p, rank, ranks);
        spreads.x0[spreads.n] = 1000 * s.low;
        spreads.x1[spreads.n] = 1000 * s.high;
        spreads.y0[spreads.n] = middle - 0.05;
        spreads.y1[spreads.n++] = middle + 0.05;
    }
    show(&later, panel, (PlotStyle){.color = plot_series(rank), .opacity = 0.3});
    show(&bars, panel, (PlotStyle){.color = plot_series(rank), .opacity = 1});
    show(&spreads, panel, (PlotStyle){.color = PLOT_INK, .opacity = 1});
}

static void draw_costs(Plot *plot, const StepReport *r, int ranks)
{
    static const char *const numbers[PARTS] = {"15", "14", "13", "12", "11", "10", "9", "8",
                                               "7",  "6",  "5",  "4",  "3",  "2",  "1"};
    double most = 0;
    for (int i = 0; i < ranks; i++)
        for (int p = 0; p < PARTS; p++)
            most = p == QUEUE ? most : fmax(most, 1000 * r[i].spread[p].high);
    Frame f = {.high = 1.8 * most};
    PlotPanel *panel = plot_panel(
        plot, (PlotAxes){
                  .column = 3,
                  .columns = 2,
                  .title = ranks > 1 ? "Median and middle 80 % (numbers: rank 0)"
                                     : "Over all steps: median, middle 80 %, fraction",
                  .x = {.label = "time per step (ms)", .low = 0, .high = f.high},
                  .y = {.names = numbers, .names_count = PARTS, .low = -0.6, .high = PARTS - 0.4}});
    for (int i = 0; i < ranks; i++)
        draw_bars(panel, &r[i], i, ranks, &f);
    for (int p = 0; p < PARTS; p++) {
        char text[64];
        cost_text(text, sizeof text, &r[0], p);
        plot_text(panel, 1.04 * most, PARTS - 1 - p, text,
                  (PlotStyle){.size = 12, .color = PLOT_INK});
    }
}

static double percent_of(const StepReport *r, Span s)
{
    return 100 * (s.ended - s.began) / (r->record.whole.ended - r->record.whole.began);
}

/* Rank 0's times in the step that is drawn. */
static void describe(char *text, size_t room, const StepReport *r, const char *phase,
                     const char *missing)
{
    int n = snprintf(text, room, "step %lld of %lld: %.2f ms", (long long)r->step,
                     (long long)r->steps, 1000 * (r->record.whole.ended - r->record.whole.began));
    if (missing) {
        snprintf(text + n, room - n, " · %s · the time computed: %s", phase, missing);
        return;
    }
    if (isfinite(r->computing))
        n += snprintf(text + n, room - n,
                      " · rank 0 computes %.0f %% of the time, its loader works %.0f %%",
                      100 * r->computing, 100 * r->loading);
    snprintf(text + n, room - n,
             " · waits for its batch %.1f %%, all-reduce %.1f %% · loss %.3f · %s",
             percent_of(r, r->record.waits), percent_of(r, r->record.part[OPTIMISER]), r->loss,
             phase);
}

void fifteen_draw(const void *study, Plot *plot)
{
    const FifteenStudy *s = study;
    const Lab *lab = s->study.lab;
    const StepReport *r = s->report;
    int ranks = lab->comm->size;
    char text[400];
    plot_begin(plot, 1, 5, "%s on %s · batch %d per rank · %d rank%s · η = %g", s->model,
               dataset_title(lab->data), s->batch, ranks, ranks == 1 ? "" : "s", s->rate);
    if (r[0].steps == 0) {
        PlotPanel *panel = plot_panel(plot, (PlotAxes){.columns = 5,
                                                       .x.label = "time since the step began (ms)",
                                                       .y = rows()});
        plot_note(panel, "the first steps are in progress …");
        return;
    }
    draw_timeline(plot, r, ranks);
    draw_costs(plot, r, ranks);
    describe(text, sizeof text, r,
             s->study.leave    ? "end"
             : s->study.paused ? "paused"
                               : "running",
             s->study.missing);
    plot_footer(plot, "%s", text);
}
