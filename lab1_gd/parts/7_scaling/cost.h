/* cost.h: what a training run costs: from cars to terabytes, from terabytes to days on N devices;
 * and a published automotive example, reproduced value by value.
 */
#ifndef COST_H
#define COST_H
#include "args.h"
#include "plot.h"
#include "run.h"

/* A project. Its data: cars × TB/h × hours × days, of which a fraction is kept. */
typedef struct Cost {
    double cars, tb_per_hour, days, hours; /* recording: hours per day */
    double fraction;                       /* of it that is left after compression and selection */
    double example_kb, epochs;             /* kB per training example; passes over them */
    double gflop;           /* forward pass of one example; a training step is three times that */
    double tflops, devices; /* TFLOP/s that one device sustains; number of devices */
} Cost;

Cost cost_default(void); /* the example's first row: 100 cars, InceptionV3, one Pascal GPU */

#define COST_OPTIONS(c) \
    {"cars", ARG_REAL, &(c).cars, .min = 1e-9, .max = 1e12, .help = "cost: cars that record"}, \
        {"tb-per-hour", ARG_REAL,   &(c).tb_per_hour, \
         .min = 1e-9,   .max = 1e9, .help = "cost: TB that a car records per hour"}, \
        {"days", ARG_REAL, &(c).days, .min = 1e-9, .max = 1e6, .help = "cost: days of recording"}, \
        {"hours", ARG_REAL, &(c).hours, .min = 1e-9, .max = 24, .help = "cost: hours per day"}, \
        {"fraction",   ARG_REAL, &(c).fraction, \
         .min = 1e-12, .max = 1, .help = "cost: fraction of the data that is trained on"}, \
        {"example-kb", ARG_REAL,    &(c).example_kb, \
         .min = 1e-9,  .max = 1e12, .help = "cost: kB per training example"}, \
        {"cost-epochs", ARG_REAL,   &(c).epochs, \
         .min = 1e-9,   .max = 1e9, .help = "cost: passes over the data"}, \
        {"gflop",      ARG_REAL,    &(c).gflop, \
         .min = 1e-12, .max = 1e15, .help = "cost: GFLOP of one example's forward pass"}, \
        {"tflops",    ARG_REAL,   &(c).tflops, \
         .min = 1e-9, .max = 1e9, .help = "cost: TFLOP/s that one device sustains"}, \
    { \
        "devices", ARG_REAL, &(c).devices, .min = 1, .max = 1e9, .help = "cost: number of devices" \
    }

/* The example: each of our values beside the published one; then the project of the options. */
void cost_table(const Cost *c, Run *run);
/* Days by number of devices: the example's four runs with the published points, and the project. */
void cost_draw(const Cost *c, PlotPanel *panel);
#endif
