/* 7_compression.c: remedies for a slow network: fewer bits, fewer elements, factors. Each trains
 * the same network on ranks that really exchange; the figure shows how long that takes on links of
 * 100 Mbit/s to 100 Gbit/s, and the bandwidth below which each remedy pays. Exercises:
 * exercises/7a_round_stochastic.c to 7i_pays_below.c.
 */
#include "check.h"
#include "parts/7_compression/compression_study.h"
#include <math.h>
#include <string.h>

typedef struct Choices {
    RunOptions run;
    const char *link;
    bool full;
} Choices;

static void parse(Choices *c, CompressionStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS_TEXT(c->run),
        {"model", ARG_STRING, &s->model, .help = "mlp; for text gpt-32-2-4 …"},
        {"link", ARG_STRING, &c->link,
         .help = "network of the training runs, BANDWIDTH,LATENCY; the figure's other bandwidths "
                 "have the same latency"},
        {"only", ARG_STRING, &s->only, .help = "only remedies whose name contains this"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 4096, .help = "images per rank and update"},
        {"images", ARG_INT, &s->images, .min = 64, .max = 1e6, .help = "training images used"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"updates", ARG_INT, &s->updates, .min = 5, .max = 5000, .help = "updates per run"},
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = STUDY_SEEDS, .help = "runs of each remedy"},
        {"hidden", ARG_INT, &s->hidden[0], .min = 16, .max = 4096,
         .help = "units of each of the two hidden layers"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100, .help = "learning rate (constant)"},
        {"momentum", ARG_REAL, &s->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        {"below", ARG_REAL, &s->below, .min = 0, .max = 0.9,
         .help = "the target is the plain exchange's test accuracy less this"},
        {"full", ARG_FLAG, &c->full,
         .help = "5 seeds, four times the updates and units, 10,000 test images"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("7_compression", "Which remedy for a slow network pays, and where?", table, argc,
               argv);
    if (text_named(c->run.data)) /* a window has 64 labels */
        args_otherwise(table, "model", "gpt-32-2-4", "batch", "8", "updates", "2000", "rate", "0.2",
                       NULL);
    args_only(table, "hidden", !strcmp(s->model, "mlp"), "--model mlp");
}

static const PlotKey keys[] = {{"space", "pause, resume"},
                               {"[ ]", "lower, higher target accuracy"},
                               {NULL, NULL}};

static void on_event(void *study, const PlotEvent *e)
{
    CompressionStudy *s = study;
    if (e->kind == PLOT_KEY && e->key == '[')
        s->below = fmin(s->below + 0.01, 0.5);
    else if (e->kind == PLOT_KEY && e->key == ']')
        s->below = fmax(s->below - 0.01, 0);
}

int main(int argc, char **argv)
{
    Choices c = {.run = run_options_default(), .link = "1Gbit/s,50us"};
    c.run.threads = 1; /* a rank stands for a machine; the virtual clock is one thread's */
    static CompressionStudy s;
    s = (CompressionStudy){.study = {.title = "Lab 2 · compression",
                                     .png = "compression.png",
                                     .missing = exercise_missing(NULL),
                                     .work = compression_work,
                                     .draw = compression_draw,
                                     .report = compression_report,
                                     .keys = keys,
                                     .event = on_event},
                           .model = "mlp",
                           .only = "",
                           .batch = 32,
                           .images = 60000,
                           .test = 2000,
                           .updates = 100,
                           .seeds = 3,
                           .hidden = {256},
                           .rate = 0.02,
                           .momentum = 0.9,
                           .below = 0.03};
    Option table[MOST_OPTIONS];
    parse(&c, &s, table, argc, argv);
    if (c.full) {
        s.seeds = 5;
        s.updates *= 4;
        s.hidden[0] *= 4;
        s.test = 10000;
    }
    s.hidden[1] = s.hidden[0];
    s.link = link_read("--link=", c.link);
    REQUIRE(isfinite(s.link.bandwidth), "--link=%s: this part needs a link", c.link);
    s.latency = s.link.latency;
    stop_on_signals();
    link_choose("none", "virtual"); /* a link only while an update is made */
    Comm *comm = comm_open(c.run.comm);
    REQUIRE(comm->size > 1, "needs at least 2 ranks: make lab2 ONLY=7_compression NP=2");
    Lab lab = lab_open(comm, &c.run);
    lab_data_first(&lab, &c.run, s.images, s.test);
    compression_open(&s, &lab, (uint64_t)c.run.seed);
    lab_run(&lab, "lab2_compression", &c.run, table);
    int status = study_run(&s.study, &lab);
    if (status == 0 && s.parted)
        status = EXIT_WRONG;
    compression_free(&s);
    lab_close(&lab);
    return status;
}
