/* 4_batch_size.c: a real network and its batch size. Images per second rise with the batch size
 * until the processor is busy all the time; the time to a target accuracy is longest for the
 * smallest and the largest batches. Several seeds per batch size, because one run may be lucky.
 * Finished runs are kept, and an interrupted sweep resumes. Exercise:
 * exercises/4_time_per_update.c.
 */
#include "batch_size/batch_study.h"
#include "check.h"
#include "exercise.h"
#include "lab.h"
#include "lab1.h"
#include "live_figure.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>

typedef struct Choices {
    RunOptions run;
    BatchStudy study;
    bool full;
} Choices;

static Choices defaults(void)
{
    return (Choices){.run = run_options_default(),
                     .study = {.fastest = 1024,
                               .rounds = 3,
                               .slice = 0.25,
                               .t0 = NAN,
                               .c = NAN,
                               .sweep = {.model = "resnet8",
                                         .scale = "sqrt",
                                         .smallest = 2,
                                         .largest = 512,
                                         .factor = 4,
                                         .seeds = 3,
                                         .train = 8000,
                                         .test = 1000,
                                         .check_every = 1000,
                                         .rate = 0.1,
                                         .momentum = 0.9,
                                         .target = 0.8,
                                         .epochs = 6}}};
}

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    static const char *const full[][2] = {{"smallest", "1"},       {"largest", "2048"},
                                          {"factor", "2"},         {"seeds", "5"},
                                          {"train", "60000"},      {"test", "10000"},
                                          {"check-every", "5000"}, {"target", "0.88"},
                                          {"epochs", "5"},         {"fastest", "4096"},
                                          {"rounds", "5"}};
    BatchStudy *s = &c->study;
    const Option options[] = {RUN_OPTIONS(c->run),
                              BATCH_SWEEP_OPTIONS(s->sweep),
                              {"fastest", ARG_INT, &s->fastest, .min = 4, .max = 65536,
                               .help = "largest batch whose speed is measured"},
                              {"rounds", ARG_INT, &s->rounds, .min = 1, .max = 100,
                               .help = "how often each speed is measured"},
                              {"slice", ARG_REAL, &s->slice, .min = 0.01, .max = 60,
                               .help = "seconds per measurement of the speed"},
                              {"full", ARG_FLAG, &c->full,
                               .help = "all images, more batch sizes and seeds: takes hours"},
                              {0}};
    OPTIONS_KEEP(table, options);
    args_parse("4_batch_size",
               "Images/s, and time, epochs and updates to a target accuracy, by batch size.", table,
               argc, argv);
    for (size_t i = 0; c->full && i < sizeof full / sizeof *full; i++)
        args_otherwise(table, full[i][0], full[i][1]);
}

static void try_time_per_update(void *unused)
{
    double t0, c;
    time_per_update(&t0, &c, (double[]){1, 2, 4}, (double[]){2, 3, 5}, 3);
}

static void draw(void *context, Plot *plot)
{
    BatchStudy *s = context;
    BackgroundThread *b = s->background;
    if (b)
        background_lock(b);
    batch_study_draw(s, plot);
    s->shown_second = (int)timer_real();
    s->touched = false;
    s->shown_rows = s->speed->rows + s->sweep.runs->rows;
    if (b)
        background_unlock(b);
}

static bool changed(void *context)
{
    BatchStudy *s = context;
    BackgroundThread *b = s->background;
    if (b)
        background_lock(b);
    bool same = !s->touched && s->shown_rows == s->speed->rows + s->sweep.runs->rows &&
                s->shown_second == (int)timer_real();
    if (b)
        background_unlock(b);
    return !same;
}

/* Select the batch size nearest to x; if it is selected already, deselect it. */
static void choose(BatchStudy *s, double x)
{
    int size[BATCH_SIZES], n = batch_sweep_sizes(&s->sweep, size), nearest = 0;
    for (int i = 1; i < n; i++)
        if (fabs(log(x / size[i])) < fabs(log(x / size[nearest])))
            nearest = i;
    s->selected = s->selected == size[nearest] ? 0 : size[nearest];
}

static void on_event(void *context, const PlotEvent *e)
{
    BatchStudy *s = context;
    s->touched = true;
    if (e->kind == PLOT_KEY && e->key == ' ')
        background_pause(s->background, s->paused = !s->paused);
    else if (e->kind == PLOT_KEY && e->key == 'd')
        s->dots = !s->dots;
    else if (e->kind == PLOT_CLICK && e->panel >= 0 && isfinite(e->x) && e->x > 0)
        choose(s, e->x);
}

static void finish(void *context)
{
    BatchStudy *s = context;
    if (!s->missing)
        background_wait(s->background);
}

/* On rank 0: the runs on a thread, the figure here. */
static void show(BatchStudy *s)
{
    static const PlotKey keys[] = {{"space", "pause, resume"},
                                   {"click", "a batch size: show its results"},
                                   {"d", "show each run as a point"},
                                   {"s", "save the figure"},
                                   {"F11", "full screen"},
                                   {"q", "quit; finished runs are kept"},
                                   {0}};
    BackgroundThread *b = background_start(batch_study_work, s);
    s->background = b;
    live_figure_show(s->run, &(LiveFigure){.title = "Lab 1 · batch size",
                                           .png = "batch_size.png",
                                           .keys = keys,
                                           .context = s,
                                           .draw = draw,
                                           .event = on_event,
                                           .changed = changed,
                                           .finish = finish});
    background_stop(b);
    s->background = NULL;
}

/* The speeds have a file of their own: they do not depend on the options of the runs to the
 * target. */
static Sweep *speed_file(const BatchStudy *s)
{
    const TargetSetup *t = &s->sweep.setup;
    char data[17];
    dataset_digest(data, t->data);
    json_t *config = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:f, s:i}", "model", t->spec.name,
                               "data", t->data->name, "data digest", data, "device",
                               t->be->description, "precision", (int)t->be->precision, "ranks",
                               s->sweep.comm->size, "slice", s->slice, "train", t->train);
    char *path = run_path(s->run, "speed.csv");
    Sweep *speed = sweep_open(path, "batch,seconds_per_update", config);
    sweep_require(speed, (SweepRange[]){{1, 65536, .whole = true}, {.high = 1e9}});
    free(path);
    json_decref(config);
    return speed;
}

static void lead(BatchStudy *s)
{
    s->speed = speed_file(s);
    show(s);
    if (s->missing)
        run_say(s->run, "to do: %s", s->missing);
    else
        batch_study_table(s);
    sweep_free(s->speed);
}

int main(int argc, char **argv)
{
    Choices c = defaults();
    BatchStudy *s = &c.study;
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    s->missing = exercise_missing(&(ExerciseUse){"lab1_gd/exercises/4_time_per_update.c",
                                                 try_time_per_update},
                                  1);
    Lab lab = lab_open(comm_open(c.run.comm), &c.run);
    lab_data(&lab, &c.run, NULL);
    batch_sweep_open(&s->sweep, lab.comm, lab.be, lab.data, c.run.seed);
    REQUIRE(s->fastest <= s->sweep.train, "--fastest=%d is above the %d training images",
            s->fastest, s->sweep.train);
    lab_run(&lab, "lab1_batch_size", &c.run, table);
    s->run = lab.run;
    batch_sweep_file(&s->sweep, s->run);
    if (lab.comm->rank == 0)
        lead(s);
    else
        batch_study_work(s, NULL);
    bool to_do = s->missing != NULL;
    batch_sweep_free(&s->sweep);
    free(s->missing);
    lab_close(&lab);
    return to_do ? EXIT_TODO : 0;
}
