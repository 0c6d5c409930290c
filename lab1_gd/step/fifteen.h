/* fifteen.h: a training step in fifteen parts, each timed on every rank, and its picture.
 */
#ifndef FIFTEEN_H
#define FIFTEEN_H
#include "comm.h"
#include "data.h"
#include "loader.h"
#include "optim.h"
#include "plot.h"
#include "trace.h"
#include <pthread.h>

/* The parts in a batch's order. READ to QUEUE belong to the loader's thread and run beside the step
 * before; the others are the training thread's. */
typedef enum {
    READ,       /* the pictures' bytes, out of the data set */
    TO_DEVICE,  /* transport of the bytes; on a CPU a copy */
    PREPARE,    /* pre-process: augment, bytes to normalised numbers */
    QUEUE,      /* ready, until the training thread takes it */
    TO_NETWORK, /* transport into the network's input; on a CPU a copy */
    FORWARD_1,
    FORWARD_2,
    FORWARD_3, /* layer by layer, cut in three: stem and layer1, layer2, layer3 and classifier */
    LOSS,
    BACKWARD_3,
    BACKWARD_2,
    BACKWARD_1,
    OPTIMISER, /* the optimiser's step begins with the ranks' gradients: the all-reduce */
    UPDATE,    /* velocity and weights */
    RETURN,    /* the loss goes back to the host, the gradients to zero */
    PARTS
} Part;
extern const char *const part_names[PARTS]; /* "1 read", … */

enum { LATER = 4, MOST_LAYERS = 192, REMEMBERED = 64, HISTORY = 256, WARM_UP = 3 };

typedef struct Span {
    double began, ended;
} Span; /* seconds, timer.h; both 0: there is none */

/* One step of one rank. */
typedef struct StepRecord {
    Span whole, waits; /* from asking for the batch to the end of RETURN; of that, waiting for
                        * the batch */
    Span part[PARTS];
    Span layer[2][MOST_LAYERS]; /* forward, backward */
    Span later[LATER][QUEUE];   /* READ, TO_DEVICE, PREPARE of the next batches */
} StepRecord;

/* A value's median over many steps, and the range of its middle 80 %. Seconds. */
typedef struct Spread {
    double median, low, high;
} Spread;

typedef struct TimedTraining {
    Comm *comm;
    Backend *be;
    const Dataset *data;
    Images images; /* the first `count` training pictures: a view */
    Model *m;
    Sgd *sgd;
    Loader *loader;
    Trace *trace;
    Tensor x, label, totals; /* the network's input; F64 [2] */
    Tensor weight;           /* F32 [batch] of each image's loss: 1/P; none where P is 1 */
    int32_t *order, *mine;   /* of a pass: all images, this rank's */
    int batch, updates;      /* pictures per rank and step; steps per pass */
    double rate, loss;       /* learning rate; mean loss of this rank's last batch */
    uint64_t seed;
    int64_t steps, pass_first; /* made so far; the first one of this pass */
    double began;              /* of the layer under way, and of the part */
    double part_began;
    double history[PARTS + 1][HISTORY]; /* seconds of the last steps' parts, and of the whole */
    pthread_mutex_t lock;               /* guards ring[] against the loader's thread */
    StepRecord ring[REMEMBERED];        /* step t at t % REMEMBERED */
} TimedTraining;

/* model: a residual net's name; batch: per rank; `pictures` of the training set are used. trace:
 * record a timeline. */
TimedTraining *timed_training_new(Comm *c, Backend *be, const Dataset *data, const char *model,
                                  int batch, int pictures, double rate, uint64_t seed);
void timed_training_free(TimedTraining *t);
void timed_training_step(TimedTraining *t);
/* Among the last steps one of median length, whose successors' batches are loaded too; -1: too few
 * so far. */
int64_t timed_training_median_step(const TimedTraining *t);
/* Of the last `most` steps: how long it took. Part PARTS: the whole step. */
Spread timed_training_spread(const TimedTraining *t, int part);

/* What the picture needs of one rank. Travels as bytes. */
typedef struct StepReport {
    StepRecord record;
    Spread spread[PARTS + 1];
    double computing, loading; /* share of the step that the training thread computes, that the
                                * loader's thread is busy */
    int64_t step, steps;
    int layers, part_of[MOST_LAYERS]; /* which forward part (0, 1, 2) a layer belongs to */
    double loss;
} StepReport;
StepReport timed_training_report(TimedTraining *t, int64_t step, bool busy_is_written);

/* The picture of one step on `ranks` ranks. missing: what is to do, or NULL. */
void fifteen_draw(Plot *plot, const StepReport *report, int ranks, const char *title,
                  const char *state, const char *missing);
#endif
