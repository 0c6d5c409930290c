/* 5_partition.c: who reads which images? Four kinds of partition, and the share of the data that
 * the ranks see: predicted, and counted. Then a network is trained with each kind: does it matter?
 * Exercises: exercises/5a_partition.c, 5b_share_seen.c.
 */
#include "check.h"
#include "exercise.h"
#include "lab.h"
#include "live_figure.h"
#include "partition/partition_study.h"
#include "timer.h"

typedef struct Session {
    PartitionStudy study;
    double redraw; /* when the figure is drawn next */
    bool paused;
} Session;

static void parse(RunOptions *run, PartitionStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(*run),
        {"model", ARG_CHOICE, &s->model, .choices = "linear|mlp",
         .help = "networks without batch "
                 "norm"},
        {"split", ARG_INT, &s->split, .min = 1, .max = 64,
         .help = "ranks that the images are split over (simulated)"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096,
         .help = "images per such rank and "
                 "update"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"epochs", ARG_INT, &s->epochs, .min = 1, .max = STUDY_EPOCHS,
         .help = "epochs of a "
                 "training"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = STUDY_SEEDS,
         .help = "trainings of each "
                 "kind"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "learning rate at the start; decays as a cosine"},
        {"momentum", ARG_REAL, &s->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        GUESS_OPTION(s->guess, "the share that --split ranks with orders of their own see"),
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("5_partition", "Who reads which images, and how much of the data is seen.", table,
               argc, argv);
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
    partition_draw(&s->study, plot);
    if (s->study.thread)
        background_unlock(s->study.thread);
}

/* It changes only when a training ends: drawn four times a second. */
static bool changed(void *context)
{
    Session *s = context;
    bool due = timer_now() >= s->redraw;
    if (due)
        s->redraw = timer_now() + 0.25;
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
    BackgroundThread *b = s->study.missing ? NULL
                                           : background_start(partition_study_work, &s->study);
    s->study.thread = b;
    live_figure_show(run, &(LiveFigure){.title = "Lab 2 · partition",
                                        .png = "partition.png",
                                        .context = s,
                                        .keys = keys,
                                        .draw = draw,
                                        .changed = changed,
                                        .event = on_event,
                                        .finish = finish});
    background_stop(b);
    if (s->study.missing)
        run_say(run, "to do: %s", s->study.missing);
    else
        partition_report(&s->study);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* an update of this small network ends before a second thread could help */
    static Session s;
    s.study = (PartitionStudy){.guess = {.what = "share of the images seen in an epoch, own orders",
                                         .unit = ""},
                               .model = "mlp",
                               .split = 4,
                               .batch = 16,
                               .images = 8192,
                               .test = 5000,
                               .epochs = 5,
                               .seeds = 5,
                               .rate = 0.05,
                               .momentum = 0.9,
                               .missing = exercise_missing(NULL)};
    Option table[MOST_OPTIONS];
    parse(&run, &s.study, table, argc, argv);
    stop_on_signals();
    Lab lab = lab_open(comm_open(run.comm), &run);
    lab_data_first(&lab, &run, s.study.images, s.study.test);
    partition_study_open(&s.study, &lab, (uint64_t)run.seed);
    lab_run(&lab, "lab2_partition", &run, table);
    if (lab.comm->rank == 0)
        lead(&s);
    else if (!s.study.missing)
        partition_study_work(&s.study, NULL);
    lab_close(&lab);
    return s.study.missing ? EXIT_TODO : 0;
}
