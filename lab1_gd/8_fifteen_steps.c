/* 8_fifteen_steps.c: what happens in one training step? A small residual net trains, data parallel,
 * and every step is taken apart into fifteen: read, transport, pre-process, queue, transport, three
 * parts of the network forward, loss, three parts backward, optimiser, update, return. The figure
 * shows a step of median length on every rank, while training continues; trace.json opens in
 * ui.perfetto.dev. Exercise: exercises/8_busy.c.
 */
#include "check.h"
#include "parts/8_step/fifteen_study.h"
#include <stdlib.h>

static void parse(RunOptions *run, FifteenStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(*run),
        {"model", ARG_CHOICE, &s->model, .choices = "resnet8|resnet20|resnet56",
         .help = "residual net to train"},
        {"batch", ARG_INT, &s->batch, .min = FIFTEEN_SMALLEST, .max = FIFTEEN_LARGEST,
         .help = "images per rank and step"},
        {"rate", ARG_REAL, &s->rate, .min = 0, .max = 100, .help = "learning rate η"},
        {"steps", ARG_INT, &s->steps, .min = 16, .max = 100000,
         .help = "steps in a run without a window"},
        {"images", ARG_INT, &s->images, .min = 16, .max = 60000, .help = "training images used"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("8_fifteen_steps", "The fifteen parts of a training step, measured.", table, argc,
               argv);
}

static void on_event(void *study, const PlotEvent *e)
{
    FifteenStudy *s = study;
    char key = e->kind == PLOT_KEY ? e->key : 0;
    int batch = key == '-' ? s->batch / 2 : key == '+' || key == '=' ? 2 * s->batch : s->batch;
    bool fits = batch >= FIFTEEN_SMALLEST && batch <= FIFTEEN_LARGEST &&
                batch * s->study.lab->comm->size <= s->images;
    if (key != 'r' && (batch == s->batch || !fits))
        return;
    s->batch = batch;
    s->restart = true;
    study_pause(&s->study, false);
}

static void write_timeline(const FifteenStudy *s)
{
    char *path = run_path(s->study.lab->run, "trace.json");
    trace_write(s->training->trace, s->study.lab->comm, path);
    run_say(s->study.lab->run, "timeline: %s (opens in ui.perfetto.dev)", path);
    free(path);
}

/* Rank 0 reads its data first, then the others. */
static void read_data(FifteenStudy *s, Lab *lab, const RunOptions *run)
{
    Commands commands = commands_new(lab->comm, lab->be);
    lab_data(lab, run, &commands);
    if (lab->comm->rank == 0)
        commands_broadcast(&commands, (Command){{0}});
    commands_free(&commands, lab->be);
    int count = lab->data->train.count;
    s->images = s->images < count ? s->images : count;
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    static FifteenStudy s;
    s = (FifteenStudy){.study = {.title = "Lab 1 · fifteen steps",
                                 .png = "fifteen_steps.png",
                                 .missing = exercise_missing(NULL),
                                 .unfinished = STUDY_ANYWAY,
                                 .work = fifteen_work,
                                 .draw = fifteen_draw,
                                 .report = fifteen_report,
                                 .keys = plot_keys,
                                 .space = SPACE_STEPS,
                                 .event = on_event},
                       .model = "resnet8",
                       .batch = 64,
                       .steps = 100,
                       .images = 10000,
                       .rate = 0.02};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    stop_on_signals();
    s.seed = (uint64_t)run.seed;
    Comm *comm = comm_open(run.comm);
    REQUIRE(comm->size <= FIFTEEN_RANKS, "%d ranks: the figure has room for at most %d", comm->size,
            FIFTEEN_RANKS);
    Lab lab = lab_open(comm, &run);
    read_data(&s, &lab, &run);
    lab_run(&lab, "lab1_fifteen_steps", &run, table);
    fifteen_begin(&s, &lab, s.batch);
    int status = study_run(&s.study, &lab);
    write_timeline(&s);
    timed_training_free(s.training);
    lab_close(&lab);
    return status;
}
