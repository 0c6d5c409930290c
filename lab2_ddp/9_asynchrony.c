/* 9_asynchrony.c: must all ranks wait for the slowest? A parameter server that waits for all
 * workers, for all but one, or for none. The figure shows what a slow worker costs in time, how old
 * the gradients become, and what that does to the accuracy. Exercises: exercises/9a_serve_next.c,
 * 9b_apply_stale.c, 9c_expected_staleness.c.
 */
#include "parts/9_asynchrony/async_study.h"

static void parse(RunOptions *run, AsyncStudy *s, const char **link, Option *table, int argc,
                  char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(*run),
        {"link", ARG_STRING, link,
         .help = "the network, on the virtual clock: BANDWIDTH,LATENCY, or none"},
        {"model", ARG_CHOICE, &s->model, .choices = "linear|mlp",
         .help = "networks without batch norm"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096, .help = "images per gradient"},
        {"gradients", ARG_INT, &s->gradients, .min = 1, .max = 1e6,
         .help = "gradients applied per run"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = STUDY_SEEDS, .help = "runs of each setting"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "learning rate of SGD with momentum"},
        {"momentum", ARG_REAL, &s->momentum, .min = 0, .max = 0.9999,
         .help = "momentum of the server's SGD"},
        {"compute", ARG_REAL, &s->compute, .min = 1e-3, .max = 1e6,
         .help = "milliseconds that the virtual clock charges for a gradient"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("9_asynchrony", "A parameter server, stale gradients and a slow worker.", table,
               argc, argv);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* a rank stands for a machine; the virtual clock is one thread's */
    static AsyncStudy s;
    const char *link = "10Gbit/s,20us";
    s = (AsyncStudy){.study = {.program = "lab2_asynchrony",
                               .open = async_open,
                               .close = async_close,
                               .title = "Lab 2 · asynchrony",
                               .png = "asynchrony.png",
                               .missing = exercise_missing(NULL),
                               .work = async_work,
                               .draw = async_draw,
                               .report = async_report},
                     .model = "mlp",
                     .batch = 32,
                     .images = 20000,
                     .test = 2000,
                     .gradients = 400,
                     .seeds = 3,
                     .rate = 0.05,
                     .momentum = 0.9,
                     .compute = 5};
    Option table[MOST_OPTIONS];
    parse(&run, &s, &link, table, argc, argv);
    s.link = link_read("--link=", link);
    link_choose(link, "virtual");
    return study_main(&s.study, &run, table, &s.images, &s.test);
}
