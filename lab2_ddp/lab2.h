/* lab2.h: the functions that you write in lab 2 (their contracts are in exercises/), and the
 * trainer's options and report.
 */
#ifndef LAB2_H
#define LAB2_H
#include "comm.h"
#include "epoch_order.h"
#include "evaluate.h"
#include "link.h"
#include "optim.h"
#include "run.h"
#include "schedule.h"
#include <mpi.h>

/* ---- part 2: exercises/2a to 2f ---- */

/* Every rank ends with the sum over the ranks of v [count]. */
typedef void AllReduce(float *v, int count, MPI_Comm comm);
AllReduce all_reduce_naive, all_reduce_ring, all_reduce_doubling, all_reduce_halving,
    all_reduce_tree;

typedef enum {
    ALL_REDUCE_NAIVE,
    ALL_REDUCE_RING,
    ALL_REDUCE_DOUBLING,
    ALL_REDUCE_HALVING,
    ALL_REDUCE_TREE,
    ALL_REDUCES
} Algorithm;
/* What an all-reduce takes, in seconds; alpha: seconds, beta: seconds per byte. */
double all_reduce_seconds(Algorithm a, int P, double bytes, double alpha, double beta);

/* The gradient in buckets, whose all-reduces run while the backward pass goes on. */
enum { MOST_BUCKETS = 256 };
typedef struct Buckets {
    Comm *comm;
    Stream *s;
    Tensor grads; /* the flat gradient, F32 */
    double least; /* bytes: a bucket that has as many is started */
    /* The open bucket, elements [first, end) of grads: complete on this rank, and not started.
     * Before the backward pass both are grads.n. */
    size_t first, end;
    CommRequest *flight[MOST_BUCKETS]; /* the all-reduces started, in this order */
    int count;
} Buckets;

/* exercises/4a_bucket_add.c, 4b_bucket_finish.c, 4c_exposed_seconds.c */
void bucket_add(Buckets *b, size_t first, int count);
void bucket_finish(Buckets *b);
double exposed_seconds(const double *seconds, const double *bytes, int layers, double least, int P,
                       Link link);

/* exercises/5a_partition.c, 5b_share_seen.c */
typedef enum {
    PARTITION_PLAIN,
    PARTITION_CUT,
    PARTITION_OWN_ORDERS,
    PARTITION_ONE_ORDER,
    PARTITION_KINDS
} PartitionKind;
int partition(int32_t *mine, PartitionKind kind, int count, int rank, int size, uint64_t seed,
              int epoch);
double share_seen(PartitionKind kind, int size, int epochs);

/* ---- the trainer's options: train_options.c ---- */

typedef struct TrainOptions {
    RunOptions run;
    const char *model, *hidden, *schedule, *resume;
    const char *link, *clock; /* in force: --link and --clock, or LABS_LINK and LABS_CLOCK */
    bool skip, batchnorm, nesterov, flip;
    int ghost, shift, cutout;
    int epochs, steps, checkpoint_every;
    int batch, accumulate;   /* images per rank and micro-batch; micro-batches per update */
    int images, test_images; /* use only the first ones; 0: all */
    /* warmup, drop_every: epochs */
    double rate, warmup, momentum, weight_decay, drop_every, drop_by, baseline;
    int64_t init_seed;          /* of the initial weights alone */
    Option table[MOST_OPTIONS]; /* what --help shows; points into this struct: do not copy it */
} TrainOptions;

void train_options(TrainOptions *o, int argc, char **argv); /* defaults, then argv */
ModelSpec train_model_spec(const TrainOptions *o, const Dataset *d);
/* The data set, cut to --images and --test-images. */
Dataset *train_dataset(const TrainOptions *o);

/* ---- what the trainer prints: train_report.c ---- */

/* One epoch, as a line of the table. */
typedef struct EpochRow {
    int epoch, epochs;      /* epoch counts from 1 here */
    double rate;            /* of its last update */
    Metrics train, test;    /* over all ranks */
    double seconds, waited; /* of the training; of that, waiting for the loader */
} EpochRow;

/* Print which steps are still to do (0 ends the list), and note them for the self-check. */
void report_to_do(Run *r, const char *file, const int *to_do);
void report_start(Run *r, const TrainOptions *o, const Model *m, int global_batch, int per_epoch);
/* done of total: images of this epoch, over all ranks; own: this rank's metrics so far. */
void report_progress(Run *r, const EpochRow *row, int64_t done, int64_t total, Metrics own);
void report_epoch(Run *r, const EpochRow *row); /* a line of the table and of metrics.csv */
/* images: trained on, over all ranks and epochs; seconds: the time that took, without tests. */
void report_end(Run *r, const TrainOptions *o, Metrics test, double images, double seconds,
                int ranks);
void report_stop(Run *r, int64_t step);
/* ---- part 6: exercises/6a_efficiency.c, 6b_bandwidth_for.c ---- */

/* One update as every rank makes it. */
typedef struct UpdateWork {
    double forward, backward; /* seconds of computing; the update of the weights is in `forward` */
    double bytes;             /* of the gradient */
    int buckets;              /* equal parts in which it is exchanged; 1: all after the backward */
} UpdateWork;
double efficiency(int P, UpdateWork work, Link link);
double bandwidth_for(int P, UpdateWork work, double latency, double wanted);

/* ---- part 7: exercises/7a … ---- */

/* ---- part 8: exercises/8a … ---- */

/* ---- part 9: exercises/9a … ---- */

/* ---- part 10: exercises/10a … ---- */

/* ---- part 11: exercises/11a … ---- */

#endif
