/* 9_three_parallelisms.c: one network, split in three ways over 2 to 4 ranks: by data, by layers (a
 * pipeline, with and without micro-batches) and by slices of its weights (tensor parallel); on 4
 * ranks also two ways at once. Each gives the result of one rank, up to rounding. The figure shows
 * when each rank computes, exchanges and waits; the table shows what that costs. Exercises:
 * exercises/9a_pipeline_turn.c, 9b_column_shard.c, 8_busy.c.
 */
#include "background_thread.h"
#include "check.h"
#include "exercise.h"
#include "lab.h"
#include "lab1.h"
#include "live_figure.h"
#include "parallel/parallel_run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Choices {
    RunOptions run;
    int width, blocks, batch, micros, updates;
    double rate;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {RUN_OPTIONS(c->run),
                              {"width", ARG_INT, &c->width, .min = 16, .max = 4096,
                               .help = "inputs and outputs of each dense layer"},
                              {"blocks", ARG_INT, &c->blocks, .min = 2, .max = (MLP_LAYERS - 1) / 2,
                               .help = "blocks of two dense layers"},
                              {"batch", ARG_INT, &c->batch, .min = 1, .max = 65536,
                               .help = "images per update, on all ranks together"},
                              {"micro", ARG_INT, &c->micros, .min = 1, .max = MLP_MICROS,
                               .help = "micro-batches of the pipelines"},
                              {"updates", ARG_INT, &c->updates, .min = 1, .max = MOST_UPDATES,
                               .help = "updates of each scheme"},
                              {"rate", ARG_REAL, &c->rate, .min = 0, .max = 100,
                               .help = "learning rate η"},
                              {0}};
    OPTIONS_KEEP(table, options);
    args_parse("9_three_parallelisms", "Data, pipeline and tensor parallelism side by side.", table,
               argc, argv);
}

enum { BUSY, TURN, SHARD, USES };
static const char *const uses[USES] = {"8_busy", "9a_pipeline_turn", "9b_column_shard"};

/* What the elements of a Command are. */
enum { STOP, SCHEME, MICROS };

typedef struct Session {
    const Choices *c;
    Lab lab;
    Task task;
    Commands commands;
    BackgroundThread *thread, *own; /* rank 0's working thread, for the window's and for itself; its
                                     * lock guards what follows */
    Outcome out[MOST_SCHEMES];
    int schemes, micros, wanted; /* wanted: how many times all schemes were requested */
    bool drawn;                  /* the window has shown its first frame */
    bool leave;                  /* without a window: stop when all schemes are measured */
    int chosen;                  /* the scheme that is drawn large; -1: all */
    double clock;                /* the clock that the keys move, s */
    bool playing;
    const char *missing[USES]; /* by exercise, a line for the window; NULL: it is there */
} Session;

/* ---- the work ---- */

/* Why some scheme cannot cut the batch evenly, a new string; NULL: all can. */
static char *uneven(const Choices *c, int ranks, int micros)
{
    Scheme list[MOST_SCHEMES];
    int n = schemes_list(list, ranks, micros);
    for (int i = 0; i < n; i++)
        if (c->batch % (list[i].replicas * list[i].micros))
            return format_new(
                "--batch=%d: '%s' cannot cut it into %d equal parts: take a multiple of %d",
                c->batch, list[i].name, list[i].replicas * list[i].micros,
                list[i].replicas * list[i].micros);
    return NULL;
}

/* The exercise that this scheme still needs, as a line; NULL: none. */
static const char *missing_for(const Session *s, const Scheme *scheme)
{
    return scheme->stages > 1 ? s->missing[TURN] : scheme->shards > 1 ? s->missing[SHARD] : NULL;
}

static bool may_continue(void *context) { return background_goes_on(((Session *)context)->own); }

/* Run the scheme that rank 0 names. False: stop. */
static bool obey(Session *s, Command k)
{
    Scheme list[MOST_SCHEMES];
    static Outcome out;
    if (k.number[STOP])
        return false;
    schemes_list(list, s->lab.comm->size, k.number[MICROS]);
    if (!task_run(&s->task, &list[k.number[SCHEME]], &out))
        return s->lab.comm->rank != 0; /* rank 0 sends the last command */
    if (s->lab.comm->rank != 0)
        return true;
    background_lock(s->own);
    s->out[k.number[SCHEME]] = out;
    background_unlock(s->own);
    return true;
}

/* The other ranks leave the cores to the window until its first frame is drawn; then they read
 * their data. */
static void wait_for_window(Session *s, BackgroundThread *b)
{
    for (bool waits = true; waits && background_goes_on(b);) {
        usleep(1000);
        background_lock(b);
        waits = !s->drawn && !s->leave;
        background_unlock(b);
    }
    commands_broadcast(&s->commands, (Command){{0}});
}

/* All schemes in turn, each time they are requested. */
static void work(void *context, BackgroundThread *b)
{
    Session *s = context;
    bool on = true;
    s->own = b;
    wait_for_window(s, b);
    for (int done = 0; on && background_goes_on(b);) {
        background_lock(b);
        int wanted = s->wanted, micros = s->micros;
        bool leave = s->leave && done == wanted;
        background_unlock(b);
        if (leave)
            break;
        if (done == wanted) {
            usleep(10000);
            continue;
        }
        Scheme list[MOST_SCHEMES];
        schemes_list(list, s->lab.comm->size, micros);
        char note[48];
        snprintf(note, sizeof note, "micro-batches %d", micros);
        run_progress(s->lab.run, "measured", 0, s->schemes, "schemes", note);
        for (int i = 0; on && i < s->schemes; i++) {
            if (!missing_for(s, &list[i]))
                on = obey(s, commands_broadcast(&s->commands, (Command){{0, i, micros}}));
            if (on)
                run_progress(s->lab.run, "measured", i + 1, s->schemes, "schemes", note);
        }
        done = wanted;
    }
    commands_broadcast(&s->commands, (Command){{true}});
}

static void follow(Session *s)
{
    while (obey(s, commands_broadcast(&s->commands, (Command){{0}})))
        ;
}

/* ---- the window ---- */

static const PlotKey keys[] = {{"space", "start or stop the clock"},
                               {". ,", "clock one step forward, one back"},
                               {"- +", "fewer, more micro-batches"},
                               {"1 … 7", "one scheme alone, in the table's order"},
                               {"0", "all schemes"},
                               {"r", "measure again"},
                               {"s", "save the figure"},
                               {"F11", "full screen"},
                               {"q", "quit"},
                               {NULL, NULL}};

static void again(Session *s, int micros)
{
    Scheme list[MOST_SCHEMES];
    schemes_list(list, s->lab.comm->size, micros);
    for (int i = 0; i < s->schemes; i++)
        s->out[i] = (Outcome){.scheme = list[i], .missing = missing_for(s, &list[i])};
    s->micros = micros;
    s->wanted++;
    s->clock = INFINITY;
    s->playing = false;
}

/* The next number of micro-batches, up or down, that cuts the batch evenly; the same if there is no
 * other. */
static int other_micros(const Session *s, int step)
{
    for (int m = s->micros + step; m >= 1 && m <= MLP_MICROS; m += step) {
        char *why = uneven(s->c, s->lab.comm->size, m);
        free(why);
        if (!why)
            return m;
    }
    return s->micros;
}

/* When the longest schedule that is shown ends, s; 0: none is measured yet. (One rank alone is
 * shown only when chosen.) */
static double end_shown(const Session *s)
{
    double end = 0;
    for (int i = s->schemes > 1; i < s->schemes; i++)
        end = fmax(end, s->out[i].done ? s->out[i].end : 0);
    return s->chosen < 0 ? end : s->out[s->chosen].done ? s->out[s->chosen].end : 0;
}

static void key(Session *s, char key)
{
    double end = end_shown(s), tick = end / 40, now = isfinite(s->clock) ? s->clock : end;
    int micros = key == '-'               ? other_micros(s, -1)
               : key == '+' || key == '=' ? other_micros(s, 1)
                                          : s->micros;
    if (key == 'r' || micros != s->micros)
        again(s, micros);
    else if (key >= '0' && key < '1' + s->schemes)
        s->chosen = key - '1';
    else if (end == 0) /* nothing is measured yet */
        return;
    else if (key == '.' || key == ',') {
        s->clock = fmax(0, fmin(end, now + (key == '.' ? tick : -tick)));
        s->playing = false;
    } else if (key == ' ') {
        s->playing = !s->playing;
        s->clock = now >= end ? 0 : now;
    }
}

static void on_event(void *context, const PlotEvent *e)
{
    Session *s = context;
    background_lock(s->thread);
    if (e->kind == PLOT_KEY)
        key(s, e->key);
    background_unlock(s->thread);
}

/* The clock takes ten seconds for the longest schedule. */
static void advance(void *context, double seconds)
{
    Session *s = context;
    background_lock(s->thread);
    double end = end_shown(s);
    if (s->playing)
        s->clock += seconds * end / 10;
    if (s->playing && s->clock >= end) {
        s->clock = INFINITY;
        s->playing = false;
    }
    background_unlock(s->thread);
}

static void finish(void *context)
{
    Session *s = context;
    background_lock(s->thread);
    s->leave = true;
    background_unlock(s->thread);
    background_wait(s->thread);
}

static void draw(void *context, Plot *plot)
{
    Session *s = context;
    const Choices *c = s->c;
    static Outcome out[MOST_SCHEMES];
    char title[256], text[256];
    background_lock(s->thread);
    s->drawn = true;
    memcpy(out, s->out, sizeof out);
    int chosen = s->chosen, schemes = s->schemes;
    double clock = s->clock;
    background_unlock(s->thread);
    snprintf(
        title, sizeof title,
        "%d dense layers of %d on %s · batch %d · η = %g · %d rank%s, as if each had its own core",
        2 * c->blocks, c->width, s->task.data->name, c->batch, c->rate, s->lab.comm->size,
        s->lab.comm->size == 1 ? "" : "s");
    if (s->lab.comm->size == 1)
        snprintf(text, sizeof text,
                 "one rank: nothing to split; use 2, 3 or 4: make lab1 ONLY=9_three NP=4");
    else
        snprintf(
            text, sizeof text,
            "blue: forward, orange: backward, green: update, pink: exchange, blank: waiting · %s",
            s->missing[BUSY] ? s->missing[BUSY]
                             : "error: largest relative difference from one rank");
    parallel_draw(plot, out, schemes, chosen, clock, title, text);
}

static void report(const Session *s)
{
    Run *run = s->lab.run;
    run_say(run, "scheme            exchanged       loss     error   weights error   MB/rank    "
                 "formula    idle  bubble      ms  ms here");
    run_metrics_header(run, "scheme,micro,rank,bytes,bytes_expected,idle,bubble,loss,loss_error,"
                            "weights_error,ms,ms_here");
    for (int i = 0; i < s->schemes; i++) {
        const Outcome *o = &s->out[i];
        if (!o->done)
            continue;
        double bytes = 0, expected = 0;
        for (int r = 0; r < o->ranks; r++) {
            bytes = fmax(bytes, o->bytes[r]);
            expected = fmax(expected, o->expected[r]);
            run_metrics(run, "%s,%d,%d,%.17g,%.17g,%.5g,%.5g,%.9g,%.3g,%.3g,%.5g,%.5g",
                        o->scheme.name, o->scheme.micros, r, o->bytes[r], o->expected[r],
                        o->idle[r], outcome_bubble(&o->scheme), o->loss, o->loss_error,
                        o->weights_error, 1000 * o->end, 1000 * o->wall);
        }
        char *bubble = isnan(outcome_bubble(&o->scheme))
                         ? format_new("     –") /* one column, three bytes */
                         : format_new("%.1f %%", 100 * outcome_bubble(&o->scheme));
        double fraction = outcome_idle(o);
        char *idle = isnan(fraction) ? format_new("     –") : format_new("%.1f %%", 100 * fraction);
        run_say(run, "%-17s %-12s %7.4f  %8.1e  %14.1e %9.4f  %9.4f  %6s  %6s %7.1f  %7.1f",
                o->scheme.name, o->scheme.exchanged, o->loss, o->loss_error, o->weights_error,
                bytes / 1e6, expected / 1e6, idle, bubble, 1000 * o->end, 1000 * o->wall);
        free(bubble);
        free(idle);
    }
}

/* Rank 0: the work on a thread, the figure here. */
static void lead(Session *s)
{
    Run *run = s->lab.run;
    s->thread = background_start(work, s);
    live_figure_show(run, &(LiveFigure){.title = "Lab 1 · three parallelisms",
                                        .png = "three_parallelisms.png",
                                        .context = s,
                                        .keys = keys,
                                        .draw = draw,
                                        .event = on_event,
                                        .advance = advance,
                                        .finish = finish});
    background_stop(s->thread);
    for (int i = 0; i < USES; i++)
        if (s->missing[i])
            run_say(run, "to do: %s", s->missing[i]);
    report(s);
}

static Choices defaults(void)
{
    Choices c = {.run = run_options_default(),
                 .width = 768,
                 .blocks = 2,
                 .batch = 192,
                 .micros = 6,
                 .updates = 4,
                 .rate = 0.02};
    c.run.threads = 1; /* a rank stands for a device */
    return c;
}

/* The network and its first list of schemes. */
static void session_begin(Session *s)
{
    const Choices *c = s->c;
    Comm *comm = s->lab.comm;
    char *why = uneven(c, comm->size, c->micros);
    REQUIRE(!why, "%s", why);
    REQUIRE(c->batch <= s->lab.data->train.count, "--batch=%d is above the %d training images",
            c->batch, s->lab.data->train.count);
    MlpSpec spec = {c->width, c->blocks, s->lab.data->classes, (uint64_t)c->run.seed};
    s->task = task_new(comm, s->lab.be, s->lab.data, spec, c->batch, c->updates, c->rate);
    s->task.may_continue = may_continue;
    s->task.context = s;
    Scheme list[MOST_SCHEMES];
    s->schemes = schemes_list(list, comm->size, c->micros);
    s->task.busy = !s->missing[BUSY];
    again(s, c->micros);
}

int main(int argc, char **argv)
{
    Choices c = defaults();
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    static Session s; /* its logs are too large for the stack */
    s = (Session){.c = &c, .chosen = -1};
    int status = 0;
    for (int i = 0; i < USES; i++) {
        s.missing[i] = exercise_missing(uses[i]);
        status = s.missing[i] ? EXIT_TODO : status;
    }
    Comm *comm = comm_open(c.run.comm);
    REQUIRE(comm->size <= MOST_RANKS,
            "%d ranks: this program splits its network over 2, 3 or 4 (1: nothing is split)",
            comm->size);
    s.lab = lab_open(comm, &c.run);
    s.commands = commands_new(comm, s.lab.be);
    lab_data(&s.lab, &c.run, &s.commands);
    lab_run(&s.lab, "lab1_three_parallelisms", &c.run, table);
    session_begin(&s);
    if (comm->rank == 0)
        lead(&s);
    else
        follow(&s);
    task_free(&s.task);
    commands_free(&s.commands, s.lab.be);
    lab_close(&s.lab);
    return status;
}
