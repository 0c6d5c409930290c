/* 3_learning_rate.c: which learning rate does a batch k times as large want? The same, √k or k
 * times it; what each does to the covariance of an update; and a training that diverges without a
 * warm-up, and converges with one. On text the same for Adam, and for a transformer with its norms
 * before or behind its layers. Exercises: exercises/3a_scaled_rate.c, 3b_warm_up.c,
 * 3c_update_spread.c; on text 6e_adam.c, too.
 */
#include "lab3.h"
#include "parts/3_rate/rate_study.h"

static void parse(RunOptions *run, RateStudy *s, Option *table, int argc, char **argv)
{
    static bool full;
    const Option options[] = {
        RUN_OPTIONS_TEXT(*run),
        {"model", ARG_STRING, &s->model, .help = "mlp, cnn, resnet8 …; for text gpt-32-2-4 …"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096,
         .help = "images per update, small batch"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"epochs", ARG_REAL, &s->epochs, .min = 1, .max = 1000, .help = "epochs per run"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = RATE_SEEDS, .help = "runs of each kind"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "learning rate of the small batch"},
        {"momentum", ARG_REAL, &s->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        {"starts", ARG_INT, &s->starts, .min = 1, .max = RATE_SEEDS,
         .help = "warm-up study: runs without and runs with a warm-up"},
        {"start-model", ARG_STRING, &s->start_model, .help = "warm-up study: network"},
        {"start-images", ARG_INT, &s->start_images, .min = 32, .max = 1e6,
         .help = "warm-up study: training images"},
        {"start-batch", ARG_INT, &s->start_batch, .min = 1, .max = 4096,
         .help = "warm-up study: batch size"},
        {"start-epochs", ARG_REAL, &s->start_epochs, .min = 1, .max = 1000,
         .help = "warm-up study: epochs per run"},
        {"start-base", ARG_REAL, &s->start_base, .min = 1e-6, .max = 100,
         .help = "warm-up study: first learning rate of the warm-up"},
        {"start-k", ARG_REAL, &s->start_k, .min = 1, .max = 1000,
         .help = "warm-up study: rate after the warm-up, in multiples of the first"},
        {"start-warmup", ARG_REAL, &s->start_warmup, .min = 0, .max = 1000,
         .help = "warm-up study: epochs of the warm-up"},
        {"full", ARG_FLAG, &full, .help = "10 runs of each kind"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("3_learning_rate", "The learning rate of a larger batch, and its warm-up.", table,
               argc, argv);
    if (full)
        args_otherwise(table, "seeds", "10", NULL);
    if (text_named(run->data)) /* one window has 64 labels */
        args_otherwise(table, "model", "gpt-32-2-4", "batch", "4", "images", "4096", "test", "500",
                       "rate", "0.002", "starts", "5", "start-model", "gpt-64-6-4", "start-images",
                       "4096", "start-batch", "16", "start-epochs", "1", "start-base", "0.0001",
                       "start-k", "10", "start-warmup", "0.25", NULL);
    s->study.missing = exercise_missing(text_named(run->data) ? "3a_scaled_rate 3b_warm_up 6e_adam"
                                                              : "3a_scaled_rate 3b_warm_up");
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* the ranks share the trainings */
    static RateStudy s;
    s = (RateStudy){.study = {.program = "lab3_learning_rate",
                              .open = rate_open,
                              .title = "Lab 3 · learning rate",
                              .png = "learning_rate.png",
                              .work = rate_work,
                              .draw = rate_draw,
                              .report = rate_report},
                    .model = "mlp",
                    .batch = 32,
                    .k = {1, 4, 16},
                    .images = 8192,
                    .test = 2000,
                    .seeds = 3,
                    .epochs = 4,
                    .rate = 0.02,
                    .momentum = 0.9,
                    .warmup = 0.25,
                    .start_model = "cnn",
                    .starts = 20,
                    .start_batch = 32,
                    .start_images = 384,
                    .start_epochs = 10,
                    .start_base = 0.01,
                    .start_k = 26,
                    .start_warmup = 6};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    return study_main(&s.study, &run, table, &s.images, &s.test);
}
