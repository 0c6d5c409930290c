/* 9_speedrun.c: how fast can a network be trained to a given accuracy? The recipe of the CIFAR-10
 * speedruns, its seconds counted by their rules, beside a plain training in the same seconds;
 * --ablate leaves out one ingredient at a time. Nothing to write: everything to try.
 */
#include "lab3.h"
#include "parts/9_speedrun/speedrun.h"

static void parse(RunOptions *run, Speedrun *s, Option *table, int argc, char **argv)
{
    static bool full;
    Recipe *r = &s->recipe;
    bool *with = r->with;
    const Option options[] = {
        RUN_OPTIONS(*run),
        {"width", ARG_INT, &s->width, .min = 1, .max = 512, .help = "channels of the first group"},
        {"activation", ARG_CHOICE, &s->activation, .choices = "gelu|silu|relu",
         .help = "activation function"},
        {"batch", ARG_INT, &r->batch, .min = 1, .max = 16384, .help = "images per update"},
        {"images", ARG_INT, &r->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &r->test, .min = 50, .max = 1e6, .help = "test images used"},
        {"epochs", ARG_REAL, &r->epochs, .min = 0.01, .max = CURVE_POINTS,
         .help = "epochs of the recipe"},
        {"runs", ARG_INT, &s->runs, .min = 1, .max = SPEEDRUN_RUNS,
         .help = "runs of each kind, with consecutive seeds"},
        {"target", ARG_REAL, &s->target, .min = 0, .max = 1, .help = "test accuracy to reach"},
        {"compare", ARG_FLAG, &s->compare,
         .help = "also train a network with plain SGD for the same time"},
        {"ablate", ARG_FLAG, &s->ablate, .help = "leave out one ingredient at a time"},
        {"whitening", ARG_FLAG, &with[WITH_WHITENING], .help = "first filters whiten the images"},
        {"dirac", ARG_FLAG, &with[WITH_DIRAC], .help = "initialise filters as the identity"},
        {"muon", ARG_FLAG, &with[WITH_MUON], .help = "Muon for the filters (else SGD)"},
        {"smooth", ARG_FLAG, &with[WITH_SMOOTHING], .help = "label smoothing"},
        {"alternate", ARG_FLAG, &with[WITH_ALTERNATION], .help = "flip images in alternate epochs"},
        {"reflect", ARG_FLAG, &with[WITH_REFLECTION], .help = "pad shifted images by reflection"},
        {"fast-biases", ARG_FLAG, &with[WITH_FAST_BIASES],
         .help = "higher learning rate for biases"},
        {"see-twice", ARG_FLAG, &with[WITH_VIEWS],
         .help = "look again, shifted and mirrored, at test images of which the network is unsure"},
        {"muon-rate", ARG_REAL, &r->muon_rate, .min = 1e-9, .max = 100,
         .help = "learning rate of the filters with Muon"},
        {"sgd-rate", ARG_REAL, &r->sgd_rate, .min = 1e-9, .max = 100,
         .help = "learning rate of the filters without Muon, per image of a batch"},
        {"bias-rate", ARG_REAL, &r->bias_rate, .min = 1e-9, .max = 100,
         .help = "peak learning rate of the biases"},
        {"head-rate", ARG_REAL, &r->head_rate, .min = 1e-9, .max = 100,
         .help = "peak learning rate of the last layer"},
        {"smoothing", ARG_REAL, &r->smoothing, .min = 0, .max = 1,
         .help = "strength of the label smoothing"},
        {"shift", ARG_INT, &r->shift, .min = 0, .max = 16,
         .help = "shift images by up to this many pixels"},
        {"views", ARG_INT, &r->views, .min = 1, .max = 2,
         .help = "test-time views: 1 adds the mirror image, 2 also shifted images"},
        {"unsure", ARG_REAL, &r->unsure, .min = 0, .max = 1,
         .help =
             "--see-twice: share of the test images that are looked at again, the least certain"},
        {"plain-model", ARG_STRING, &s->plain.model,
         .help = "network of the plain baseline: mlp, cnn, resnet8 …"},
        {"plain-batch", ARG_INT, &s->plain.batch, .min = 1, .max = 16384,
         .help = "batch size of the plain baseline"},
        {"plain-rate", ARG_REAL, &s->plain.rate, .min = 1e-9, .max = 100,
         .help = "peak learning rate of the plain baseline"},
        {"processor-time", ARG_FLAG, &s->processor,
         .help = "measure the training thread's processor time (on a shared machine)"},
        {"full", ARG_FLAG, &full, .help = "airbench94's size: width 64, batch 2000, all images"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("9_speedrun", "A network trained to an accuracy, against the clock.", table, argc,
               argv);
    if (full) {
        args_otherwise(table, "width", "64", "batch", "2000", "images", "1000000", "test",
                       "1000000", "epochs", "8", "target", "0.94", NULL);
    }
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    static Speedrun s;
    s = (Speedrun){
        .study = {.program = "lab3_speedrun",
                  .open = speedrun_open,
                  .close = speedrun_free,
                  .title = "Lab 3 · the speedrun",
                  .png = "speedrun.png",
                  .work = speedrun_work,
                  .draw = speedrun_draw,
                  .report = speedrun_report},
        .recipe = recipe_default(),
        .plain = {.model = "resnet8", .batch = 32, .rate = 0.1, .momentum = 0.9, .decay = 5e-4},
        .activation = "gelu",
        .width = 16,
        .runs = 3,
        .target = 0.88,
        .compare = true};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    return study_main(&s.study, &run, table, &s.recipe.images, &s.recipe.test);
}
