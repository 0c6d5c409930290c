/* 2_all_reduce.c: five all-reduces, made of messages: seen at work, chunk by chunk; timed on a
 * network of your choice for P = 2 … 32 ranks, beside what the α-β model predicts; and which of
 * them is fastest for which size and P. With --link none: how fast they are on this machine, beside
 * MPI_Allreduce. Exercises: exercises/2a_all_reduce_naive.c to 2f_all_reduce_seconds.c.
 */
#include "all_reduce/compare.h"
#include "all_reduce/record.h"
#include "all_reduce/record_view.h"
#include "background_thread.h"
#include "check.h"
#include "command.h"
#include "exercise.h"
#include "lab2.h"
#include "live_figure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Choices {
    RunOptions run;
    const char *link, *clock;
    int largest; /* KiB */
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {LINK_OPTIONS(c->link, c->clock),
                              {"largest", ARG_INT, &c->largest, .min = 4, .max = 65536,
                               .help = "the longest vector, KiB"},
                              {"out", ARG_STRING, &c->run.out, .help = "folder for results"},
                              {0}};
    OPTIONS_KEEP(table, options);
    args_parse("2_all_reduce", "Five all-reduces, seen, timed and predicted.", table, argc, argv);
    if (!strcmp(c->link, "none"))
        args_otherwise(table, "clock", "real");
}

/* What the elements of a Command are; WHAT one of these. */
enum { WHAT, ALGORITHM, WORLD, RATIO };
enum { STOP, MEASURE, RECORD };

typedef enum { STEPS, TIMES, MAP, PAGES } Page;

typedef struct Session {
    Comm *comm;
    Run *run;
    Backend *be;
    Commands commands;
    BackgroundThread *thread; /* rank 0's, which talks to the other ranks; its lock guards what
                               * follows */
    Comparison compared;
    Record record;
    Page page;
    Algorithm algorithm; /* wanted in the record, */
    int P, ratio;        /* with so many ranks, and a vector of 2^ratio latencies */
    int world, size;     /* of the times */
    double time;         /* of the record that is shown, s */
    bool playing, leave; /* leave: without a window, stop when everything is done */
} Session;

/* ---- the work, on all ranks ---- */

/* Do what rank 0 commands. False: stop. */
static bool obey(Session *s, BackgroundThread *own, Command k)
{
    static Record record;
    Measured at[MOST_SIZES];
    Comparison *c = &s->compared;
    int a = k.number[ALGORITHM], w = k.number[WORLD];
    if (k.number[WHAT] == STOP)
        return false;
    if (k.number[WHAT] == RECORD)
        record_all_reduce(&record, (Algorithm)a, w, pow(2, k.number[RATIO]), s->comm);
    else
        for (int i = 0; i < c->sizes; i++)
            at[i] = measure(all_reduces[a].call, c->count[i], &c->worlds, w, c->link, s->comm);
    if (s->comm->rank != 0)
        return true;
    background_lock(own);
    if (k.number[WHAT] == MEASURE)
        memcpy(c->at[a][w], at, sizeof at);
    else {
        s->record = record;
        s->time = 0;
    }
    background_unlock(own);
    return true;
}

static void follow(Session *s)
{
    while (obey(s, NULL, commands_broadcast(&s->commands, (Command){{0}})))
        ;
}

/* Is another record wanted than the one that is shown? */
static bool wants_record(const Session *s)
{
    const Record *r = &s->record;
    return !exercise_missing(all_reduces[s->algorithm].exercise) &&
           (!r->done || r->algorithm != s->algorithm || r->P != s->P ||
            r->vector != r->latency * pow(2, s->ratio));
}

/* The next thing to do: a record that somebody waits for, then what is not measured yet. */
static Command next_command(Session *s, int *measured)
{
    const Comparison *c = &s->compared;
    if (wants_record(s))
        return (Command){{RECORD, (int)s->algorithm, s->P, s->ratio}};
    for (; *measured < COMPARED * c->worlds.count; ++*measured)
        if (!exercise_missing(all_reduces[*measured % COMPARED].exercise))
            return (Command){{MEASURE, *measured % COMPARED, *measured / COMPARED}};
    return (Command){{STOP}};
}

/* Rank 0's thread: everything once; then the records that are asked for. */
static void work(void *context, BackgroundThread *b)
{
    Session *s = context;
    int measured = 0, all = COMPARED * s->compared.worlds.count;
    for (bool on = true; on && background_goes_on(b);) {
        background_lock(b);
        Command k = next_command(s, &measured);
        on = k.number[WHAT] != STOP || !s->leave;
        background_unlock(b);
        if (k.number[WHAT] == STOP) {
            usleep(10000);
            continue;
        }
        obey(s, b, commands_broadcast(&s->commands, k));
        if (k.number[WHAT] == MEASURE)
            run_progress(s->run, "measured", ++measured, all, "lines", "");
    }
    commands_broadcast(&s->commands, (Command){{STOP}});
}

/* ---- the window ---- */

static const PlotKey keys[] = {{"1 2 3", "the chunks; times; which is fastest where"},
                               {"space", "start or stop the clock"},
                               {". ,", "one step forward, one back"},
                               {"a", "another algorithm"},
                               {"- +", "fewer, more ranks"},
                               {"[ ]", "shorter, longer vectors"},
                               {"r", "from the start"},
                               {"s", "save the figure"},
                               {"F11", "full screen"},
                               {"q", "quit"},
                               {NULL, NULL}};

/* One step of the record on (1) or back (-1). */
static void step(Session *s, int way)
{
    const Record *r = &s->record;
    double nearest = way > 0 ? r->end : 0;
    for (int i = 0; i < r->steps; i++) {
        bool ahead = way > 0 ? r->step[i] > s->time * (1 + 1e-9)
                             : r->step[i] < s->time * (1 - 1e-9);
        if (ahead && (way > 0 ? r->step[i] < nearest : r->step[i] > nearest))
            nearest = r->step[i];
    }
    s->time = nearest;
    s->playing = false;
}

static void key_of_steps(Session *s, char key)
{
    int P = s->P + (key == '+' || key == '=') - (key == '-');
    int most = s->comm->size < MOST_SEEN ? s->comm->size : MOST_SEEN;
    switch (key) {
    case ' ':
        s->playing = !s->playing;
        s->time = s->playing && s->time >= s->record.end ? 0 : s->time;
        break;
    case '.': step(s, 1); break;
    case ',': step(s, -1); break;
    case 'a': s->algorithm = (s->algorithm + 1) % ALL_REDUCES; break;
    case '[': s->ratio = s->ratio > -4 ? s->ratio - 1 : s->ratio; break;
    case ']': s->ratio = s->ratio < 6 ? s->ratio + 1 : s->ratio; break;
    case 'r': s->time = 0; break;
    }
    s->P = P >= 2 && P <= most ? P : s->P;
}

static void key_of_times(Session *s, char key)
{
    int world = s->world + (key == '+' || key == '=') - (key == '-'),
        size = s->size + (key == ']') - (key == '[');
    s->world = world >= 0 && world < s->compared.worlds.count ? world : s->world;
    s->size = size >= 0 && size < s->compared.sizes ? size : s->size;
}

static void on_event(void *context, const PlotEvent *e)
{
    Session *s = context;
    if (e->kind != PLOT_KEY)
        return;
    background_lock(s->thread);
    if (e->key >= '1' && e->key < '1' + PAGES)
        s->page = e->key - '1';
    else if (s->page == STEPS)
        key_of_steps(s, e->key);
    else if (s->page == TIMES)
        key_of_times(s, e->key);
    background_unlock(s->thread);
}

/* A latency takes a second. */
static void advance(void *context, double seconds)
{
    Session *s = context;
    background_lock(s->thread);
    if (s->playing)
        s->time += seconds * s->record.latency;
    if (s->time >= s->record.end) {
        s->time = s->record.end;
        s->playing = false;
    }
    background_unlock(s->thread);
}

/* In the figure without a window the ring is half way. */
static void finish(void *context)
{
    Session *s = context;
    background_lock(s->thread);
    s->leave = true;
    background_unlock(s->thread);
    background_wait(s->thread);
    s->time = 0.6 * s->record.end;
}

static void draw(void *context, Plot *plot)
{
    Session *s = context;
    background_lock(s->thread);
    if (s->page == STEPS) {
        Record empty = {.algorithm = s->algorithm, .P = s->P, .latency = 1, .vector = 1};
        bool shown = s->record.done && s->record.algorithm == s->algorithm;
        record_draw(
            plot, shown ? &s->record : &empty, s->time,
            exercise_missing(all_reduces[s->algorithm].exercise),
            "digits: the ranks whose elements are in the sum · yellow: all of them, red: one "
            "is in it twice · 2: times, 3: the map");
    } else if (s->page == TIMES)
        compare_draw_times(plot, &s->compared, s->world, s->size,
                           "- +: ranks in the left panel · [ ]: size in the right one · 1: chunks, "
                           "3: the map");
    else
        compare_draw_map(plot, &s->compared, "1: chunks, 2: times");
    background_unlock(s->thread);
}

/* The other pages are files, too. */
static void save_pages(Session *s)
{
    static const char *const files[PAGES] = {"steps.png", "times.png", "map.png"};
    Plot *plot = plot_new(1280, 720);
    for (s->page = STEPS; s->page < PAGES; s->page++) {
        draw(s, plot);
        run_figure(s->run, plot, files[s->page]);
    }
    plot_free(plot);
}

/* Rank 0: the work on a thread, the figure here. */
static void lead(Session *s)
{
    s->thread = background_start(work, s);
    live_figure_show(s->run, &(LiveFigure){.title = "Lab 2 · all-reduce",
                                           .png = "all_reduce.png",
                                           .context = s,
                                           .keys = keys,
                                           .draw = draw,
                                           .event = on_event,
                                           .advance = advance,
                                           .finish = finish});
    save_pages(s);
    background_stop(s->thread);
    const char *lines[ALL_REDUCES + 1];
    int missing = all_reduces_missing(lines);
    for (int i = 0; i < missing; i++)
        run_say(s->run, "to do: %s", lines[i]);
    compare_report(&s->compared, s->run);
}

static void session_begin(Session *s, const Choices *c, Option *table)
{
    char link[80];
    Comparison *k = &s->compared;
    REQUIRE(s->comm->size > 1, "one rank has nothing to reduce: make lab2 ONLY=2_all_reduce NP=8");
    s->P = s->comm->size < 4 ? s->comm->size : 4;
    link_text(link, sizeof link, k->link);
    json_t *facts = json_pack("{s:s, s:s, s:i}", "network", link, "clock",
                              link_virtual() ? "virtual" : "real", "ranks", s->comm->size);
    s->run = run_open("lab2_all_reduce", &c->run, table, facts, s->comm->rank == 0);
    k->worlds = worlds_new(s->comm->size);
    for (int kib = 1; kib <= c->largest && k->sizes < MOST_SIZES; kib *= 4)
        k->count[k->sizes++] = kib * 1024 / (int)sizeof(float);
    s->world = k->worlds.count - 1;
    s->size = k->sizes - 1;
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(),
                 .link = "1Gbit/s,50us",
                 .clock = "virtual",
                 .largest = 1024};
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    static Session s = {.algorithm = ALL_REDUCE_RING, .page = STEPS};
    link_choose(c.link, c.clock);
    s.comm = comm_open("mpi");
    s.compared.link = link_now_used();
    link_set((Link){.bandwidth = INFINITY}); /* until something is measured */
    s.be = backend_open("cpu", 0, 1, 1);
    s.commands = commands_new(s.comm, s.be);
    session_begin(&s, &c, table);
    if (s.comm->rank == 0)
        lead(&s);
    else
        follow(&s);
    worlds_free(&s.compared.worlds);
    commands_free(&s.commands, s.be);
    run_close(s.run);
    backend_close(s.be);
    comm_close(s.comm);
    return exercise_missing(NULL) ? EXIT_TODO : 0;
}
