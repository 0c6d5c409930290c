/* training.h: the training loop of all studies: gradient, exchange and update (method.h), each
 * replaceable; the batch, the learning rate and the order of the images, too.
 *
 *     Training *t = training_new(&spec, seed);
 *     while (training_step(t))
 *         … look at t->m, t->seen, training_loss(t) …
 *     Metrics test = training_test(t), train = training_train(t);
 *     training_free(t);
 *
 * The outcome depends on the arguments and the number of threads alone, also where several ranks
 * take whole trainings each (task_farm.h). The trainers that students write do not use it.
 */
#ifndef TRAINING_H
#define TRAINING_H
#include "evaluate.h"
#include "method.h"

/* What an update takes. */
typedef struct Pace {
    int batch;   /* images, 1 … the spec's `batch` */
    double rate; /* the learning rate */
} Pace;

typedef struct TrainingSpec {
    Backend *be;
    const Dataset *data;
    ModelSpec model;
    Model *own;         /* to train this one, planned for the batch and 250 images; NULL: new */
    int images, test;   /* used of each set: the first ones */
    int batch;          /* the largest batch of any update; at most `images` */
    int micro;          /* gradient accumulation: at most this many images at once; 0: the batch. It
                         * divides larger batches; batch norm sees `micro` images, and the method's
                         * gradient is the plain one */
    double epochs;      /* how long: passes over the images; INFINITY: the caller decides */
    SgdSpec sgd;        /* where method.make is NULL */
    MethodMaker method; /* zero: SGD */
    /* Of update number `update`, which begins after `seen` epochs, 0 <= seen < epochs. */
    Pace (*pace)(const void *context, double seen, int64_t update);
    const void *context;
    /* The images of an epoch, in order; returns how many. order [images] is as the last epoch left
     * it. NULL: all, shuffled. */
    int (*lay_out)(void *images_of, int32_t *order, uint64_t seed, int epoch);
    void *images_of;
} TrainingSpec;

typedef struct Training {
    const TrainingSpec *spec; /* borrowed */
    Model *m;
    Method method;
    SgdSpec sgd;
    uint64_t seed;
    double seen;     /* epochs so far */
    int64_t updates; /* so far */
    Pace last;       /* of the last update */
    /* inside */
    Loader *loader, *test; /* loader has batches of loader_batch images */
    int loader_batch, epoch, at, end;
    Tensor totals;       /* sum of losses, correct answers: before each update */
    double images, loss; /* since the last training_loss() */
    int32_t *order;      /* [images]: the first `end` are this epoch's, `at` of them are used */
} Training;

/* The weights are drawn from the seed. */
Training *training_new(const TrainingSpec *s, uint64_t seed);
void training_free(Training *t); /* NULL is fine */
/* One update; false: it is over, and nothing was done. An epoch's rest that is smaller than the
 * batch is left out, and counts as seen. */
bool training_step(Training *t);
/* The same, but the update on b at the rate t->last.rate is left to the caller. Without `micro`. */
bool training_next(Training *t, Batch *b);
/* The mean loss of the batches since the last call, each before its update. Waits for the device.
 * Not finite: it has diverged. */
double training_loss(Training *t);
Metrics training_test(Training *t);  /* over the test images, */
Metrics training_train(Training *t); /* and over the training images */
/* Over these of the test images [count]; NULL: the first. */
Metrics training_test_of(Training *t, const int32_t *image, int count);
/* The gradients at the weights as they are, grads [count, D], of random batches: each the first of
 * an epoch. */
void training_gradients(Training *t, float *grads, int count, int batch, uint64_t seed);
/* What a training wants low: 1 - accuracy; of text the loss, in nats. That of a guess where it has
 * diverged. */
double training_error(const TrainingSpec *s, Metrics m);

/* The pace of a training whose batch does not change: context of training_plain. */
typedef struct PlainPace {
    int batch;
    double rate;
    double epochs; /* of the training: the rate falls to 0 as a cosine … */
    int warm;      /* … after rising in equal steps over this many updates; 0: at once */
} PlainPace;
Pace training_plain(const void *pace, double seen, int64_t update);
double training_cosine(double rate, double share); /* share of the training that is over, 0 … 1 */
#endif
