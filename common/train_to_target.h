/* train_to_target.h: training on one rank: until a target accuracy, or for a given number of
 * updates on a subset of the data; and its speed alone.
 *
 * Several ranks share the work by whole training runs (task_farm.h): without communication, and
 * with the same results as on one rank.
 */
#ifndef TRAIN_TO_TARGET_H
#define TRAIN_TO_TARGET_H
#include "loader.h"
#include "model.h"

/* The settings shared by many runs. */
typedef struct TargetSetup {
    Backend *be;
    const Dataset *data;
    ModelSpec spec;
    double momentum, weight_decay;
    double target;   /* accuracy on the test images, 0 … 1 */
    double epochs;   /* give up after this many */
    int train, test; /* images used of each set, the first ones */
    int check_every; /* training images between two tests */
    /* Called every few hundred images; its time is not counted. NULL: never interrupted. */
    bool (*interrupted)(void *context);
    void *context;
} TargetSetup;

typedef struct TargetOutcome {
    double steps, seconds, epochs; /* to the target, tests excluded; NaN: not reached (or
                                    * diverged) */
    double images_per_s;           /* of the training alone */
    double accuracy;               /* the best so far */
    bool interrupted;              /* then the rest is undefined */
} TargetOutcome;

/* Train a new network with `batch` images per update until it reaches the target. A function of its
 * arguments, except for the times. */
TargetOutcome train_to_target(const TargetSetup *s, int batch, double rate, uint64_t seed);

/* Train a new network for `updates` updates on the images subset[0 … count) of the training set,
 * reshuffled every epoch, with a rate that falls to 0 (cosine); returns its accuracy on the test
 * images, NaN when interrupted. s->train is not read; a batch larger than the subset becomes the
 * subset. */
double train_on_subset(const TargetSetup *s, const int32_t *subset, int count, int batch,
                       int updates, double rate, uint64_t seed);

/* Seconds per update with `batch` images: the mean over at least `seconds` of updates (at least 3),
 * after a few untimed ones. No test, no learning: the rate is 0. */
double target_update_seconds(const TargetSetup *s, int batch, double seconds);
#endif
