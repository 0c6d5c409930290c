/* target.h: data-parallel training, on any number of ranks: until it reaches an accuracy, for so many updates on a part
 * of the data; and its speed alone.
 *
 * A batch of B pictures is shared by the ranks, B/P each; the gradients are averaged. Batch norm keeps statistics of
 * each rank's own pictures.
 */
#ifndef TARGET_H
#define TARGET_H
#include "comm.h"
#include "loader.h"
#include "model.h"

/* What is held fixed over many runs. */
typedef struct TargetSetup {
    Comm *comm;
    Backend *be;
    const Dataset *data;
    ModelSpec spec;
    double momentum, weight_decay;
    double target;       /* accuracy on the test pictures, 0 … 1 */
    double epochs;       /* give up after so many */
    int train, test;     /* use the first so many pictures of each set */
    int check_every;     /* training pictures between two tests */
    bool (*interrupted)(void *context); /* NULL: never. Asked every few hundred pictures, on every rank; the time that it
                                         * takes is not counted. One rank's true stops all */
    void *context;
} TargetSetup;

typedef struct TargetOutcome {
    double steps, seconds, epochs; /* to the target, tests not counted; NaN: not reached (or diverged) */
    double images_per_s;           /* of the training alone, over all ranks */
    double accuracy;               /* the best seen */
    bool interrupted;              /* the rest means nothing */
} TargetOutcome;

/* Train a fresh network with `batch` pictures per update, over all ranks together (P must divide it), until it reaches
 * the target. A function of its arguments, but for the times. Collective. */
TargetOutcome train_to_target(const TargetSetup *s, int batch, double rate, uint64_t seed);

/* Train a fresh network for so many updates on the pictures subset[0 … count) of the training set, over and over in a new
 * order, with a rate that falls to 0 (cosine); returns its accuracy on the test pictures, NaN when interrupted. s->train is
 * not read; a batch that is larger than the subset is the subset. Collective. */
double train_on_subset(const TargetSetup *s, const int32_t *subset, int count, int batch, int updates, double rate, uint64_t seed);

/* Seconds per update with `batch` pictures, over all ranks together: the mean over at least `seconds` of updates (and
 * at least 3), after some that do not count. No test, no learning: the rate is 0. Collective. */
double target_update_seconds(const TargetSetup *s, int batch, double seconds);
#endif
