/* eval_set.h: a fixed part of a data set, kept on the device as ready batches: what a loss surface,
 * a Hessian or a curve is measured on, always the same pictures in the same batches.
 */
#ifndef EVAL_SET_H
#define EVAL_SET_H
#include "evaluate.h"

typedef struct EvalSet {
    Backend *be;
    int count, batches; /* pictures; batches, the last one may be short */
    Batch *batch;       /* [batches]; x and label are its own */
    Tensor totals;      /* F64 [2] */
} EvalSet;

/* The pictures order[0 … count) of `images`, in batches of `batch`; mean, istd as in Dataset, halo:
 * model_halo(). */
EvalSet *eval_set_new(Backend *be, const Images *images, const float *mean, const float *istd,
                      const int32_t *order, int count, int batch, int halo);
void eval_set_free(EvalSet *s); /* NULL is fine */

/* The sums of loss and correct answers of m over the subset; in a training mode, too, nothing but
 * m's activations changes (MODEL_TRAIN: and the running statistics). m must have room for its
 * batches. */
Metrics eval_set_metrics(Model *m, const EvalSet *s, ModelMode mode);
#endif
