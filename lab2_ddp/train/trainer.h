/* trainer.h: the state of a training and the parts of lab 2's trainer that are the same on one rank and on many.
 */
#ifndef TRAINER_H
#define TRAINER_H
#include "checkpoint.h"
#include "lab2.h"
#include "trace.h"

typedef struct Trainer {
    const TrainOptions *o;
    Comm *comm;             /* NULL until step 1 is done */
    Backend *be;
    Dataset *data;
    Run *run;
    Trace *trace;           /* NULL without --trace */
    Model *model;
    Sgd *sgd;
    Schedule schedule;
    Progress at;            /* where the training stands */
    Loader *train, *test;
    int32_t *order, *mine;  /* of this epoch: all training pictures in their order; those that this process trains on */
    int32_t *test_order;    /* 0, 1, 2, … */
    Tensor totals;          /* F64 [2]: sum of losses and count of correct ones, over this epoch so far */
    int64_t saved;          /* the step of the last checkpoint, -1: none */
} Trainer;

/* The loaders and the lists of pictures, once the model is there. */
void trainer_batches(Trainer *t);
/* This process's metrics over the `images` pictures of this epoch so far. A loss that is not finite ends the run. */
Metrics trainer_metrics(Trainer *t, int images);
/* Write the timeline, say where the results lie, and free everything but t->comm. */
void trainer_finish(Trainer *t);
#endif
