/* train_to_target.h: training on one rank, until it reaches an accuracy, of text a loss, or for a
 * given number of updates on a part of the data; and its speed alone.
 *
 * Several ranks speed this up by taking whole trainings each (task_farm.h): they need not
 * communicate meanwhile, and each training gives the same result as on one rank with the same
 * number of threads.
 */
#ifndef TRAIN_TO_TARGET_H
#define TRAIN_TO_TARGET_H
#include "loader.h"
#include "method.h"
#include "model.h"

/* What stays the same over many runs. */
typedef struct TargetSetup {
    Backend *be;
    const Dataset *data;
    ModelSpec spec;
    double momentum, weight_decay; /* of SGD, where method.make is NULL */
    MethodMaker method;            /* how it trains; zero: SGD */
    double target;                 /* accuracy on the test images, 0 … 1; of text the loss */
    double epochs;                 /* stop after this many */
    int updates;                   /* … or after this many; 0: no limit */
    int micro; /* gradient accumulation: at most this many images at once; 0: the whole batch. It
                * divides larger batches; batch norm sees `micro` images, and the method's gradient
                * is the plain one */
    int train, test; /* images used of each set: its first ones */
    int check_every; /* training images between two tests */
    /* NULL: never. Called every few hundred images. */
    bool (*interrupted)(void *context);
    void *context;
} TargetSetup;

typedef struct TargetOutcome {
    double steps, epochs; /* to the target; NaN: not reached (or diverged) */
    double best;          /* accuracy measured; of text loss */
    bool interrupted;     /* true: the other fields are meaningless */
} TargetOutcome;

/* Train a new network with `batch` images per update until it reaches the target. The outcome
 * depends on the arguments and the number of threads alone; how long it takes, speed.h tells. */
TargetOutcome train_to_target(const TargetSetup *s, int batch, double rate, uint64_t seed);

/* Train a new network for `updates` updates on images subset[0 … count) of the training set, in a
 * new order every epoch, with a learning rate that falls to 0 (cosine). Returns its accuracy on the
 * test images, NaN when interrupted. s->train is not used; a batch larger than the subset becomes
 * the subset. */
double train_on_subset(const TargetSetup *s, const int32_t *subset, int count, int batch,
                       int updates, double rate, uint64_t seed);

typedef struct UpdateTime {
    double seconds;   /* per update, by the clock */
    double processor; /* without those in which its threads, their mean, were ready and other
                       * processes had the processor. A GPU's are `seconds` */
} UpdateTime;

/* The time of an update with `batch` images: the mean over at least 2 updates and about `seconds`
 * seconds, after a warm-up. No tests, and no learning: the rate is 0. */
UpdateTime target_update_time(const TargetSetup *s, int batch, double seconds);
#endif
