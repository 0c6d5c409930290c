/* train_to_target.h: training on one rank: until it reaches an accuracy, or for so many updates on
 * a part of the data; and its speed alone.
 *
 * Where several ranks are to help, each takes whole trainings (task_farm.h): they need not talk
 * meanwhile, and each comes out as on one rank.
 */
#ifndef TRAIN_TO_TARGET_H
#define TRAIN_TO_TARGET_H
#include "loader.h"
#include "model.h"

/* What is held fixed over many runs. */
typedef struct TargetSetup {
    Backend *be;
    const Dataset *data;
    ModelSpec spec;
    double momentum, weight_decay;
    double target;   /* accuracy on the test images, 0 … 1 */
    double epochs;   /* give up after so many */
    int train, test; /* use the first so many images of each set */
    int check_every; /* training images between two tests */
    /* NULL: never. Asked every few hundred images; the time that it takes is not counted. */
    bool (*interrupted)(void *context);
    void *context;
} TargetSetup;

typedef struct TargetOutcome {
    double steps, seconds, epochs; /* to the target, tests not counted; NaN: not reached (or
                                    * diverged) */
    double images_per_s;           /* of the training alone */
    double accuracy;               /* the best seen */
    bool interrupted;              /* the rest means nothing */
} TargetOutcome;

/* Train a fresh network with `batch` images per update until it reaches the target. A function
 * of its arguments, but for the times. */
TargetOutcome train_to_target(const TargetSetup *s, int batch, double rate, uint64_t seed);

/* Train a fresh network for so many updates on the images subset[0 … count) of the training set,
 * over and over in a new order, with a rate that falls to 0 (cosine); returns its accuracy on
 * the test images, NaN when interrupted. s->train is not read; a batch that is larger than the
 * subset is the subset. */
double train_on_subset(const TargetSetup *s, const int32_t *subset, int count, int batch,
                       int updates, double rate, uint64_t seed);

/* Seconds per update with `batch` images: the mean over at least `seconds` of updates (and at
 * least 3), after some that do not count. No test, no learning: the rate is 0. */
double target_update_seconds(const TargetSetup *s, int batch, double seconds);
#endif
