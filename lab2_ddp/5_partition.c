/* 5_partition.c: who reads which images? Four kinds of partition, and the share of the data that
 * the ranks see: predicted, and counted. Then a network is trained with each kind: does it matter?
 * Exercises: exercises/5a_partition.c, 5b_share_seen.c.
 */
#include "parts/5_partition/partition_study.h"

static void parse(RunOptions *run, PartitionStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(*run),
        {"model", ARG_CHOICE, &s->model, .choices = "linear|mlp",
         .help = "networks without batch "
                 "norm"},
        {"split", ARG_INT, &s->split, .min = 1, .max = 64,
         .help = "ranks that share the images (simulated)"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096,
         .help = "images per simulated rank and update"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"epochs", ARG_INT, &s->epochs, .min = 1, .max = STUDY_EPOCHS,
         .help = "epochs per training"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = STUDY_SEEDS,
         .help = "runs of each kind, with different seeds"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "initial learning rate; decays as a cosine"},
        {"momentum", ARG_REAL, &s->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        GUESS_OPTION(s->guess,
                     "share of the images that --split ranks see if each has its own order"),
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("5_partition", "Who reads which images, and how much of the data is seen.", table,
               argc, argv);
    guess_check(&s->guess);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* an update of this small network ends before a second thread could help */
    static PartitionStudy s;
    s = (PartitionStudy){.study = {.program = "lab2_partition",
                                   .open = partition_open,
                                   .title = "Lab 2 · partition",
                                   .png = "partition.png",
                                   .missing = exercise_missing(NULL),
                                   .work = partition_work,
                                   .draw = partition_draw,
                                   .report = partition_report},
                         .guess = {.what = "share of the images seen in an epoch, own orders",
                                   .unit = ""},
                         .model = "mlp",
                         .split = 4,
                         .batch = 16,
                         .images = 8192,
                         .test = 5000,
                         .epochs = 5,
                         .seeds = 5,
                         .rate = 0.05,
                         .momentum = 0.9};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    return study_main(&s.study, &run, table, &s.images, &s.test);
}
