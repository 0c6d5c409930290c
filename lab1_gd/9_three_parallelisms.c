/* 9_three_parallelisms.c: one network, split in three ways over 2 to 4 ranks: by data, by layers (a
 * pipeline, with and without micro-batches) and by slices of its weights (tensor parallel); on 4
 * ranks also two ways at once. Each gives the result of one rank, up to rounding. The figure shows
 * when each rank computes, exchanges and waits; the table shows what that costs. Exercises:
 * exercises/9a_pipeline_turn.c, 9b_column_shard.c, 8_busy.c.
 */
#include "check.h"
#include "parts/9_parallel/parallel_study.h"
#include <math.h>
#include <stdlib.h>

static void parse(RunOptions *run, ParallelStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {RUN_OPTIONS(*run),
                              {"width", ARG_INT, &s->width, .min = 16, .max = 4096,
                               .help = "inputs and outputs of each dense layer"},
                              {"blocks", ARG_INT, &s->blocks, .min = 2, .max = (MLP_LAYERS - 1) / 2,
                               .help = "blocks of two dense layers"},
                              {"batch", ARG_INT, &s->batch, .min = 1, .max = 65536,
                               .help = "images per update, on all ranks together"},
                              {"micro", ARG_INT, &s->micros, .min = 1, .max = MLP_MICROS,
                               .help = "micro-batches per update in the pipelines"},
                              {"updates", ARG_INT, &s->updates, .min = 1, .max = MOST_UPDATES,
                               .help = "updates of each scheme"},
                              {"rate", ARG_REAL, &s->rate, .min = 0, .max = 100,
                               .help = "learning rate η"},
                              {0}};
    OPTIONS_KEEP(table, options);
    args_parse("9_three_parallelisms", "Data, pipeline and tensor parallelism side by side.", table,
               argc, argv);
}

static const PlotKey keys[] = {{"space", "start or stop the clock"},
                               {". ,", "clock one step forward, one back"},
                               {"- +", "fewer, more micro-batches"},
                               {"1 … 8", "one scheme alone, in the table's order"},
                               {"0", "all schemes"},
                               {"r", "measure again"},
                               {NULL, NULL}};

/* The next number of micro-batches, up or down, that cuts the batch evenly; the same if there is no
 * other. */
static int other_micros(const ParallelStudy *s, int step)
{
    for (int m = s->micros + step; m >= 1 && m <= MLP_MICROS; m += step) {
        char *why = parallel_uneven(s, s->study.lab->comm->size, m);
        free(why);
        if (!why)
            return m;
    }
    return s->micros;
}

static void on_event(void *study, const PlotEvent *e)
{
    ParallelStudy *s = study;
    char key = e->kind == PLOT_KEY ? e->key : 0;
    double end = parallel_end(s), tick = end / 40, now = isfinite(s->clock) ? s->clock : end;
    int micros = key == '-'               ? other_micros(s, -1)
               : key == '+' || key == '=' ? other_micros(s, 1)
                                          : s->micros;
    if (key == 'r' || micros != s->micros)
        parallel_again(s, micros);
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

int main(int argc, char **argv)
{
    static const char *const uses[USES] = {"8_busy", "9a_pipeline_turn", "9b_column_shard"};
    RunOptions run = run_options_default();
    run.threads = 1;        /* a rank stands for a device */
    static ParallelStudy s; /* its logs are too large for the stack */
    s = (ParallelStudy){.study = {.title = "Lab 1 · three parallelisms",
                                  .png = "three_parallelisms.png",
                                  .work = parallel_wake,
                                  .next = parallel_next,
                                  .obey = parallel_obey,
                                  .draw = parallel_draw,
                                  .report = parallel_report,
                                  .keys = keys,
                                  .space = SPACE_FREE,
                                  .event = on_event,
                                  .advance = parallel_advance},
                        .width = 768,
                        .blocks = 2,
                        .batch = 192,
                        .micros = 6,
                        .updates = 4,
                        .rate = 0.02,
                        .chosen = -1};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    stop_on_signals();
    for (int i = 0; i < USES; i++)
        s.missing[i] = exercise_missing(uses[i]);
    Comm *comm = comm_open(run.comm);
    REQUIRE(comm->size <= MOST_RANKS,
            "%d ranks: this program splits its network over 2, 3 or 4 (1: nothing is split)",
            comm->size);
    Lab lab = lab_open(comm, &run);
    s.wake = commands_new(comm, lab.be);
    lab_data(&lab, &run, &s.wake);
    lab_run(&lab, "lab1_three_parallelisms", &run, table);
    parallel_begin(&s, &lab, (uint64_t)run.seed);
    study_run(&s.study, &lab);
    task_free(&s.task);
    commands_free(&s.wake, lab.be);
    lab_close(&lab);
    return exercise_missing(NULL) ? EXIT_TODO : 0;
}
