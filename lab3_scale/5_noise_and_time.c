/* 5_noise_and_time.c: four remedies for what a large batch loses: noise on the gradient, longer
 * training, a batch that grows where the rate would fall, and a batch that begins small. Which
 * share of the gap does each close? Exercises: exercises/5a_noise_weights.c, 5b_grow_batch.c,
 * 5c_batch_warm_up.c.
 */
#include "lab3.h"
#include "parts/5_noise/remedy_study.h"

static void parse(RunOptions *run, RemedyStudy *s, Option *table, int argc, char **argv)
{
    static bool full;
    const Option options[] = {
        RUN_OPTIONS(*run),
        {"model", ARG_STRING, &s->model, .help = "mlp, cnn, resnet8 …"},
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
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = REMEDY_SEEDS, .help = "runs of each kind"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "learning rate of the small batch"},
        {"momentum", ARG_REAL, &s->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        {"weight-decay", ARG_REAL, &s->weight_decay, .min = 0, .max = 1,
         .help = "weight decay of SGD"},
        {"full", ARG_FLAG, &full, .help = "10 runs of each kind"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("5_noise_and_time", "Remedies for large batches: how much of the gap do they close?",
               table, argc, argv);
    if (full)
        args_otherwise(table, "seeds", "10", NULL);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* the ranks share the trainings */
    static RemedyStudy s;
    s = (RemedyStudy){.study = {.program = "lab3_noise_and_time",
                                .open = remedy_open,
                                .title = "Lab 3 · noise and time",
                                .png = "remedies.png",
                                .missing = exercise_missing(NULL),
                                .work = remedy_work,
                                .draw = remedy_draw,
                                .report = remedy_report},
                      .model = "mlp",
                      .batch = 32,
                      .k = 32,
                      .images = 8192,
                      .test = 5000,
                      .seeds = 5,
                      .longer = 8,
                      .epochs = 6,
                      .rate = 0.02,
                      .momentum = 0.9};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    return study_main(&s.study, &run, table, &s.images, &s.test);
}
