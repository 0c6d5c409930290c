/* 6_optimisers.c: the optimisers that you wrote, on one task, each with a search over its rate; and
 * two extras: smoothed labels, averaged weights. Which reaches most in equally many updates, and
 * how much does its rate matter? Exercises: exercises/6a_momentum.c … 6j_average_weights.c.
 */
#include "check.h"
#include "lab3.h"
#include "optimisers/race_study.h"

static void parse(RunOptions *run, RaceStudy *s, Option *table, int argc, char **argv)
{
    static bool full;
    const Option options[] = {
        RUN_OPTIONS(*run),
        {"model", ARG_STRING, &s->model, .help = "mlp, cnn, resnet8 …"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 8192, .help = "images per update"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"epochs", ARG_REAL, &s->epochs, .min = 0.1, .max = 1000, .help = "of every training"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = RACE_SEEDS,
         .help = "trainings of each at its best rate"},
        {"decay", ARG_REAL, &s->decay, .min = 0, .max = 1, .help = "weight decay, of matrices"},
        {"smoothing", ARG_REAL, &s->smoothing, .min = 0, .max = 1, .help = "of labels"},
        {"full", ARG_FLAG, &full, .help = "10 seeds"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("6_optimisers", "Your optimisers on one task, each with a search over its rate.",
               table, argc, argv);
    if (full)
        args_otherwise(table, "seeds", "10");
}

static const AdamOptions options = {0.9, 0.999, 1e-8, 0, false};
static float w[4], a[4], b[4];
static const float g[4];
static void try_momentum(void *unused) { momentum(w, a, g, 4, 0, 0, 0); }
static void try_nesterov(void *unused) { nesterov(w, a, g, 4, 0, 0, 0); }
static void try_lars(void *unused) { lars(w, a, g, 4, 0, 0, 0, 0); }
static void try_larc(void *unused) { larc(w, a, g, 4, 0, 0, 0, 0); }
static void try_adam(void *unused) { adam(w, a, b, g, 4, 1, 0, &options); }
static void try_lamb(void *unused) { lamb(w, a, b, g, 4, 1, 0, &options); }
static void try_novograd(void *unused) { novograd(w, a, b, g, 4, 1, 0, &options); }
static void try_muon(void *unused) { muon(w, a, g, 2, 2, 0, 0, 0); }
static void try_smooth(void *unused) { smooth_labels(w, (const int32_t[]){0, 1}, 2, 2, 0); }
static void try_average(void *unused) { average_weights(a, w, 4, 1, 0); }

#define FILE_OF(name) "lab3_scale/exercises/" name ".c"
static const ExerciseUse uses[] = {{FILE_OF("6a_momentum"), try_momentum},
                                   {FILE_OF("6b_nesterov"), try_nesterov},
                                   {FILE_OF("6c_lars"), try_lars},
                                   {FILE_OF("6d_larc"), try_larc},
                                   {FILE_OF("6e_adam"), try_adam},
                                   {FILE_OF("6f_lamb"), try_lamb},
                                   {FILE_OF("6g_novograd"), try_novograd},
                                   {FILE_OF("6h_muon"), try_muon},
                                   {FILE_OF("6i_smooth_labels"), try_smooth},
                                   {FILE_OF("6j_average_weights"), try_average}};

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* the ranks share the trainings */
    static RaceStudy s;
    s = (RaceStudy){.study = {.title = "Lab 3 · optimisers",
                              .png = "optimisers.png",
                              .missing = exercise_missing(uses, sizeof uses / sizeof *uses),
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
    stop_on_signals();
    Lab lab = lab_open(comm_open(run.comm), &run);
    lab_data_first(&lab, &run, s.images, s.test);
    race_open(&s, &lab, (uint64_t)run.seed);
    lab_run(&lab, "lab3_optimisers", &run, table);
    int status = study_run(&s.study, &lab);
    lab_close(&lab);
    return status;
}
