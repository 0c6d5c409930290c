/* 4_batch_size.c: a real network and its batch size. Images per second rise with the batch size
 * until the processor is busy all the time; the time to a target accuracy is longest for the
 * smallest and the largest batches. Several seeds per batch size, because one run may be lucky.
 * Finished runs are kept, and an interrupted sweep resumes. Exercise:
 * exercises/4_time_per_update.c.
 */
#include "check.h"
#include "parts/4_batch_size/batch_study.h"
#include <math.h>

typedef struct Choices {
    RunOptions run;
    BatchStudy study;
    bool full;
} Choices;

static Choices defaults(void)
{
    return (Choices){.run = run_options_default(),
                     .study = {.fastest = 1024,
                               .sweep = {.speeds = {SPEED_DEFAULTS},
                                         .model = "resnet8",
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
                                         .epochs = 8}}};
}

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    BatchStudy *s = &c->study;
    const Option options[] = {RUN_OPTIONS(c->run),
                              BATCH_SWEEP_OPTIONS(s->sweep),
                              {"fastest", ARG_INT, &s->fastest, .min = 4, .max = 65536,
                               .help = "largest batch whose images per second are measured"},
                              SPEED_OPTIONS(s->sweep.speeds),
                              {"full", ARG_FLAG, &c->full,
                               .help = "all images, more batch sizes and seeds: takes hours"},
                              {0}};
    OPTIONS_KEEP(table, options);
    args_parse("4_batch_size",
               "Images/s, and time, epochs and updates to a target accuracy, by batch size.", table,
               argc, argv);
    if (c->full)
        args_otherwise(table, "smallest", "1", "largest", "2048", "factor", "2", "seeds", "5",
                       "train", "60000", "test", "10000", "check-every", "5000", "target", "0.88",
                       "epochs", "5", "fastest", "4096", NULL);
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

static void on_event(void *study, const PlotEvent *e)
{
    BatchStudy *s = study;
    if (e->kind == PLOT_KEY && e->key == 'd')
        s->dots = !s->dots;
    else if (e->kind == PLOT_CLICK && e->panel >= 0 && isfinite(e->x) && e->x > 0)
        choose(s, e->x);
}

static const PlotKey keys[] = {{"space", "pause, resume"},
                               {"click", "a batch size: show its results"},
                               {"d", "show each run as a point"},
                               {"q", "quit; finished runs are kept"},
                               {0}};

int main(int argc, char **argv)
{
    Choices c = defaults();
    BatchStudy *s = &c.study;
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    s->study = (Study){.title = "Lab 1 · batch size",
                       .png = "batch_size.png",
                       .missing = exercise_missing(NULL),
                       .unfinished = STUDY_WHILE_SEEN, /* the exercise is only the fit */
                       .work = batch_study_work,
                       .draw = batch_study_draw,
                       .report = batch_study_table,
                       .keys = keys,
                       .event = on_event};
    Lab lab = lab_open(comm_open(c.run.comm), &c.run);
    lab_data(&lab, &c.run, NULL);
    batch_sweep_open(&s->sweep, lab.comm, lab.be, lab.data, c.run.seed);
    REQUIRE(s->fastest <= s->sweep.train, "--fastest=%d is above the %d training images",
            s->fastest, s->sweep.train);
    lab_run(&lab, "lab1_batch_size", &c.run, table);
    for (int batch = 1; batch <= s->fastest; batch *= 2)
        speed_size(&s->sweep.speeds, batch);
    batch_sweep_file(&s->sweep, lab.run);
    int status = study_run(&s->study, &lab);
    batch_sweep_free(&s->sweep);
    lab_close(&lab);
    return status;
}
