/* 10_precision.c: training in 16 bits, emulated: what float16 rounds away, and the two remedies:
 * weights kept in float32, and a scaled loss. Exercises: exercises/10a_float16_of.c,
 * 10b_next_scale.c.
 */
#include "lab3.h"
#include "parts/10_precision/precision_study.h"

static void parse(RunOptions *run, PrecisionStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(*run),
        {"model", ARG_STRING, &s->model, .help = "mlp, cnn, resnet8 …"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 65536, .help = "images per update"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"epochs", ARG_REAL, &s->epochs, .min = 0.1, .max = 1000, .help = "epochs per run"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = PRECISION_SEEDS,
         .help = "runs of each kind"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "learning rate at the start; decays as a cosine"},
        {"momentum", ARG_REAL, &s->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        {"devices", ARG_INT, &s->devices, .min = 2, .max = 1024,
         .help = "devices to emulate, beside one: this many, and its square"},
        {"scale", ARG_REAL, &s->scale, .min = 1, .max = 1 << 24,
         .help = "what the loss is multiplied by at first"},
        {"interval", ARG_INT, &s->interval, .min = 1, .max = 1e6,
         .help = "passes in a row with finite gradients after which it doubles"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("10_precision", "Training in 16 bits: what rounding loses, and how to keep it.",
               table, argc, argv);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* the ranks share the trainings */
    static PrecisionStudy s;
    s = (PrecisionStudy){.study = {.program = "lab3_precision",
                                   .open = precision_open,
                                   .title = "Lab 3 · precision",
                                   .png = "precision.png",
                                   .missing = exercise_missing(NULL),
                                   .work = precision_work,
                                   .draw = precision_draw,
                                   .report = precision_report},
                         .model = "mlp",
                         .batch = 1024,
                         .images = 8192,
                         .test = 5000,
                         .seeds = 3,
                         .epochs = 12,
                         .rate = 0.1,
                         .momentum = 0.9,
                         .devices = 64,
                         .scale = 65536,
                         .interval = 20};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    return study_main(&s.study, &run, table, &s.images, &s.test);
}
