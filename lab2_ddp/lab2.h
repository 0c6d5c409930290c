/* lab2.h: the functions that you write in lab 2 (their contracts are in exercises/), and the
 * trainer's options and report.
 */
#ifndef LAB2_H
#define LAB2_H
#include "checkpoint.h"
#include "comm.h"
#include "epoch_order.h"
#include "evaluate.h"
#include "link.h"
#include "optim.h"
#include "run.h"
#include "schedule.h"
#include <mpi.h>

/* ---- part 2: exercises/2a to 2f ---- */

/* On every rank: v [count] becomes its sum over the ranks. */
typedef void AllReduce(float *v, int count, MPI_Comm comm);
AllReduce all_reduce_naive, all_reduce_ring, all_reduce_doubling, all_reduce_halving,
    all_reduce_tree;

typedef enum {
    ALL_REDUCE_NAIVE,
    ALL_REDUCE_RING,
    ALL_REDUCE_DOUBLING,
    ALL_REDUCE_HALVING,
    ALL_REDUCE_TREE,
    ALL_REDUCES
} Algorithm;
/* What an all-reduce takes, in seconds; alpha: seconds, beta: seconds per byte. */
double all_reduce_seconds(Algorithm a, int P, double bytes, double alpha, double beta);

/* The gradient in buckets, all-reduced during the backward pass. */
enum { MOST_BUCKETS = 256 };
typedef struct Buckets {
    Comm *comm;
    Stream *s;
    Tensor grads; /* the flat gradient, F32 */
    double least; /* bytes: a bucket of at least this size is started */
    /* The open bucket, elements [first, end) of grads: complete on this rank, and not started.
     * Before the backward pass both are grads.n. */
    size_t first, end;
    CommRequest *flight[MOST_BUCKETS]; /* the all-reduces started, in this order */
    int count;
} Buckets;

/* exercises/4a_bucket_add.c, 4b_bucket_finish.c, 4c_exposed_seconds.c */
void bucket_add(Buckets *b, size_t first, int count);
void bucket_finish(Buckets *b);
double exposed_seconds(const double *seconds, const double *bytes, int layers, double least, int P,
                       Link link);

/* exercises/5a_partition.c, 5b_share_seen.c */
typedef enum {
    PARTITION_PLAIN,
    PARTITION_CUT,
    PARTITION_OWN_ORDERS,
    PARTITION_ONE_ORDER,
    PARTITION_KINDS
} PartitionKind;
int partition(int32_t *mine, PartitionKind kind, int count, int rank, int size, uint64_t seed,
              int epoch);
double share_seen(PartitionKind kind, int size, int epochs);

/* ---- the trainer's options: train_options.c ---- */

/* What a training resumes from. */
typedef struct Resumed {
    Progress from;   /* where the checkpoint is */
    char *model;     /* its kind of network; NULL: unknown */
    char *earlier;   /* the rows of its epochs, in metrics.csv; NULL: none */
    json_t *options; /* the run's that wrote it, from its config.json; NULL: none */
    int images;      /* training images now */
    int64_t asked;   /* --seed, */
    bool asks;       /* if it was given */
} Resumed;

typedef struct TrainOptions {
    RunOptions run;
    const char *model, *hidden, *schedule, *resume;
    const char *link, *clock; /* in force: --link and --clock, or LABS_LINK and LABS_CLOCK */
    bool skip, batchnorm, nesterov, flip;
    int ghost, shift, cutout;
    int epochs, steps, checkpoint_every;
    int batch, accumulate;   /* images per rank and micro-batch; micro-batches per update */
    int images, test_images; /* use only the first ones; 0: all */
    /* warmup, drop_every: epochs */
    double rate, warmup, momentum, weight_decay, drop_every, drop_by, baseline;
    int64_t init_seed;          /* of the initial weights alone */
    struct Resumed *resumed;    /* NULL without --resume */
    Option table[MOST_OPTIONS]; /* what --help shows; points into this struct: do not copy it */
} TrainOptions;

void train_options(TrainOptions *o, int argc, char **argv); /* defaults, then argv */
ModelSpec train_model_spec(const TrainOptions *o, const Dataset *d);
/* The data set, cut to --images and --test-images. */
Dataset *train_dataset(const TrainOptions *o);

/* ---- what the trainer prints: train_report.c ---- */

/* One epoch, as a line of the table. */
typedef struct EpochRow {
    int epoch, epochs;      /* epoch counts from 1 here */
    double rate;            /* of its last update */
    Metrics train, test;    /* over all ranks */
    double seconds, waited; /* of the training; of that, waiting for the loader */
} EpochRow;

#define TRAIN_COLUMNS \
    "epoch,rate,loss,train_accuracy,test_loss,test_accuracy,images_per_s,seconds,waited"

/* Print which steps are still to do (0 ends the list), and note them for the self-check. */
void report_to_do(Run *r, const char *file, const int *to_do);
void report_start(Run *r, const TrainOptions *o, const Model *m, int global_batch, int per_epoch);
/* done of total: images of this epoch, over all ranks; own: this rank's metrics so far. */
void report_progress(Run *r, const EpochRow *row, int64_t done, int64_t total, Metrics own);
void report_epoch(Run *r, const EpochRow *row); /* a line of the table and of metrics.csv */
/* images: trained on, over all ranks and epochs; seconds: the time that took, without tests. */
void report_end(Run *r, const TrainOptions *o, Metrics test, double images, double seconds,
                int ranks);
void report_stop(Run *r, int64_t step);
/* ---- part 6: exercises/6a_efficiency.c, 6b_bandwidth_for.c ---- */

/* One update as every rank makes it. */
typedef struct UpdateWork {
    double forward, backward; /* seconds of computing; the update of the weights is in `forward` */
    double bytes;             /* of the gradient */
    int buckets;              /* equal parts in which it is exchanged; 1: all after the backward */
} UpdateWork;
double efficiency(int P, UpdateWork work, Link link);
double bandwidth_for(int P, UpdateWork work, double latency, double wanted);

/* ---- part 7: exercises/7a … ---- */

/* exercises/7a_round_stochastic.c, 7b_ternary.c, 7c_one_bit.c: a bucket of the gradient in codes of
 * a few bits */
float round_stochastic(uint8_t *code, const float *g, const float *u, int n, int bits);
float ternary(uint8_t *code, const float *g, const float *u, int n, float clip);
void one_bit(uint8_t *code, float value[2], const float *g, int n);

/* A remedy for a slow network, as three functions. What it sends is its packet. */
typedef struct Remedy Remedy;
struct Remedy {
    /* Makes this rank's packet of a [n]. */
    void (*compress)(Remedy *r, const float *a);
    /* e [n] = a minus what the packet says: what is not sent. a: compress's. */
    void (*residual)(Remedy *r, float *e, const float *a);
    /* g [n] = the mean over the ranks of what their packets say. All ranks call it together. */
    void (*exchange)(Remedy *r, float *g);
    int n;       /* elements of the gradient */
    int kept;    /* a sparse remedy: how many elements the packet says, */
    int32_t *at; /* and which: [kept] indices, ascending */
};
/* exercises/7d_exchange_with_feedback.c, 7f_exchange_corrected.c */
void exchange_with_feedback(Remedy *r, float *g, float *e);
void exchange_corrected(Remedy *r, float *g, float *u, float *v, float momentum);

/* The k-th largest magnitude in a [n], k in 1 … n: compression/fast.c. */
float magnitude_at(const float *a, int n, int k);
/* exercises/7e_top_k.c, 7g_sparse_add.c: some elements of a vector, the others are 0 */
typedef struct Sparse {
    int count;
    int32_t *at;  /* [count] indices, ascending */
    float *value; /* [count] */
} Sparse;
void top_k(Sparse *top, const float *a, int n, int k);
bool sparse_add(Sparse *sum, const Sparse *x, const Sparse *y, int most);

/* exercises/7h_low_rank.c. The mean over the ranks of v [count], in place; collective. */
typedef void Mean(void *context, float *v, int count);
void low_rank(float *p, float *q, const float *m, int rows, int columns, int rank, Mean *mean,
              void *context);
/* Products with the factors' `rank` columns, each of which lies in a piece: p [rank][rows],
 * q [rank][columns], m [rows][columns]: compression/low_rank.c. */
void matrix_times(float *p, const float *m, const float *q, int rows, int columns, int rank);
void transposed_times(float *q, const float *m, const float *p, int rows, int columns, int rank);

/* exercises/7i_pays_below.c. What a training takes to reach its target. */
typedef struct Cost {
    double updates;
    double seconds; /* of an update: all that does not depend on the bandwidth */
    double bytes;   /* of an update, through a link: divided by its bandwidth they are seconds */
} Cost;
double pays_below(Cost plain, Cost remedy);

/* ---- part 8: exercises/8a_local_due.c to 8d_sparse_delta.c ---- */

bool local_due(int64_t step, int64_t steps, int64_t every, int64_t plain);
void delayed_average(float *w, const float *sent, const float *mean, int n);
void outer_step(float *start, float *v, const float *delta, int n, double rate, double momentum);
enum { SPARSE_CHUNK = 4096 }; /* elements; the last chunk of a vector may have fewer */
void sparse_delta(int32_t *at, float *value, float *residual, const float *delta, int n, int k,
                  double decay, bool two_bits);

/* ---- part 9: exercises/9a_serve_next.c to 9c_expected_staleness.c ---- */

/* A gradient that has arrived at the parameter server, and is not used yet. */
typedef struct Arrived {
    int worker;
    int version; /* of the weights that it was computed with */
    double at;   /* when it arrived, seconds */
} Arrived;
int serve_next(int *use, const Arrived *queue, int n, int version, int wait_for);
void apply_stale(float *w, float *v, const float *g, int n, double rate, double momentum,
                 int staleness, bool aware);
double expected_staleness(const double *period, int workers, int worker);

/* ---- part 10: exercises/10a to 10g ---- */

/* ZeRO's stages: of what does a rank have only its shard, 1/P? */
typedef enum {
    ZERO_0, /* of nothing: plain data parallelism */
    ZERO_1, /* of the optimiser's state */
    ZERO_2, /* and of the gradient */
    ZERO_3, /* and of the parameters */
    ZERO_STAGES
} ZeroStage;

/* Of one rank. */
typedef struct RankCosts {
    double params, grads, state; /* bytes in memory, the most at any moment of an update */
    double wire;                 /* bytes that it sends in an update */
} RankCosts;
/* count [units]: parameters of each unit; states: vectors of optimiser state, each as long as the
 * parameters; micro: micro-batches of an update. */
RankCosts rank_costs(ZeroStage stage, int P, const int *count, int units, int states, int micro);

/* Rank `rank`'s part of `count` elements: [first, first + own), in a shard of `each`. */
typedef struct Shard {
    int each, first, own;
} Shard;
Shard shard_of(int count, int P, int rank);

/* Parameters that are exchanged together: in stage 1 all, from stage 2 on those of one layer;
 * behind them zeros, up to P shards of `each`. */
typedef struct ShardUnit {
    size_t first; /* elements [first, first + count) of the network's flat vectors */
    int count, each;
    Tensor params, grads; /* [P * each], rank r's shard at r * each; NO_TENSOR: not here now */
    /* This rank's shards [each]: in params and grads, or where a stage does not keep those, in
     * their own memory. */
    Tensor my_params, my_grads, my_velocity;
} ShardUnit;

typedef struct Sharded {
    ZeroStage stage;
    Comm *comm;
    Backend *be;
    Stream *s;
    ShardUnit *unit;
    int units;
    double momentum;
    Tensor rate; /* [1] */
} Sharded;
/* Given, in shard/sharded.c. Memory for all shards of a unit, zeroed; give it back (and set *t to
 * NO_TENSOR); a step of SGD with momentum on this rank's shard alone. */
Tensor unit_new(const Sharded *z, const ShardUnit *u);
void unit_free(const Sharded *z, Tensor *t);
void unit_sgd(const Sharded *z, ShardUnit *u, double rate);

void shard_reduce(Sharded *z, ShardUnit *u);
void shard_update(Sharded *z, ShardUnit *u, double rate);
void shard_layer(Sharded *z, ShardUnit *u, bool before);

/* The passes of a network, part by part: layer i reads activation i and writes i + 1. */
typedef struct Passes {
    void *context;
    void (*take)(void *context, int activation); /* memory for it */
    void (*drop)(void *context, int activation); /* its memory goes, and what it is */
    void (*forward)(void *context, int first, int end, bool again); /* layers first … end - 1 */
    void (*loss)(void *context);
    void (*backward)(void *context, int first, int end);
} Passes;
void recompute(const Passes *p, const int *cut, int parts);
double activation_bytes(const double *bytes, const int *cut, int parts);

/* ---- part 11: exercises/11a … ---- */

#endif
