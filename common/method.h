/* method.h: an update of the training as three parts, each of which can be replaced alone: the
 * gradient of this rank's batch, its exchange with the other ranks, and the step downhill.
 *
 *     Sgd *sgd = sgd_new(model, 0.9, 5e-4, false);
 *     Method method = {.update = sgd_update(sgd)};             one rank, SGD
 *     method.exchange = (Exchange){all_reduce_whole, &state};  several ranks
 *     … for every batch …
 *         method_step(&method, model, totals, &batch, rate, NULL);
 *
 * A part is a function and its context. All algorithms of data-parallel training are such parts:
 * overlap and compression are exchanges, layer-wise rates are updates, noise is a gradient; local
 * SGD has no exchange, and an update that averages the weights now and then.
 */
#ifndef METHOD_H
#define METHOD_H
#include "loader.h"
#include "optim.h"
#include "trace.h"

typedef struct Gradient {
    /* Leaves the gradient of the batch's mean loss in m->grads, and adds {sum of losses, correct
     * answers} to totals F64 [2]. NULL: model_gradient(). */
    void (*run)(void *context, Model *m, Tensor totals, const Batch *b);
    void *context;
} Gradient;

typedef struct Exchange {
    /* Turns this rank's gradient in m->grads into the one that all ranks step with: the mean over
     * the ranks, or something near it. NULL: none. One that works while the gradient is still being
     * computed sets m->grad_hook when it is made, and completes here. */
    void (*run)(void *context, Model *m);
    void *context;
} Exchange;

typedef struct Update {
    /* Moves m->params against m->grads. */
    void (*run)(void *context, Model *m, double rate);
    void *context;
} Update;

typedef struct Method {
    Gradient gradient;
    Exchange exchange;
    Update update;
} Method;

/* One update: the three parts in turn, in the trace (NULL: none) as "gradient", "exchange" and
 * "update", the second on track 1. Without a trace and an exchange, with SGD as the
 * update, it is one model_step. */
void method_step(const Method *method, Model *m, Tensor totals, const Batch *b, double rate,
                 Trace *trace);

/* sgd_step() as an update; it borrows o. */
Update sgd_update(Sgd *o);

/* How code that makes its own model (train_to_target.h) gets the method that trains it. */
typedef struct MethodMaker {
    Method (*make)(void *context, Model *m);
    void (*end)(void *context, Model *m, const Method *method); /* frees what make() made */
    void *context;
} MethodMaker;

/* SGD on one rank. */
typedef struct SgdSpec {
    double momentum, weight_decay;
    bool nesterov;
    double clip; /* gradients longer than this are shortened to it; 0: none is */
} SgdSpec;
MethodMaker sgd_maker(SgdSpec *spec); /* it borrows spec */
#endif
