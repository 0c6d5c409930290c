/* lab2.h: what the programs and exercises of lab 2 share: the exercises' contracts, the order of an epoch, the
 * trainer's options and its report.
 */
#ifndef LAB2_H
#define LAB2_H
#include <mpi.h>
#include "evaluate.h"
#include "optim.h"
#include "order.h"
#include "run.h"
#include "schedule.h"

/* ---- exercise: all_reduce_ring.c ---- */

/* Ring all-reduce, the mechanism under step 6: every rank ends with the sum over ranks of v [count].
 *
 * The P ranks form a ring: rank r sends to r+1 and receives from r-1, modulo P. v is cut into P chunks as equal as can
 * be: chunk k is [count*k/P, count*(k+1)/P), whole-number division; with count < P some are empty.
 *   1. reduce-scatter, P-1 steps: in step i = 0 … P-2 rank r sends chunk r-i and adds the chunk r-i-1 that arrives to
 *      its own. After it rank r holds the whole sum of chunk r+1.
 *   2. all-gather, P-1 steps: in step i rank r sends chunk r+1-i and overwrites its own chunk r-i with what arrives.
 * Every rank ends with the same bits, for each chunk is summed once, in one order, and then copied. Each rank sends
 * about 2 (P-1)/P * count numbers: hardly more than twice the data, however many ranks there are.
 *
 * Any P >= 1, any count >= 0. Only MPI's point-to-point functions. Two ranks that both wait in MPI_Send for the other
 * to receive never end: MPI_Sendrecv does both at once.
 * Patarasuk & Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009. */
void all_reduce_ring(float *v, int count, MPI_Comm comm);

/* ---- the trainer's options: train_options.c ---- */

typedef struct TrainOptions {
    RunOptions run;
    const char *model, *hidden, *schedule, *resume;
    bool skip, batchnorm, nesterov, flip;
    int ghost, shift, cutout;
    int epochs, batch, steps, checkpoint_every; /* batch: pictures per rank and update */
    int images, test_images;                    /* use only so many; 0: all */
    double rate, warmup, momentum, weight_decay, drop_every, drop_by, baseline; /* warmup, drop_every: epochs */
    int64_t init_seed;                          /* of the initial weights alone */
    Option table[MOST_OPTIONS];                 /* what --help shows; points into this struct: do not copy it */
} TrainOptions;

void train_options(TrainOptions *o, int argc, char **argv); /* defaults, then argv */
ModelSpec train_model_spec(const TrainOptions *o, const Dataset *d);
/* The data set, cut to --images and --test-images. */
Dataset *train_dataset(const TrainOptions *o);

/* ---- what the trainer says: train_report.c ---- */

/* One epoch, as a line of the table. */
typedef struct EpochRow {
    int epoch, epochs;      /* epoch counts from 1 here */
    double rate;            /* of its last update */
    Metrics train, test;    /* over all ranks */
    double seconds, waited; /* of the training; of that, waiting for the loader */
} EpochRow;

/* Say which steps are still to do (numbers, 0 ends the list), and note them for the self-check. */
void report_to_do(Run *r, const char *file, const int *to_do);
void report_start(Run *r, const TrainOptions *o, const Model *m, int global_batch, int per_epoch);
/* done of total: pictures of this epoch, over all ranks; own: this rank's metrics so far. */
void report_progress(Run *r, const EpochRow *row, int64_t done, int64_t total, Metrics own);
void report_epoch(Run *r, const EpochRow *row); /* a line of the table and of metrics.csv */
/* images, seconds: trained on, over all ranks and epochs, and how long it took without tests. */
void report_end(Run *r, const TrainOptions *o, Metrics test, double images, double seconds, int ranks);
void report_stop(Run *r, int64_t step);
#endif
