/* 6_optimisers.c: the optimisers that you wrote, on one task, each with a search over its rate; and
 * two extras: smoothed labels, averaged weights. What is not written is left out. Which reaches
 * most in equally many updates, and how much does its rate matter? Exercises:
 * exercises/6a_momentum.c … 6j_average_weights.c.
 */
#include "check.h"
#include "lab3.h"
#include "parts/6_optimisers/race_study.h"

static void parse(RunOptions *run, RaceStudy *s, Option *table, int argc, char **argv)
{
    static bool full;
    const Option options[] = {
        RUN_OPTIONS_TEXT(*run),
        {"model", ARG_STRING, &s->model, .help = "mlp, cnn, resnet8 …; for text gpt-64-2-4 …"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 8192, .help = "images per update"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6,
         .help = "test images used; as many are held out for the search"},
        {"epochs", ARG_REAL, &s->epochs, .min = 0.1, .max = 1000, .help = "epochs per run"},
        {"warmup", ARG_INT, &s->warm, .min = 0, .max = 1e6,
         .help = "updates over which the rate rises to its full value"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = RACE_SEEDS,
         .help = "runs of each optimiser at its best rate"},
        {"weight-decay", ARG_REAL, &s->decay, .min = 0, .max = 1,
         .help = "weight decay of matrices"},
        {"smoothing", ARG_REAL, &s->smoothing, .min = 0, .max = 1, .help = "label smoothing"},
        {"full", ARG_FLAG, &full, .help = "10 runs of each optimiser"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("6_optimisers", "Your optimisers on one task, each with a search over its rate.",
               table, argc, argv);
    if (full)
        args_otherwise(table, "seeds", "10", NULL);
    if (text_named(run->data)) /* one window has 64 labels */
        args_otherwise(table, "model", "gpt-64-2-4", "batch", "16", "images", "4096", "test", "500",
                       "epochs", "1", NULL);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* the ranks share the trainings */
    static RaceStudy s;
    s = (RaceStudy){.study = {.program = "lab3_optimisers",
                              .open = race_open,
                              .title = "Lab 3 · optimisers",
                              .png = "optimisers.png",
                              .work = race_work,
                              .draw = race_draw,
                              .report = race_report},
                    .model = "mlp",
                    .batch = 256,
                    .images = 8192,
                    .test = 5000,
                    .seeds = 3,
                    .epochs = 3,
                    .decay = 1e-4,
                    .smoothing = 0.1};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    race_enter(&s);
    s.study.missing = s.racers > 0 ? NULL : exercise_missing(NULL);
    int images = s.images + s.test; /* as many are held out for the search */
    int status = study_main(&s.study, &run, table, &images, &s.test);
    return status ? status : exercise_missing(NULL) ? EXIT_TODO : 0;
}
