/* overlap_bench.h: part 4's workbench: a network whose updates exchange their gradients in one of
 * several ways, over a link, and how long each part of an update takes.
 */
#ifndef OVERLAP_BENCH_H
#define OVERLAP_BENCH_H
#include "lab.h"
#include "lab2.h"
#include "method.h"
#include "recorder.h"

typedef enum {
    EXCHANGE_NONE,      /* each rank trains alone: how long computing takes */
    EXCHANGE_PER_LAYER, /* naive: after the backward pass, an all-reduce for each layer */
    EXCHANGE_WHOLE,     /* flat: after the backward pass, one all-reduce of the whole gradient */
    EXCHANGE_BUCKETS,   /* overlapped: bucket_add in the backward pass, then bucket_finish */
    EXCHANGE_KINDS
} ExchangeKind;
extern const char *const exchange_names[EXCHANGE_KINDS];

typedef struct Setting {
    ExchangeKind kind;
    Link link;
    double least; /* bytes: of EXCHANGE_BUCKETS */
    bool steady;  /* by the machine's steady clock, and without a link, even with --clock virtual */
} Setting;

enum { BENCH_UPDATES = 64, BENCH_LAYERS = MOST_BUCKETS };

/* One update on this rank. Moments in seconds since its start. */
typedef struct UpdateTimes {
    double forward, backward, exchanged, updated; /* when each part ended */
    double
        layer[BENCH_LAYERS]; /* when each layer's gradient was complete, the last layer's first */
    int calls;
    Recorded call[BENCH_LAYERS]; /* all-reduces; began and ended in the same way */
} UpdateTimes;

typedef struct Measured {
    bool done;
    Setting setting;
    double step, exposed; /* s: an update; of that, from the end of the backward pass until the sums
                           * are there. Of the slowest rank; medians over the updates */
    double predicted;     /* `exposed`, from these updates' times of the layers */
    double difference;    /* largest difference of a weight from one all-reduce's after all updates;
                           * NaN: nothing was exchanged */
    UpdateTimes times;    /* rank 0's, of an update of median length */
} Measured;

typedef struct Bench {
    const Lab *lab;
    int batch, updates;
    double rate;
    Model *m;
    Sgd *sgd;
    Loader *loader;
    Tensor totals;
    int32_t *order; /* [(updates + 1) * batch] of this rank */
    float *initial,
        *expected; /* weights: at the start, and after the updates with EXCHANGE_WHOLE */
    Recorder recorder;
    Buckets buckets;
    int layers; /* with parameters, in the order of the backward pass: */
    size_t first[BENCH_LAYERS];
    int count[BENCH_LAYERS];
    double seconds[BENCH_LAYERS]; /* of a layer's backward pass: medians, by EXCHANGE_NONE; the
                                   * first from the update's start */
    const Setting *setting;       /* the current one */
    double began;                 /* its update's start */
    UpdateTimes *times;           /* [updates] */
    int update;
} Bench;

/* Collective, like the others. model: the name of a network; batch: images per rank and update. */
Bench *bench_new(const Lab *lab, const char *model, int batch, int updates, uint64_t seed);
void bench_free(Bench *b);
/* One warm-up, then the updates, from the initial weights on. EXCHANGE_NONE also measures the
 * layers. */
void bench_measure(Measured *out, Bench *b, Setting setting);
/* For how long an update in this setting will wait, by exposed_seconds() and link_seconds(), if the
 * layers take as long as with EXCHANGE_NONE. NaN without exercise 4c. */
double bench_predicted(const Bench *b, const Setting *setting);
#endif
