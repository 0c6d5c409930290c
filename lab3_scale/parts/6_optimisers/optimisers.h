/* optimisers.h: the optimisers of part 6, written in exercises 6a to 6j, as a Method's parts
 * (method.h) for train_to_target.h, or for a loop of one's own.
 *
 *     OptimiserSpec spec = optimiser_default(OPTIMISER_LARS);
 *     TargetSetup setup = {…, .method = optimiser_maker(&spec)};
 *
 * The exercises work on arrays of the host. On a CPU those are the model's own vectors; on a GPU
 * every update copies weights and gradients down and the weights up again: right, and slow. The
 * state (velocity, moments) belongs to one model and lies on the host; it is in no checkpoint.
 */
#ifndef OPTIMISERS_H
#define OPTIMISERS_H
#include "method.h"

typedef enum {
    OPTIMISER_MOMENTUM,
    OPTIMISER_NESTEROV,
    OPTIMISER_LARS,
    OPTIMISER_LARC,
    OPTIMISER_ADAM,
    OPTIMISER_ADAMW,
    OPTIMISER_LAMB,
    OPTIMISER_NOVOGRAD,
    OPTIMISER_MUON,
    OPTIMISERS
} OptimiserKind;

typedef struct OptimiserSpec {
    OptimiserKind kind;
    double momentum;              /* also beta1 */
    double beta2, epsilon, decay; /* decay: of matrices and filters alone (View.decay) */
    double trust;                 /* LARS, LARC: a step's share of the weights' length */
    double aside; /* Muon moves matrices alone: this times the rate is AdamW's, for the others */
    double smoothing; /* of labels; 0: none */
    double keep;      /* averaged weights, 0: none … */
    int updates; /* … which replace the weights after this many updates: the training's end */
} OptimiserSpec;

/* Usual settings; no extras. */
OptimiserSpec optimiser_default(OptimiserKind kind);
const char *optimiser_name(OptimiserKind kind); /* "LARS" */
/* The first exercise of those that it calls which is not written: "6c_lars"; NULL: none. */
const char *optimiser_missing(const OptimiserSpec *spec);

/* It borrows spec, which several models may share. */
MethodMaker optimiser_maker(const OptimiserSpec *spec);
#endif
