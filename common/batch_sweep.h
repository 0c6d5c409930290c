/* batch_sweep.h: the effect of the batch size: speed (speed.h), and updates, epochs and time to a
 * target accuracy, over several seeds; as resumable runs, a table, and marks in a figure.
 *
 *     BatchSweep sweep = {defaults …};
 *     Option options[] = {RUN_OPTIONS(run), BATCH_SWEEP_OPTIONS(sweep), {0}};
 *     batch_sweep_open(&sweep, …);
 *     batch_sweep_run(&sweep, run);
 *     batch_sweep_table(&sweep, run);
 */
#ifndef BATCH_SWEEP_H
#define BATCH_SWEEP_H
#include "background_thread.h"
#include "plot.h"
#include "speed.h"
#include "task_farm.h"

/* A run's values, and the time that its updates take. */
enum { BATCH_STEPS, BATCH_EPOCHS, BATCH_VALUES, BATCH_SECONDS = BATCH_VALUES };
/* batch sizes at most */
enum { BATCH_SIZES = 24 };

typedef struct BatchSweep {
    const char *model, *scale; /* scale: how the rate grows with the batch: sqrt, linear, none */
    int smallest, largest, factor, seeds; /* batch sizes smallest, smallest·factor, …, largest */
    int train, test, check_every;
    double rate, momentum, target, epochs; /* rate: at batch 64 */
    int64_t seed;                          /* the first */
    Comm *comm;
    TargetSetup setup;
    Speeds speeds;
    Sweep *runs;                  /* setting: the batch; rank 0, else NULL */
    TaskFarmRun *farm;            /* during a run on this rank: tells it to stop */
    BackgroundThread *background; /* rank 0; NULL: none. Its lock guards what follows, and runs */
    int batch, done; /* the batch size now training on this rank, 0: none; finished runs */
    int64_t batch_seed;
} BatchSweep;

#define BATCH_SWEEP_OPTIONS(s) \
    {"model", ARG_STRING, &(s).model, .help = "mlp, cnn, resnet8 …"}, \
        {"smallest", ARG_INT,      &(s).smallest, \
         .min = 1,   .max = 65536, .help = "smallest batch, images per update"}, \
        {"largest", ARG_INT, &(s).largest, .min = 1, .max = 65536, .help = "largest batch"}, \
        {"factor", ARG_INT,   &(s).factor, \
         .min = 2, .max = 64, .help = "ratio of successive batch sizes"}, \
        {"seeds", ARG_INT, &(s).seeds, .min = 1, .max = 100, .help = "runs per batch size"}, \
        {"rate", ARG_REAL, &(s).rate, .min = 1e-6, .max = 100, .help = "η at batch 64"}, \
        {"scale", ARG_CHOICE, &(s).scale, .choices = "sqrt|linear|none", \
         .help = "how the learning rate grows with the batch"}, \
        {"momentum", ARG_REAL, &(s).momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"}, \
        {"target", ARG_REAL, &(s).target, .min = 0.01, .max = 1, .help = "target test accuracy"}, \
        {"epochs",    ARG_REAL,    &(s).epochs, \
         .min = 0.01, .max = 1000, .help = "stop a run after this many epochs"}, \
        {"train", ARG_INT, &(s).train, .min = 100, .max = 1000000, .help = "training images"}, \
        {"test", ARG_INT, &(s).test, .min = 100, .max = 1000000, .help = "test images"}, \
    { \
        "check-every", ARG_INT, &(s).check_every, .min = 1, .max = 1000000, \
                                                  .help = "training images between two tests" \
    }

/* After args_parse: fills in setup. Options that do not fit the data end the run (exit 2); train
 * and test are cut to the images available. */
void batch_sweep_open(BatchSweep *b, Comm *comm, Backend *be, const Dataset *data, int64_t seed);
/* sweep.csv and speed.csv in the run's folder, on rank 0; b->speeds may have more
 * batch sizes. */
void batch_sweep_file(BatchSweep *b, Run *run);
void batch_sweep_free(BatchSweep *b);

/* Runs with the same configuration are comparable: model, data, device with its threads per rank,
 * world size and all other settings but the batch sizes and seeds asked for. A new object. */
json_t *batch_sweep_config(const BatchSweep *b);
double batch_sweep_rate(const BatchSweep *b, int batch);
int batch_sweep_sizes(const BatchSweep *b, int size[BATCH_SIZES]); /* returns how many */

/* The speeds, then all missing runs, seed by seed, each on the next free rank; for the same number
 * of threads per rank the runs are the same on any number of ranks. False: interrupted (Ctrl-C, or
 * background is stopped). Collective. */
bool batch_sweep_run(BatchSweep *b, Run *run);

void batch_sweep_table(const BatchSweep *b, Run *run);
/* One value over the seeds. Times: the runs' updates times the median time of an update. */
Spread batch_sweep_spread(const BatchSweep *b, int size, int value);
/* One value over the batch sizes: the median of the runs that have it, with a bar from lowest to
 * highest. BATCH_STEPS: with "perfect scaling". Batches with runs that missed the target get a
 * cross at the top. style.label NULL: "median of N runs". */
void batch_sweep_draw(const BatchSweep *b, PlotPanel *panel, int value, PlotStyle style);
/* one point per run */
void batch_sweep_dots(const BatchSweep *b, PlotPanel *panel, int value, PlotStyle style);
#endif
