/* 1_batch_size.c: what does the batch size change? Updates and time to a target accuracy, of a
 * language model to a target loss, over several seeds, each batch size with a learning rate tuned
 * for it.
 *
 * Larger batches keep the processor busier, but beyond some size more images per update no longer
 * save updates (Shallue et al., arXiv 1811.03600). An interrupted sweep resumes. With your
 * exercises 1a, 1b and 3a it finds the critical batch size in two other ways, too.
 */
#include "check.h"
#include "lab3.h"
#include "parts/1_batch_size/size_study.h"

static void parse(RunOptions *run, SizeStudy *s, Option *table, int argc, char **argv)
{
    static bool full;
    const Option options[] = {
        RUN_OPTIONS_TEXT(*run),
        {"model", ARG_STRING, &s->model, .help = "mlp, cnn, resnet8 …; for text gpt-32-2-4 …"},
        {"smallest", ARG_INT, &s->smallest, .min = 1, .max = 65536, .help = "smallest batch"},
        {"largest", ARG_INT, &s->largest, .min = 1, .max = 65536, .help = "largest batch"},
        {"factor", ARG_INT, &s->factor, .min = 2, .max = 64,
         .help = "ratio of successive batch sizes"},
        {"micro", ARG_INT, &s->micro, .min = 0, .max = 65536,
         .help = "micro-batch for gradient accumulation (0: no accumulation)"},
        {"seeds", ARG_INT, &s->tuned.seeds, .min = 1, .max = TUNED_SEEDS,
         .help = "runs per batch size"},
        {"tries", ARG_INT, &s->tuned.budget, .min = 0, .max = TUNED_BUDGET,
         .help = "trainings to tune each learning rate (0: take the predicted one)"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "predicted learning rate at batch 64; grows with the root of the batch"},
        {"momentum", ARG_REAL, &s->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        {"target", ARG_REAL, &s->target, .min = 0.01, .max = 6,
         .help = "test accuracy to reach; of text the test loss"},
        {"epochs", ARG_REAL, &s->epochs, .min = 0.01, .max = 1000,
         .help = "stop a run after this many epochs"},
        {"updates", ARG_INT, &s->updates, .min = 0, .max = 1e9,
         .help = "while tuning, stop a run after this many updates (0: no limit)"},
        {"train", ARG_INT, &s->train, .min = 100, .max = 1000000, .help = "training images"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1000000,
         .help = "test images; as many are held out for tuning"},
        {"check-every", ARG_INT, &s->check_every, .min = 1, .max = 1000000,
         .help = "training images between two tests"},
        SPEED_OPTIONS(s->speeds),
        {"recorded", ARG_STRING, &s->tuned.recorded,
         .help = "draw the results in this folder, recorded earlier"},
        {"full", ARG_FLAG, &full, .help = "each doubling, 5 seeds, 7 runs to tune each rate"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("1_batch_size", "Updates and time to a target accuracy, or loss, by batch size.",
               table, argc, argv);
    if (full)
        args_otherwise(table, "factor", "2", "seeds", "5", "tries", "7", NULL);
    if (text_named(run->data)) /* one window has 64 labels */
        args_otherwise(table, "model", "gpt-32-2-4", "smallest", "1", "largest", "256", "train",
                       "10000", "test", "500", "check-every", "500", "rate", "0.08", "target",
                       "1.5", NULL);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    static SizeStudy s;
    s = (SizeStudy){.tuned = {.study = {.title = "Lab 3 · batch size",
                                        .png = "batch_size.png",
                                        .work = size_work,
                                        .draw = size_draw,
                                        .report = size_report},
                              .budget = 5,
                              .seeds = 3},
                    .speeds = {SPEED_DEFAULTS},
                    .model = "mlp",
                    .smallest = 8,
                    .largest = 8192,
                    .factor = 4,
                    .train = 20000,
                    .test = 2000,
                    .check_every = 1000,
                    .rate = 0.02,
                    .momentum = 0.9,
                    .target = 0.82,
                    .epochs = 24,
                    .updates = 4000};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    stop_on_signals();
    Lab lab = lab_open(comm_open(run.comm), &run);
    lab_data(&lab, &run, NULL);
    lab_run(&lab, "lab3_batch_size", &run, table);
    s.tuned.study.lab = &lab;
    const char *missing = exercise_missing(NULL);
    s.ways = !missing;
    if (missing)
        run_say(lab.run, "without noise scale and branching: %s", missing);
    size_open(&s, &lab, run.seed);
    int status = study_run(&s.tuned.study, &lab);
    size_critical_free(&s);
    speed_free(&s.speeds);
    tuned_free(&s.tuned);
    lab_close(&lab);
    return status;
}
