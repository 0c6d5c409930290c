/* shard_study.h: part 10's experiment: what each stage of ZeRO takes of a rank's memory, and sends,
 * predicted and counted, on 1, 2, 4 … ranks; and what activation checkpointing and accumulation
 * save.
 */
#ifndef SHARD_STUDY_H
#define SHARD_STUDY_H
#include "guess.h"
#include "sharded.h"
#include "study.h"

enum { SHARD_SIZES = 6, SHARD_MICROS = 3, SAVINGS = 7, SHARD_UPDATES = 64 };
extern const char *const zero_names[ZERO_STAGES];
extern const int shard_micro[SHARD_MICROS]; /* micro-batches of an update: 1, … */

/* Updates of one stage, on P ranks, with `micro` micro-batches each; of rank 0. */
typedef struct StageRow {
    bool done;
    RankCosts predicted, found;
    double activations_predicted, activations; /* bytes, as above */
    double all_predicted, all;                 /* the most at one moment */
    double seconds;                            /* of an update, on the link */
    double hideable;   /* of these, by gathering layers ahead, predicted: see sharded.h */
    double difference; /* largest, of a weight, from plain data parallelism after all updates */
} StageRow;

/* One gradient of the deep network, cut into parts or into micro-batches. */
typedef struct SavingRow {
    bool done;
    int cuts;                /* parts, or micro-batches */
    double predicted, found; /* bytes of activations; predicted NaN: not */
    double seconds;
    double difference; /* largest, relative to the largest element, from the gradient in one piece;
                        * for micro-batches of `model`, which has no batch norm */
} SavingRow;

typedef struct ShardStudy {
    Study study; /* first: study.h. Its lock guards what has been found */
    const char *model, *deep, *hidden;
    Guess guess; /* of the memory of a rank in stage 3, on the most ranks, in MB */
    ModelSpec spec, deep_spec;
    int batch, deep_batch, updates;
    double rate, momentum;
    uint64_t seed;
    Loader *loader, *deep_loader;
    Ledger ledger;
    int sizes; /* P = 1, 2, 4 … 2^(sizes - 1) */
    int parameters;
    /* ---- found ---- */
    StageRow stage[ZERO_STAGES][SHARD_SIZES];
    StageRow ahead[SHARD_SIZES]; /* of stage 3, each layer gathered during the one before */
    StageRow micro[ZERO_STAGES][SHARD_MICROS]; /* on the most ranks */
    SavingRow parts[SAVINGS], pieces[SAVINGS]; /* checkpointing; accumulation */
    int finished;
} ShardStudy;

void shard_open(void *study, const Lab *lab, uint64_t seed);
void shard_close(void *study);
void shard_stages(ShardStudy *s);  /* each stage of ZeRO, on all ranks */
void shard_savings(ShardStudy *s); /* of activations, on one rank: savings.c */
int shard_steps(const ShardStudy *s);
void shard_step_done(ShardStudy *s);

void shard_draw(const void *study, Plot *plot);
void shard_report(const void *study);
#endif
