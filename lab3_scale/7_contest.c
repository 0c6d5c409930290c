/* 7_contest.c: all remedies for large batches on one task, with one tuning budget each: which of
 * them equal the small batch, which only what a well-tuned momentum does as well? Needs 3a,
 * 6a and 6b; rows whose exercise is not written are left out. Exercise: exercises/7a_verdict.c.
 */
#include "check.h"
#include "parts/7_contest/contest.h"

static void parse(RunOptions *run, Contest *c, Option *table, int argc, char **argv)
{
    static bool full;
    const Option options[] = {
        RUN_OPTIONS_TEXT(*run),
        {"model", ARG_STRING, &c->model, .help = "mlp, cnn, resnet8 …; for text gpt-32-2-4 …"},
        {"batch", ARG_INT, &c->batch, .min = 1, .max = 4096,
         .help = "images per update, small batch"},
        {"k", ARG_INT, &c->k[0], .min = 2, .max = 1024,
         .help = "the first large batch is this many times the small one"},
        {"second-k", ARG_INT, &c->k[1], .min = 2, .max = 1024,
         .help = "the second large batch is this many times the small one"},
        {"images", ARG_INT, &c->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &c->test, .min = 50, .max = 1e6,
         .help = "test images used; as many are held out for tuning"},
        {"epochs", ARG_REAL, &c->epochs, .min = 1, .max = 1000,
         .help = "epochs per run (the longer runs have more)"},
        {"warmup", ARG_REAL, &c->warm, .max = 0.9,
         .help = "share of the updates over which every rate rises to its full value"},
        {"tries", ARG_INT, &c->tuned.budget, .min = 0, .max = TUNED_BUDGET,
         .help = "trainings to tune each remedy's learning rate"},
        {"seeds", ARG_INT, &c->tuned.seeds, .min = 1, .max = TUNED_SEEDS,
         .help = "runs of each remedy"},
        {"rate", ARG_REAL, &c->rate, .min = 1e-6, .max = 100,
         .help = "learning rate at which the search for the small batch starts"},
        {"momentum", ARG_REAL, &c->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        {"recorded", ARG_STRING, &c->tuned.recorded,
         .help = "draw the results in this folder, recorded earlier"},
        {"full", ARG_FLAG, &full, .help = "8192 images, 5 seeds"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("7_contest", "Remedies for large batches, one tuning budget each.", table, argc,
               argv);
    if (text_named(run->data)) /* one window has 64 labels */
        args_otherwise(table, "model", "gpt-32-2-4", "batch", "4", "test", "500", "epochs", "4",
                       "warmup", "0.1", "rate", "0.02", "images", "4096", NULL);
    REQUIRE(c->k[0] < c->k[1], "--k=%d, --second-k=%d: expected a smaller and a larger one",
            c->k[0], c->k[1]);
    if (full) {
        args_otherwise(table, "images", "8192", "seeds", "5", NULL);
    }
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* the ranks share the trainings */
    static Contest c;
    c = (Contest){.tuned = {.study = {.title = "Lab 3 · the contest",
                                      .png = "contest.png",
                                      .work = contest_work,
                                      .draw = contest_draw,
                                      .report = contest_report},
                            .budget = 6,
                            .seeds = 3},
                  .model = "mlp",
                  .batch = 32,
                  .k = {8, 32},
                  .images = 4096,
                  .test = 5000,
                  .epochs = 6,
                  .rate = 0.02,
                  .momentum = 0.9};
    Option table[MOST_OPTIONS];
    parse(&run, &c, table, argc, argv);
    c.tuned.study.missing = exercise_missing("3a_scaled_rate 6a_momentum 6b_nesterov 7a_verdict");
    stop_on_signals();
    Lab lab = lab_open(comm_open(run.comm), &run);
    lab_data(&lab, &run, NULL);
    lab_run(&lab, "lab3_contest", &run, table);
    c.tuned.study.lab = &lab;
    if (!c.tuned.study.missing)
        contest_open(&c, &lab, run.seed);
    int status = study_run(&c.tuned.study, &lab);
    tuned_free(&c.tuned);
    lab_close(&lab);
    return status ? status : exercise_missing(NULL) ? EXIT_TODO : 0;
}
