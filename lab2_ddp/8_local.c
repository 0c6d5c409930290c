/* 8_local.c: talk less. Every rank trains on its own for H updates; then the ranks exchange what
 * they have learnt: by averaging their weights (local SGD), late (delayed averaging), with an
 * optimiser of its own (DiLoCo), or few elements of it in few bits (SparseLoCo). The figure shows
 * what that costs in accuracy and saves in bytes. Exercises: exercises/8a_local_due.c to
 * 8d_sparse_delta.c.
 */
#include "lab2.h"
#include "parts/8_local/local_study.h"

static void parse(RunOptions *run, LocalStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS_TEXT(*run),
        {"model", ARG_STRING, &s->model,
         .help = "a network without batch norm: linear, mlp; for text gpt-32-2-4 …"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096, .help = "images per rank and update"},
        {"updates", ARG_INT, &s->updates, .min = 1, .max = 1e6, .help = "updates per run"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = STUDY_SEEDS, .help = "runs of each setting"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "initial learning rate; decays as a cosine"},
        {"momentum", ARG_REAL, &s->spec.momentum, .min = 0, .max = 0.9999,
         .help = "momentum of each rank's SGD"},
        {"plain", ARG_LONG, &s->spec.plain, .min = 0, .max = 1e6,
         .help = "first this many updates with an exchange after each, then local SGD (post-local "
                 "SGD)"},
        {"outer-rate", ARG_REAL, &s->spec.outer_rate, .min = 0, .max = 100,
         .help = "learning rate of the outer steps"},
        {"outer-momentum", ARG_REAL, &s->spec.outer_momentum, .min = 0, .max = 0.9999,
         .help = "momentum of DiLoCo's outer steps"},
        {"keep", ARG_INT, &s->spec.keep, .min = 1, .max = SPARSE_CHUNK,
         .help = "elements that SparseLoCo sends out of each 4096"},
        {"decay", ARG_REAL, &s->spec.decay, .min = 0, .max = 1,
         .help = "SparseLoCo: share of what was not sent that is kept for the next exchange"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("8_local", "Ranks that train on their own and exchange now and then.", table, argc,
               argv);
    if (text_named(run->data)) /* a window has 64 labels */
        args_otherwise(table, "model", "gpt-32-2-4", "batch", "4", "updates", "2000", "rate", "0.2",
                       NULL);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* a rank stands for a machine */
    static LocalStudy s;
    s = (LocalStudy){.study = {.program = "lab2_local",
                               .open = local_open,
                               .title = "Lab 2 · local SGD",
                               .png = "local.png",
                               .missing = exercise_missing(NULL),
                               .work = local_work,
                               .draw = local_draw,
                               .report = local_report},
                     .model = "mlp",
                     .batch = 16,
                     .updates = 600,
                     .images = 20000,
                     .test = 5000,
                     .seeds = 2,
                     .rate = 0.05,
                     .spec = {.momentum = 0.9,
                              .outer_rate = 0.7,
                              .outer_momentum = 0.5,
                              .keep = 64,
                              .decay = 0.95,
                              .two_bits = true}};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    return study_main(&s.study, &run, table, &s.images, &s.test);
}
