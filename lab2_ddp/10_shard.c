/* 10_shard.c: to train what does not fit: ZeRO 1, 2 and 3 shard the optimiser's state, the gradient
 * and the parameters over the ranks; activation checkpointing and accumulation save activations.
 * The figure shows a rank's memory, predicted and counted, and what each remedy costs in bytes or
 * time. Exercises: exercises/10a_rank_costs.c to 10g_recompute.c.
 */
#include "check.h"
#include "exercise.h"
#include "lab.h"
#include "link.h"
#include "live_figure.h"
#include "shard/shard_study.h"
#include "timer.h"

typedef struct Session {
    ShardStudy study;
    RunOptions run;
    const char *link, *clock;
    double redraw; /* when the figure is drawn next */
    bool paused;
} Session;

static void parse(Session *c, Option *table, int argc, char **argv)
{
    ShardStudy *s = &c->study;
    const Option options[] = {
        RUN_OPTIONS(c->run),
        LINK_OPTIONS(c->link, c->clock),
        {"model", ARG_STRING, &s->model, .help = "the network that is sharded: mlp, resnet8 …"},
        {"hidden", ARG_STRING, &s->hidden, .help = "mlp: the sizes of its hidden layers"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096,
         .help = "images per rank and micro-batch"},
        {"updates", ARG_INT, &s->updates, .min = 1, .max = SHARD_UPDATES,
         .help = "updates of each setting"},
        {"deep", ARG_STRING, &s->deep, .help = "the network whose activations are saved"},
        {"deep-batch", ARG_INT, &s->deep_batch, .min = 1, .max = 4096, .help = "its images"},
        GUESS_OPTION(s->guess, "MB on a rank, stage 3, on all ranks"),
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("10_shard", "Less memory per rank: ZeRO, activation checkpointing, accumulation.",
               table, argc, argv);
    args_only(table, "hidden", !strcmp(s->model, "mlp"), "--model mlp");
    guess_check(&s->guess);
}

/* ---- the window ---- */

static const PlotKey keys[] = {{"space", "pause, resume"},
                               {"s", "save the figure"},
                               {"F11", "full screen"},
                               {"q", "quit"},
                               {NULL, NULL}};

static void draw(void *context, Plot *plot)
{
    Session *s = context;
    if (s->study.thread)
        background_lock(s->study.thread);
    shard_draw(&s->study, plot);
    if (s->study.thread)
        background_unlock(s->study.thread);
}

/* It changes only when a setting is done: drawn four times a second. */
static bool changed(void *context)
{
    Session *s = context;
    bool due = timer_real() >= s->redraw;
    if (due)
        s->redraw = timer_real() + 0.25;
    return due;
}

static void on_event(void *context, const PlotEvent *e)
{
    Session *s = context;
    if (e->kind == PLOT_KEY && e->key == ' ' && s->study.thread)
        background_pause(s->study.thread, s->paused = !s->paused);
}

static void finish(void *context)
{
    Session *s = context;
    if (s->study.thread)
        background_wait(s->study.thread);
}

/* Rank 0: the work on a thread, the figure here. */
static void lead(Session *s)
{
    Run *run = s->study.lab->run;
    s->study.thread = s->study.missing ? NULL : background_start(shard_study_work, &s->study);
    live_figure_show(run, &(LiveFigure){.title = "Lab 2 · shards",
                                        .png = "shard.png",
                                        .context = s,
                                        .keys = keys,
                                        .draw = draw,
                                        .changed = changed,
                                        .event = on_event,
                                        .finish = finish});
    background_stop(s->study.thread);
    if (s->study.missing)
        run_say(run, "to do: %s", s->study.missing);
    else
        shard_report(&s->study);
}

int main(int argc, char **argv)
{
    static Session s = {.link = "1Gbit/s,50us", .clock = "virtual"};
    s.run = run_options_default();
    s.run.threads = 1; /* a rank stands for a machine; the virtual clock is one thread's */
    s.study = (ShardStudy){.guess = {.what = "memory of a rank in stage 3, on all ranks",
                                     .unit = "MB"},
                           .model = "mlp",
                           .hidden = "1024,1024",
                           .deep = "resnet20",
                           .batch = 16,
                           .deep_batch = 16,
                           .updates = 3,
                           .rate = 0.05,
                           .momentum = 0.9};
    Option table[MOST_OPTIONS];
    parse(&s, table, argc, argv);
    s.study.missing = exercise_missing(NULL);
    stop_on_signals();
    link_choose(s.link, s.clock);
    Lab lab = lab_open(comm_open(s.run.comm), &s.run);
    lab_data(&lab, &s.run, NULL);
    shard_study_open(&s.study, &lab, (uint64_t)s.run.seed);
    lab_run(&lab, "lab2_shard", &s.run, table);
    if (lab.comm->rank == 0)
        lead(&s);
    else if (!s.study.missing)
        shard_study_work(&s.study, NULL);
    shard_study_close(&s.study);
    lab_close(&lab);
    return s.study.missing ? EXIT_TODO : 0;
}
