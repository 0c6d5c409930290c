/* 4_batch_norm.c: training with and without batch norm: what a layer's inputs do, which learning
 * rates work; ghost batch norm for large batches; and synchronised batch norm, with which several
 * ranks are one again. Exercises: exercises/4a_ghost_norm.c, 4b_synchronise.c.
 */
#include "lab3.h"
#include "parts/4_norm/norm_study.h"

static void parse(RunOptions *run, NormStudy *s, Option *table, int argc, char **argv)
{
    static bool full;
    const Option options[] = {
        RUN_OPTIONS(*run),
        {"model", ARG_STRING, &s->model, .help = "network with batch norm: cnn, resnet8 …"},
        {"layer", ARG_STRING, &s->layer, .help = "convolution whose outputs are plotted"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096, .help = "images per update"},
        {"large", ARG_INT, &s->large, .min = 1, .max = 4096,
         .help = "images per update with ghost batch norm"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"epochs", ARG_REAL, &s->epochs, .min = 0.1, .max = 1000, .help = "epochs per run"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = NORM_SEEDS, .help = "runs of each kind"},
        {"momentum", ARG_REAL, &s->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        {"full", ARG_FLAG, &full, .help = "5 runs of each kind"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("4_batch_norm", "Batch norm: with, without, ghost, synchronised.", table, argc,
               argv);
    if (full)
        args_otherwise(table, "seeds", "5", NULL);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* the ranks share the trainings */
    static NormStudy s;
    s = (NormStudy){.study = {.program = "lab3_batch_norm",
                              .open = norm_open,
                              .title = "Lab 3 · batch norm",
                              .png = "batch_norm.png",
                              .missing = exercise_missing(NULL),
                              .work = norm_work,
                              .draw = norm_draw,
                              .report = norm_report},
                    .model = "resnet8",
                    .layer = "layer2.0.conv1",
                    .batch = 64,
                    .large = 256,
                    .images = 2048,
                    .test = 2000,
                    .seeds = 2,
                    .ghost = {8, 32},
                    .epochs = 5,
                    .momentum = 0.9,
                    .rate = {0.02, 0.1, 0.5}};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    return study_main(&s.study, &run, table, &s.images, &s.test);
}
