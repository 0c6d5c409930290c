/* lab3.h: what the programs of lab 3 share: a training that runs until it reaches an accuracy, on any number of ranks.
 */
#ifndef LAB3_H
#define LAB3_H
#include "comm.h"
#include "loader.h"
#include "model.h"

/* What is held fixed over a sweep. */
typedef struct Setup {
    Comm *comm;
    Backend *be;
    const Dataset *data;
    ModelSpec spec;
    double momentum, weight_decay;
    double target;       /* accuracy on the test pictures, 0 … 1 */
    double epochs;       /* give up after so many */
    int train, test;     /* use the first so many pictures of each set */
    int check_every;     /* training pictures between two tests */
} Setup;

typedef struct Outcome {
    double steps, seconds, epochs; /* to the target, tests not counted; NaN: not reached (or diverged) */
    double images_per_s;           /* of the training alone, over all ranks */
    double accuracy;               /* the best seen */
} Outcome;

/* Train a fresh network with `batch` pictures per update, over all ranks together (P must divide it), until it reaches
 * the target. A function of its arguments, but for the times. Collective. */
Outcome train_to_target(const Setup *s, int batch, double rate, uint64_t seed);
#endif
