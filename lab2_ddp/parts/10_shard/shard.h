/* shard.h: what you write in part 10, exercises 10a to 10g: an update on shards. */
#ifndef SHARD_H
#define SHARD_H
#include "comm.h"

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
/* Given, in unit.c. Memory for all shards of a unit, zeroed; give it back (and set *t to
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
#endif
