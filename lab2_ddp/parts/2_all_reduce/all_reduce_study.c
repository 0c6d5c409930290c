/* all_reduce_study.c: see all_reduce_study.h. */
#include "all_reduce_study.h"
#include "live_figure.h"
#include <math.h>
#include <string.h>

/* What the elements of a Command are; WHAT one of these. */
enum { WHAT = 1, ALGORITHM, WORLD, RATIO };
enum { MEASURE, RECORD };

void all_reduce_obey(void *study, Command todo)
{
    static Record record;
    AllReduceStudy *s = study;
    Measured at[MOST_SIZES];
    Comparison *c = &s->compared;
    Comm *comm = s->study.lab->comm;
    const int32_t *k = todo.number;
    int a = k[ALGORITHM], w = k[WORLD];
    if (k[WHAT] == RECORD)
        record_all_reduce(&record, (Algorithm)a, w, pow(2, k[RATIO]), comm);
    else
        for (int i = 0; i < c->sizes; i++)
            at[i] = measure(all_reduces[a].call, c->count[i], &c->worlds, w, c->link, comm);
    if (comm->rank != 0)
        return;
    study_lock(&s->study, true);
    if (k[WHAT] == MEASURE) {
        memcpy(c->at[a][w], at, sizeof at);
        s->measured = w * COMPARED + a + 1;
        run_progress(s->study.lab->run, "measured", s->measured, COMPARED * c->worlds.count,
                     "lines", "");
    } else {
        s->record = record;
        s->time = 0;
    }
    study_lock(&s->study, false);
}

/* Is another record wanted than the one that is shown? */
static bool wants_record(const AllReduceStudy *s)
{
    const Record *r = &s->record;
    return !exercise_missing(all_reduces[s->algorithm].exercise) &&
           (!r->done || r->algorithm != s->algorithm || r->P != s->P ||
            r->vector != r->latency * pow(2, s->ratio));
}

bool all_reduce_next(const void *study, Command *todo)
{
    const AllReduceStudy *s = study;
    int i = s->measured, all = COMPARED * s->compared.worlds.count;
    if (wants_record(s)) {
        *todo = (Command){{0, RECORD, (int)s->algorithm, s->P, s->ratio}};
        return true;
    }
    while (i < all && exercise_missing(all_reduces[i % COMPARED].exercise))
        i++;
    *todo = (Command){{0, MEASURE, i % COMPARED, i / COMPARED}};
    return i < all;
}

/* A latency takes a second. */
void all_reduce_advance(void *study, double seconds)
{
    AllReduceStudy *s = study;
    if (s->playing)
        s->time += seconds * s->record.latency;
    if (s->time >= s->record.end) {
        s->time = s->record.end;
        s->playing = false;
    }
}

static void draw_page(const AllReduceStudy *s, Page page, Plot *plot)
{
    if (page == PAGE_STEPS) {
        Record empty = {.algorithm = s->algorithm, .P = s->P, .latency = 1, .vector = 1};
        bool shown = s->record.done && s->record.algorithm == s->algorithm;
        /* In the figure without a window the ring is half way. */
        double time = s->study.leave ? 0.6 * s->record.end : s->time;
        record_draw(plot, shown ? &s->record : &empty, time,
                    exercise_missing(all_reduces[s->algorithm].exercise),
                    "digits: the ranks whose elements are in the sum · yellow: all of them · "
                    "pink: on its way · red: one is in it twice");
    } else if (page == PAGE_TIMES)
        compare_draw_times(plot, &s->compared, s->world, s->size);
    else
        compare_draw_map(plot, &s->compared);
}

void all_reduce_draw(const void *study, Plot *plot)
{
    const AllReduceStudy *s = study;
    draw_page(s, s->page, plot);
}

void all_reduce_report(const void *study)
{
    static const char *const files[PAGES] = {"steps.png", "times.png", "map.png"};
    const AllReduceStudy *s = study;
    Run *run = s->study.lab->run;
    Plot *plot = plot_new(1280, 720);
    for (Page page = PAGE_STEPS; page < PAGES; page++) {
        draw_page(s, page, plot);
        run_figure(run, plot, files[page]);
    }
    plot_free(plot);
    const char *lines[ALL_REDUCES + 1];
    int missing = all_reduces_missing(lines);
    for (int i = 0; i < missing; i++)
        run_say(run, "to do: %s", lines[i]);
    compare_report(&s->compared, run);
}
