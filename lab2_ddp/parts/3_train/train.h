/* train.h: what the trainers of part 3 are given: options, data set, report. */
#ifndef TRAIN_H
#define TRAIN_H
#include "checkpoint.h"
#include "comm.h"
#include "epoch_order.h"
#include "evaluate.h"
#include "optim.h"
#include "run.h"
#include "schedule.h"

/* ---- the trainer's options: train_options.c ---- */

/* What a training resumes from. */
typedef struct Resumed {
    Progress from;   /* where the checkpoint is */
    char *model;     /* its kind of network; NULL: unknown */
    char *earlier;   /* the rows of its epochs, in metrics.csv; NULL: none */
    json_t *options; /* the run's that wrote it, from its config.json; NULL: none */
    int images;      /* training images now */
    int64_t asked;   /* --seed, */
    bool asks;       /* if it was given */
} Resumed;

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
    struct Resumed *resumed;    /* NULL without --resume */
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

#define TRAIN_COLUMNS \
    "epoch,rate,loss,train_accuracy,test_loss,test_accuracy,images_per_s,seconds,waited"

/* Print which steps are still to do (0 ends the list), and note them for the self-check. */
void report_to_do(Run *r, const char *file, const int *to_do);
/* m is what the other functions report on. Of text they print loss and accuracy per character,
 * though the trainer counts windows, and after each epoch a sample of what m writes. */
void report_start(Run *r, const TrainOptions *o, Model *m, int global_batch, int per_epoch);
/* done of total: images of this epoch, over all ranks; own: this rank's metrics so far. */
void report_progress(Run *r, const EpochRow *row, int64_t done, int64_t total, Metrics own);
void report_epoch(Run *r, const EpochRow *row); /* a line of the table and of metrics.csv */
/* count: images trained on, over all ranks and epochs; seconds: the time that took, without
 * tests. */
void report_end(Run *r, const TrainOptions *o, Metrics test, double count, double seconds,
                int ranks);
void report_stop(Run *r, int64_t step);
#endif
