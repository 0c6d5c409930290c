/* sharded.h: ZeRO, stages 1 to 3, as a Method: where parameters, gradients and the optimiser's
 * state lie, and when the exercises 10b to 10e are called.
 *
 * A network's own params and grads are freed; its views point into the units (params_at, grads_at
 * in model.h). In stage 1 there is one unit, all parameters. From stage 2 on a unit is a layer: its
 * gradient is made before the layer's backward pass and reduced after it; in stage 3 its
 * parameters, too, are there only while the layer is worked on; with `ahead` they are gathered
  * while the layer before it is worked on. Weights that two layers share, as a GPT's embedding and
 * its output, are gathered for each of the two, and their gradient is reduced twice.
 */
#ifndef SHARDED_H
#define SHARDED_H
#include "lab2.h"
#include "ledger.h"
#include "method.h"

typedef struct ShardedModel {
    Sharded z;
    Model *m;
    int *unit_of;         /* of each layer; -1: it has no parameters */
    bool *reduced;        /* of each unit: has its gradient in this update begun? */
    int micro;            /* micro-batches of an update */
    int done;             /* of the current update */
    bool ahead;           /* stage 3: gather the next layer's parameters during this one's work */
    ShardUnit *coming;    /* being gathered; NULL: none */
    CommRequest *request; /* of that */
    double at;            /* when the current layer's work began */
    double hideable;      /* seconds so far: of each gather, what the layer before it could hide */
    Ledger *ledger;
} ShardedModel;

/* Takes over m's parameters, which all ranks have alike; from then on m works only by what
 * sharded_method returns. stage 1 to 3; ledger: NULL is fine. */
ShardedModel *sharded_new(Model *m, Comm *c, ZeroStage stage, double momentum, Ledger *ledger);
void sharded_free(ShardedModel *s); /* before m and c */
/* An update whose gradient is the mean over s->micro calls of method_step's first part. */
Method sharded_method(ShardedModel *s);
/* A micro-batch that is not the last: its gradient is added, nothing is updated. */
void sharded_add(ShardedModel *s, Tensor totals, const Batch *b);
/* All parameters, on rank 0: a new array. NULL on the others. Collective. */
float *sharded_weights(const ShardedModel *s);
/* The units of a network at this stage, without tensors; a new array. unit_of [nlayers]: NULL is
 * fine. */
ShardUnit *sharded_units(const Model *m, ZeroStage stage, int P, int rank, int *count,
                         int *unit_of);
#endif
