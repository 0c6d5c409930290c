/* step_cost.h: what an update costs: a model of machines, their network, a network to train, and a
 * way to train it; and from these the seconds, the bytes and the memory of one rank.
 *
 * An update is a plan: seconds of computing, and a list of collectives, made in every `every`-th
 * update. step_cost() adds it up; step_plan() alone is what a test performs
 * and measures (what_if_measure.c).
 *
 * The time of an all-reduce beside a backward pass is exercise 6a's, efficiency(); memory and what
 * ZeRO sends are 10a's, rank_costs(): the calculator is as accurate as those two.
 *
 * Not in the model: topology and congestion, ranks that share a card, slow ranks, pipeline and
 * tensor parallelism, the loader, kernels that get slower as their batch gets smaller, fragments of
 * memory, and whether the network learns as well.
 */
#ifndef STEP_COST_H
#define STEP_COST_H
#include "lab2.h"

typedef enum { FORMAT_FP32, FORMAT_MIXED, FORMATS } Format;
typedef enum {
    REMEDY_NONE,
    REMEDY_OVERLAP,    /* 8 buckets in the backward pass */
    REMEDY_ACCUMULATE, /* 16 batches per exchange */
    REMEDY_BF16,       /* the gradient in 2 bytes */
    REMEDY_8_BITS,     /* in codes, which no all-reduce can add: all-to-all, decode and add a shard,
                        * encode its sum, all-gather (1-bit Adam, arXiv 2102.02888, and ZeRO++'s
                        * qgZ, 2306.10209): as many bytes as an all-reduce of codes */
    REMEDY_2_BITS,
    REMEDY_TOP_K,  /* the largest 1 %, with their indices: all ranks gather all packets */
    REMEDY_DILOCO, /* the parameters, once in 500 updates */
    REMEDIES
} WhatRemedy;

typedef struct Machine {
    const char *name;
    double flops[FORMATS]; /* per second that a training reaches, not the data sheet's */
} Machine;

typedef struct Net {
    const char *name;
    double parameters, flops; /* of one sample: forward and backward */
    double activations;       /* bytes kept for the backward pass per sample, in FP32 */
    double largest; /* parameters of its largest layer, or block, which ZeRO 2 and 3 have whole */
} Net;

typedef struct WhatIf {
    Machine machine;
    Net net;
    Link link;
    int P, batch; /* ranks; samples per rank */
    Format format;
    WhatRemedy remedy;
    ZeroStage stage; /* from 1 on without a remedy; 1 alone also with REMEDY_ACCUMULATE */
} WhatIf;

enum { STEP_CALLS = 4 };
typedef struct StepPlan {
    UpdateWork work; /* computing, and of the all-reduces the bytes and buckets */
    int every;       /* the calls are made in every `every`-th update */
    int calls;
    struct {
        LinkCollective what; /* LINK_ALL_REDUCE, LINK_ALL_TO_ALL, or LINK_REDUCE_SCATTER
                              * (also all-gather) */
        double bytes;        /* of the whole vector */
    } call[STEP_CALLS];
} StepPlan;

typedef struct StepCost {
    double seconds;    /* of an update of `batch` samples per rank, on average */
    double efficiency; /* its computing over that */
    double samples;    /* per second, all ranks */
    double wire;       /* bytes that a rank sends per update, on average */
    double parameters, gradients, state, activations; /* bytes in a rank's memory */
} StepCost;

extern const char *const remedy_names[REMEDIES];
/* Can the stage go with the remedy? */
bool step_possible(const WhatIf *w);
StepPlan step_plan(const WhatIf *w);
StepCost step_cost(const WhatIf *w);
/* Seconds of one update of the plan that makes its calls, by efficiency() and link_seconds(). */
double plan_seconds(const StepPlan *plan, int P, Link link);
#endif
