/* 8_fifteen_steps.c: what happens in one training step? A small residual net trains, data parallel,
 * and every step is taken apart into fifteen: read, transport, pre-process, queue, transport, three
 * parts of the network forward, loss, three parts backward, optimiser, update, return. The figure
 * shows a step of median length on every rank, while training continues; trace.json opens in
 * ui.perfetto.dev. Exercise: exercises/8_busy.c.
 */
#include "background_thread.h"
#include "check.h"
#include "exercise.h"
#include "lab.h"
#include "lab1.h"
#include "live_figure.h"
#include "step/fifteen.h"
#include "timer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 8, SMALLEST = 2, LARGEST = 256 };

typedef struct Choices {
    RunOptions run;
    const char *model;
    int batch, steps, images;
    double rate;
} Choices;

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(c->run),
        {"model", ARG_CHOICE, &c->model, .choices = "resnet8|resnet20|resnet56",
         .help = "residual net to train"},
        {"batch", ARG_INT, &c->batch, .min = SMALLEST, .max = LARGEST,
         .help = "images per rank and step"},
        {"rate", ARG_REAL, &c->rate, .min = 0, .max = 100, .help = "learning rate η"},
        {"steps", ARG_INT, &c->steps, .min = 16, .max = 100000, .help = "steps without a window"},
        {"images", ARG_INT, &c->images, .min = 16, .max = 60000, .help = "training images used"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("8_fifteen_steps", "The fifteen parts of a training step, measured.", table, argc,
               argv);
}

/* What the elements of a Command are. */
enum { STOP, RESTART, BATCH, SHOW, STEP };

typedef struct Session {
    const Choices *c;
    Lab lab;
    Commands commands;
    TimedTraining *training;
    BackgroundThread *thread,
        *own; /* rank 0's training thread, for the window's and for itself; its
                                     * lock guards what follows */
    bool paused, restart;
    int batch, images;
    int64_t most; /* how many steps; 0: until the window is closed */
    StepReport report[MOST_RANKS];
    const char *missing;
} Session;

static void begin_training(Session *s, int batch)
{
    timed_training_free(s->training);
    s->training = timed_training_new(s->lab.comm, s->lab.be, s->lab.data, s->c->model, batch,
                                     s->images, s->c->rate, (uint64_t)s->c->run.seed);
}

/* All ranks' reports of one step, for the figure. */
static void collect(Session *s, int64_t step)
{
    StepReport mine = timed_training_report(s->training, step, !s->missing), all[MOST_RANKS];
    comm_gather_host(s->lab.comm, all, &mine, sizeof mine, 0);
    if (s->lab.comm->rank != 0)
        return;
    background_lock(s->own);
    memcpy(s->report, all, (size_t)s->lab.comm->size * sizeof *all);
    background_unlock(s->own);
}

/* Rank 0's next command. The figure shows a step of median length, a new one every half second;
 * while paused, the newest step. */
static Command next_command(Session *s, bool stop, double *shown)
{
    Command k = {{0}};
    background_lock(s->own);
    bool newest = s->paused && !stop && !s->restart;
    int64_t step = newest ? s->training->steps : timed_training_median_step(s->training);
    k.number[STOP] = stop;
    k.number[RESTART] = s->restart;
    k.number[BATCH] = s->batch;
    k.number[SHOW] = !s->restart && step >= 0 && (timer_real() - *shown > 0.5 || newest || stop);
    k.number[STEP] = (int32_t)step;
    s->restart = false;
    background_unlock(s->own);
    if (k.number[SHOW])
        *shown = timer_real();
    return k;
}

/* Carry out a command. False: it was the last one. */
static bool obey(Session *s, Command k)
{
    if (k.number[RESTART])
        begin_training(s, k.number[BATCH]);
    if (!k.number[STOP])
        timed_training_step(s->training);
    if (k.number[SHOW])
        collect(s, k.number[STEP]);
    return !k.number[STOP];
}

/* Without a window: have all steps been made? */
static bool enough(Session *s)
{
    background_lock(s->own);
    bool all = s->most > 0 && s->training->steps >= s->most;
    background_unlock(s->own);
    return all;
}

/* Rank 0's training thread. */
static void train(void *context, BackgroundThread *b)
{
    Session *s = context;
    double shown = 0;
    s->own = b;
    for (bool more = true; more;) {
        more = background_goes_on(b) && !enough(s);
        more = obey(s, commands_broadcast(&s->commands, next_command(s, !more, &shown)));
    }
}

static void follow(Session *s)
{
    while (obey(s, commands_broadcast(&s->commands, (Command){{0}})))
        ;
}

static void key(Session *s, char key)
{
    background_lock(s->thread);
    int batch = key == '-' ? s->batch / 2 : key == '+' || key == '=' ? 2 * s->batch : s->batch;
    bool fits = batch >= SMALLEST && batch <= LARGEST && batch * s->lab.comm->size <= s->images;
    if (key == 'r' || (batch != s->batch && fits)) {
        s->batch = batch;
        s->restart = true;
    }
    s->paused = key == ' ' ? !s->paused : key == '.' ? true : s->restart ? false : s->paused;
    bool paused = s->paused;
    background_unlock(s->thread);
    if (key == '.')
        background_step(s->thread);
    else
        background_pause(s->thread, paused);
}

static void on_event(void *context, const PlotEvent *e)
{
    if (e->kind == PLOT_KEY)
        key(context, e->key);
}

static void draw(void *context, Plot *plot)
{
    Session *s = context;
    char title[256];
    static StepReport report[MOST_RANKS];
    background_lock(s->thread);
    memcpy(report, s->report, sizeof report);
    snprintf(title, sizeof title, "%s on %s · batch %d per rank · %d rank%s · η = %g", s->c->model,
             s->lab.data->name, s->batch, s->lab.comm->size, s->lab.comm->size == 1 ? "" : "s",
             s->c->rate);
    const char *phase = s->most > 0 ? "end" : s->paused ? "paused" : "running";
    background_unlock(s->thread);
    fifteen_draw(plot, report, s->lab.comm->size, title, phase, s->missing);
}

static void finish(void *context)
{
    Session *s = context;
    background_lock(s->thread);
    s->most = s->c->steps;
    background_unlock(s->thread);
    background_wait(s->thread);
}

/* Of a step, the medians of these parts, in percent. */
static double percent(const StepReport *r, Part from, Part to)
{
    double sum = 0;
    for (Part p = from; p <= to; p++)
        sum += r->spread[p].median;
    return 100 * sum / r->spread[PARTS].median;
}

static void report(Run *run, const Session *s)
{
    const StepReport *r = s->report;
    if (s->missing)
        run_say(run, "to do: %s", s->missing);
    if (!(r->spread[PARTS].median > 0)) {
        run_say(run, "%lld steps: too few for medians", (long long)r->steps);
        return;
    }
    run_say(run, "%lld steps of %.2f ms (median; middle 80 %%: %.2f to %.2f)", (long long)r->steps,
            1000 * r->spread[PARTS].median, 1000 * r->spread[PARTS].low,
            1000 * r->spread[PARTS].high);
    run_say(run, "part of the step, rank 0   median ms    middle 80 %%    fraction");
    run_metrics_header(run, "rank,part,median_ms,low_ms,high_ms,fraction");
    for (int rank = 0; rank < s->lab.comm->size; rank++)
        for (int p = 0; p < PARTS; p++) {
            PartSpread part = r[rank].spread[p];
            double fraction = part.median / r[rank].spread[PARTS].median;
            run_metrics(run, "%d,%s,%.6g,%.6g,%.6g,%.4g", rank, part_names[p], 1000 * part.median,
                        1000 * part.low, 1000 * part.high, fraction);
            char *text = format_new(p <= QUEUE ? "overlapped" : "%.1f %%", 100 * fraction);
            if (rank == 0)
                run_say(run, "%-25s %9.3f  %7.3f–%7.3f  %10s", part_names[p], 1000 * part.median,
                        1000 * part.low, 1000 * part.high, text);
            free(text);
        }
    run_say(run, "of a step: forward %.0f %%, backward %.0f %%; beside it, loading %.1f %%",
            percent(r, FORWARD_1, FORWARD_3), percent(r, BACKWARD_3, BACKWARD_1),
            percent(r, READ, PREPARE));
    if (!s->missing)
        run_say(run,
                "in the step shown, rank 0's training thread computes %.1f %% of the time; its "
                "loader's thread is busy %.1f %%",
                100 * r->computing, 100 * r->loading);
}

/* Rank 0: training on a thread, the figure here. */
static void lead(Session *s)
{
    s->thread = background_start(train, s);
    live_figure_show(s->lab.run, &(LiveFigure){.title = "Lab 1 · fifteen steps",
                                               .png = "fifteen_steps.png",
                                               .context = s,
                                               .draw = draw,
                                               .event = on_event,
                                               .finish = finish});
    background_stop(s->thread);
    report(s->lab.run, s);
}

static void write_timeline(const Session *s)
{
    char *path = run_path(s->lab.run, "trace.json");
    trace_write(s->training->trace, s->lab.comm, path);
    run_say(s->lab.run, "timeline: %s (opens in ui.perfetto.dev)", path);
    free(path);
}

/* Rank 0 reads its data first, then the others. */
static void read_data(Session *s)
{
    lab_data(&s->lab, &s->c->run, &s->commands);
    if (s->lab.comm->rank == 0)
        commands_broadcast(&s->commands, (Command){{0}});
    int count = s->lab.data->train.count;
    s->images = s->c->images < count ? s->c->images : count;
}

static Choices defaults(void)
{
    return (Choices){.run = run_options_default(),
                     .model = "resnet8",
                     .batch = 64,
                     .steps = 100,
                     .images = 10000,
                     .rate = 0.02};
}

int main(int argc, char **argv)
{
    Choices c = defaults();
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    Session s = {.c = &c, .batch = c.batch, .missing = exercise_missing(NULL)};
    Comm *comm = comm_open(c.run.comm);
    REQUIRE(comm->size <= MOST_RANKS, "%d ranks: the figure has room for at most %d", comm->size,
            MOST_RANKS);
    s.lab = lab_open(comm, &c.run);
    s.commands = commands_new(comm, s.lab.be);
    read_data(&s);
    lab_run(&s.lab, "lab1_fifteen_steps", &c.run, table);
    begin_training(&s, c.batch);
    if (comm->rank == 0)
        lead(&s);
    else
        follow(&s);
    write_timeline(&s);
    timed_training_free(s.training);
    commands_free(&s.commands, s.lab.be);
    lab_close(&s.lab);
    return s.missing ? EXIT_TODO : 0;
}
