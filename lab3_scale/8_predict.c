/* 8_predict.c: how fast is a training on 1 … 1,536 devices? The time of an update here, measured,
 * and a network of your choice; keys change both. Beside it what others have measured.
 * Exercise: exercises/8a_step_seconds.c.
 *
 * Not modelled: reading the data, stragglers, a slower clock under load, networks that several
 * share, memory; nor how many updates a larger batch needs (parts 1 to 7).
 */
#include "link.h"
#include "parts/8_predict/predictor.h"
#include <math.h>

static const PlotKey keys[] = {{"d D", "fewer, more devices"},
                               {"b B", "less, more bandwidth"},
                               {"l L", "less, more latency"},
                               {"i I", "smaller, larger batch"},
                               {"p", "precision: fp32, bf16"},
                               {"space", "pause, resume"},
                               {NULL, NULL}};

static double clamp(double v, double low, double high) { return fmin(fmax(v, low), high); }

static void on_event(void *study, const PlotEvent *e)
{
    Predictor *p = study;
    if (e->kind != PLOT_KEY)
        return;
    switch (e->key) {
    case 'd': p->devices = (int)clamp(p->devices / 2, 1, MOST_DEVICES); break;
    case 'D': p->devices = (int)clamp(p->devices * 2, 1, MOST_DEVICES); break;
    case 'b': p->gbits = clamp(p->gbits / 2, 1e-3, 1e4); break;
    case 'B': p->gbits = clamp(p->gbits * 2, 1e-3, 1e4); break;
    case 'l': p->latency = clamp(p->latency / 2, 0.01, 1e5); break;
    case 'L': p->latency = clamp(p->latency * 2, 0.01, 1e5); break;
    case 'i': p->batch = (int)clamp(p->batch / 2, 1, 65536); break;
    case 'I': p->batch = (int)clamp(p->batch * 2, 1, 65536); break;
    case 'p': p->half = !p->half; break;
    default: break;
    }
}

static void parse(RunOptions *run, Predictor *p, const char **link, const char **clock,
                  Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(*run),
        LINK_OPTIONS(*link, *clock),
        {"model", ARG_STRING, &p->model, .help = "mlp, cnn, resnet8 …"},
        {"devices", ARG_INT, &p->devices, .min = 1, .max = MOST_DEVICES,
         .help = "initial number of devices"},
        {"per-node", ARG_INT, &p->per_node, .min = 1, .max = 64, .help = "devices per machine"},
        {"batch", ARG_INT, &p->batch, .min = 1, .max = 65536, .help = "images per device"},
        {"gbits", ARG_REAL, &p->gbits, .min = 1e-3, .max = 1e4,
         .help = "Gbit/s between machines (inside one: measured here; on one rank: 10 times this)"},
        {"latency", ARG_REAL, &p->latency, .min = 0.01, .max = 1e5,
         .help =
             "µs per message between machines (inside one: measured here; on one rank: a tenth)"},
        {"overlap", ARG_REAL, &p->overlap, .min = 0, .max = 1,
         .help = "share of the computing time during which messages can travel"},
        {"faster", ARG_REAL, &p->faster, .min = 1, .max = 64,
         .help = "how many times as fast BF16 computes as FP32"},
        {"watts", ARG_REAL, &p->watts, .min = 0, .max = 1e5, .help = "power of a device, in watts"},
        {"price", ARG_REAL, &p->price, .min = 0, .max = 1e5, .help = "price of a device per hour"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("8_predict", "Images per second on 1 to 1,536 devices, predicted.", table, argc,
               argv);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* a rank stands for a device */
    static Predictor p;
    p = (Predictor){.study = {.program = "lab3_predict",
                              .open = predictor_open,
                              .title = "Lab 3 · predict",
                              .png = "predict.png",
                              .work = predictor_work,
                              .draw = predictor_draw,
                              .report = predictor_report,
                              .keys = keys,
                              .event = on_event,
                              .missing = exercise_missing(NULL)},
                    .images = 8192, /* as many as it needs */
                    .test = 16,
                    .model = "resnet8",
                    .devices = 64,
                    .per_node = 8,
                    .batch = 32,
                    .gbits = 1,
                    .latency = 20,
                    .overlap = 0.5,
                    .faster = 2,
                    .watts = 300,
                    .price = 2};
    const char *link = NULL, *clock = NULL;
    Option table[MOST_OPTIONS];
    parse(&run, &p, &link, &clock, table, argc, argv);
    link_choose(link, clock);
    return study_main(&p.study, &run, table, &p.images, &p.test);
}
