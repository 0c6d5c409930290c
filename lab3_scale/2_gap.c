/* 2_gap.c: what a large batch loses: the errors of a small and a large batch after equally many
 * epochs, how much of the gap is too few updates, how sharp the minima are, and what lies between
 * them. Exercises: exercises/2a_interpolate.c, 2b_kendall_tau.c.
 */
#include "lab3.h"
#include "parts/2_gap/gap_study.h"

static void parse(RunOptions *run, GapStudy *s, Option *table, int argc, char **argv)
{
    static bool full;
    const Option options[] = {
        RUN_OPTIONS(*run),
        {"model", ARG_STRING, &s->model, .help = "mlp, resnet8 … (without max pooling)"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096,
         .help = "images per update, small batch"},
        {"k", ARG_INT, &s->k, .min = 2, .max = 1024,
         .help = "the large batch is this many times the small one"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"epochs", ARG_REAL, &s->epochs, .min = 0.1, .max = 1000,
         .help = "epochs per run (the “longer” run has more)"},
        {"longer", ARG_INT, &s->longer, .min = 2, .max = 64,
         .help = "“longer” run: factor on the epochs"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = GAP_SEEDS, .help = "runs of each kind"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "learning rate of the small batch"},
        {"momentum", ARG_REAL, &s->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        {"weight-decay", ARG_REAL, &s->decay, .min = 0, .max = 1,
         .help = "weight decay of the rows with weight decay"},
        {"side", ARG_INT, &s->side, .min = 2, .max = 201,
         .help = "points along each side of a plane"},
        {"full", ARG_FLAG, &full, .help = "10 seeds, finer planes"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("2_gap", "What does a large batch lose, and are its minima sharp?", table, argc,
               argv);
    if (full) {
        args_otherwise(table, "seeds", "10", "side", "51", NULL);
    }
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* the ranks share the trainings */
    static GapStudy s;
    s = (GapStudy){.study = {.program = "lab3_gap",
                             .open = gap_open,
                             .close = gap_close,
                             .title = "Lab 3 · the gap",
                             .png = "gap.png",
                             .missing = exercise_missing(NULL),
                             .work = gap_work,
                             .draw = gap_draw,
                             .report = gap_report},
                   .model = "mlp",
                   .batch = 32,
                   .k = 16,
                   .images = 8192,
                   .test = 5000,
                   .seeds = 3,
                   .longer = 4,
                   .side = GAP_SIDE,
                   .epochs = 5,
                   .rate = 0.02,
                   .momentum = 0.9,
                   .decay = 1e-3};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    return study_main(&s.study, &run, table, &s.images, &s.test);
}
