/* timeline_figure.c: a few updates of a timeline: one row per rank and track, one box per span. */
#include "timeline_figure.h"
#include "check.h"
#include "file.h"
#include "number.h"
#include "plot.h"
#include "quantiles.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, NAMES = 12, MOST_RANKS = 1 << 16, TRACKS = 16 };

static const size_t MOST_BYTES = (size_t)1 << 31;

typedef struct Span {
    const char *name;
    int rank, track;
    double start, end; /* milliseconds */
} Span;

typedef struct Timeline {
    json_t *json;
    int spans, rows, names;
    Span *span;
    struct {
        int rank, track;
    } row[ROWS];
    const char *label[ROWS], *name[NAMES]; /* rows, bottom to top; span names in order of
                                            * appearance */
} Timeline;

static const char *text_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

/* A complete event ("X") as a span; false: it is not one of ours. */
static bool read_span(Span *span, const json_t *event)
{
    int64_t rank, track;
    double start, lasted;
    bool good = number_json_whole(&rank, json_object_get(event, "pid"), 0, MOST_RANKS) &&
                number_json_whole(&track, json_object_get(event, "tid"), 0, TRACKS - 1) &&
                number_json_real(&start, json_object_get(event, "ts"), 0, 1e18) &&
                number_json_real(&lasted, json_object_get(event, "dur"), 0, 1e18);
    if (good)
        *span = (Span){text_of(event, "name"), (int)rank, (int)track, start / 1000,
                       (start + lasted) / 1000};
    return good;
}

static void read_spans(Timeline *t, const char *path)
{
    json_error_t error = {.text = "no timeline"};
    char *bytes;
    size_t size, i;
    char *wrong = file_read(&bytes, &size, path, MOST_BYTES);
    REQUIRE(!wrong, "%s", wrong);
    t->json = json_loadb(bytes, size, 0, &error);
    const json_t *events = json_object_get(t->json, "traceEvents"), *e;
    REQUIRE(json_is_array(events), "%s: %s", path, error.text);
    t->span = alloc(json_array_size(events) + 1, sizeof *t->span);
    json_array_foreach (events, i, e)
        if (!strcmp(text_of(e, "ph"), "X"))
            REQUIRE(read_span(&t->span[t->spans++], e), "%s: event %zu is not a span", path, i);
    free(bytes);
}

/* `updates` consecutive updates of rank 0, from the end of the one before: of all such windows one
 * that took the median time, so that a hiccup of the machine does not pass for the rule. */
static void choose_window(const Timeline *t, int updates, double *from, double *to)
{
    double *ends = alloc(t->spans + 1, sizeof *ends), *times = alloc(t->spans + 1, sizeof *times);
    int n = 0, count = 0;
    for (int i = 0; i < t->spans; i++)
        if (t->span[i].rank == 0 && !strcmp(t->span[i].name, "update"))
            ends[n++] = t->span[i].end;
    for (; count + updates < n; count++)
        times[count] = ends[count + updates] - ends[count];
    sort_ascending(times, count);
    *from = 0;
    *to = INFINITY;
    for (int i = 0; i < count; i++)
        if (ends[i + updates] - ends[i] == times[count / 2]) {
            *from = ends[i];
            *to = ends[i + updates];
        }
    free(ends);
    free(times);
}

static bool inside(const Span *s, double from, double to) { return s->end > from && s->start < to; }

static int row_of(Timeline *t, int rank, int track)
{
    int i = 0;
    while (i < t->rows && (t->row[i].rank != rank || t->row[i].track != track))
        i++;
    if (i == t->rows && t->rows < ROWS) {
        t->row[i].rank = rank;
        t->row[i].track = track;
        t->rows++;
    }
    return i;
}

static void list_names(Timeline *t, double from, double to)
{
    for (int i = 0; i < t->spans; i++) {
        int k = 0;
        while (k < t->names && strcmp(t->name[k], t->span[i].name))
            k++;
        if (inside(&t->span[i], from, to) && k == t->names && k < NAMES)
            t->name[t->names++] = t->span[i].name;
    }
}

/* Rank 0 on top; within a rank the data track, then compute, then communication: the order in which
 * a step passes through them. */
static void list_rows(Timeline *t, double from, double to)
{
    static const int order[] = {1, 0, 2}; /* bottom to top */
    int ranks = 0;
    for (int i = 0; i < t->spans; i++)
        ranks = t->span[i].rank >= ranks ? t->span[i].rank + 1 : ranks;
    for (int rank = ranks - 1; rank >= 0; rank--)
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < t->spans; i++)
                if (t->span[i].rank == rank && t->span[i].track == order[k] &&
                    inside(&t->span[i], from, to))
                    row_of(t, rank, order[k]);
    static const char *tracks[] = {"compute", "communication", "data"};
    for (int i = 0; i < t->rows; i++)
        t->label[i] = format_new("rank %d · %s", t->row[i].rank, tracks[t->row[i].track]);
}

/* All spans of one name, as boxes in one colour. */
static void draw_name(Timeline *t, PlotPanel *panel, int name, double from, double to)
{
    double *box[4], least = isfinite(to) ? 0.002 * (to - from) : 0;
    int n = 0;
    for (int k = 0; k < 4; k++)
        box[k] = alloc(t->spans + 1, sizeof **box);
    for (int i = 0; i < t->spans; i++) {
        const Span *s = &t->span[i];
        if (strcmp(s->name, t->name[name]) || !inside(s, from, to) || s->track > 2)
            continue;
        int row = row_of(t, s->rank, s->track);
        box[0][n] = fmax(s->start, from) - from;
        box[1][n] = fmax(fmin(s->end, to) - from, box[0][n] + least); /* to be seen */
        box[2][n] = row - 0.4;
        box[3][n++] = row + 0.4;
    }
    plot_boxes(panel, n, box[0], box[1], box[2], box[3],
               (PlotStyle){.label = t->name[name],
                           .color = plot_phase(t->name[name]),
                           .opacity = 1});
    for (int k = 0; k < 4; k++)
        free(box[k]);
}

bool timeline_figure(const char *trace, const char *png, const char *title, int updates)
{
    Timeline t = {0};
    double from, to;
    read_spans(&t, trace);
    choose_window(&t, updates, &from, &to);
    list_names(&t, from, to);
    list_rows(&t, from, to);
    Plot *plot = plot_new(1280, t.rows > 8 ? 240 + 60 * t.rows : 720);
    plot_begin(plot, 1, 1, "%s", title);
    PlotPanel *panel = plot_panel(
        plot,
        (PlotAxes){
            .x = {.label = "time (ms)", .low = 0, .high = isfinite(to) ? 1.02 * (to - from) : NAN},
            .y = {.names = t.label, .names_count = t.rows, .low = -0.6, .high = t.rows - 0.4}});
    for (int k = 0; k < t.names; k++)
        draw_name(&t, panel, k, from, to);
    char *wrong = plot_write(plot, png);
    REQUIRE(!wrong || !plot_has_cairo, "no figure: %s", wrong);
    if (wrong)
        note("no figure: %s", wrong);
    plot_free(plot);
    for (int i = 0; i < t.rows; i++)
        free((char *)t.label[i]);
    free(t.span);
    json_decref(t.json);
    free(wrong);
    return plot_has_cairo;
}
