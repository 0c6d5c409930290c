/* fifteen.h: a training step in fifteen parts, each timed on every rank.
 */
#ifndef FIFTEEN_H
#define FIFTEEN_H
#include "comm.h"
#include "data.h"
#include "loader.h"
#include "optim.h"
#include "trace.h"
#include <pthread.h>

/* The parts in a batch's order. READ to QUEUE belong to the loader's thread and overlap with the
 * step before; the others belong to the training thread. */
typedef enum {
    READ,       /* the images' bytes, from the data set */
    TO_DEVICE,  /* transport of the bytes; on a CPU a copy */
    PREPARE,    /* pre-process: augment, normalise the bytes to floats */
    QUEUE,      /* ready, until the training thread takes it */
    TO_NETWORK, /* transport into the network's input; on a CPU a copy */
    FORWARD_1,
    FORWARD_2,
    FORWARD_3, /* three parts: stem and layer1, layer2, layer3 and classifier */
    LOSS,
    BACKWARD_3,
    BACKWARD_2,
    BACKWARD_1,
    OPTIMISER, /* the all-reduce of the ranks' gradients */
    UPDATE,    /* velocity and weights */
    RETURN,    /* the loss returns to the host; gradients are zeroed */
    PARTS
} Part;
extern const char *const part_names[PARTS]; /* "1 read", … */

enum { LATER = 4, MOST_LAYERS = 192, REMEMBERED = 64, HISTORY = 256, WARM_UP = 3 };

/* In seconds, timer.h; both 0: none. */
typedef struct Span {
    double began, ended;
} Span;

/* One step of one rank. */
typedef struct StepRecord {
    Span whole, waits; /* from the request for the batch to the end of RETURN; of that, the wait
                        * for the batch */
    Span part[PARTS];
    Span layer[2][MOST_LAYERS]; /* forward, backward */
    Span later[LATER][QUEUE];   /* READ, TO_DEVICE, PREPARE of the next batches */
} StepRecord;

/* A time's median over many steps, and the range of its middle 80 %, in seconds. */
typedef struct PartSpread {
    double median, low, high;
} PartSpread;

typedef struct TimedTraining {
    Comm *comm;
    Backend *be;
    const Dataset *data;
    Images images; /* the training images used: a view */
    Model *m;
    Sgd *sgd;
    Loader *loader;
    Trace *trace;
    Tensor x, label, totals; /* the network's input; F64 [2] */
    Tensor weight;           /* F32 [batch] of each image's loss: 1/P; none if P is 1 */
    int32_t *order, *mine;   /* of an epoch: all images, this rank's */
    int batch, updates;      /* images per rank and step; steps per epoch */
    double rate, loss;       /* learning rate; mean loss of this rank's last batch */
    uint64_t seed;
    int64_t steps, epoch_first; /* steps so far; the first one of this epoch */
    double began, part_began;   /* when the current layer began, and the current part */
    double history[PARTS + 1]
                  [HISTORY];     /* seconds of the last steps' parts, and of the whole step */
    pthread_mutex_t lock;        /* guards ring[] against the loader's thread */
    StepRecord ring[REMEMBERED]; /* step t at t % REMEMBERED */
} TimedTraining;

/* model: a residual net's name; batch: per rank; the first `count` training images are used. */
TimedTraining *timed_training_new(Comm *c, Backend *be, const Dataset *data, const char *model,
                                  int batch, int count, double rate, uint64_t seed);
void timed_training_free(TimedTraining *t);
void timed_training_step(TimedTraining *t);
/* One of the last steps, of median length, with the batches of its successors loaded; -1: too few
 * steps so far. */
int64_t timed_training_median_step(const TimedTraining *t);

/* What the figure needs from one rank; sent as bytes. */
typedef struct StepReport {
    StepRecord record;
    PartSpread spread[PARTS + 1];
    double computing, loading; /* fraction of the step in which the training thread computes, the
                                * loader's thread is busy; NAN: not known */
    int64_t step, steps;
    int layers, part_of[MOST_LAYERS]; /* which forward part (0, 1, 2) a layer belongs to */
    double loss;
} StepReport;
StepReport timed_training_report(TimedTraining *t, int64_t step, bool busy_is_written);
#endif
