/* eval_set.h: a fixed part of a data set, kept on the device as ready batches. Loss surfaces,
 * Hessians and curves are measured on it: always the same images in the same batches.
 */
#ifndef EVAL_SET_H
#define EVAL_SET_H
#include "evaluate.h"

typedef struct EvalSet {
    Backend *be;
    int count, batches; /* images; batches, the last one may be short */
    Batch *batch;       /* [batches]; x and label are owned */
    Tensor totals;      /* F64 [2] */
} EvalSet;

/* Images order[0 … count) of `images` (NULL: the first ones), in batches of `batch`; mean, istd as
 * in Dataset, halo: model_halo(). */
EvalSet *eval_set_new(Backend *be, const Images *images, const float *mean, const float *istd,
                      const int32_t *order, int count, int batch, int halo);
void eval_set_free(EvalSet *s); /* NULL is fine */

/* The sums of loss and correct answers of m over the set. Changes only m's activations, in training
 * modes too (MODEL_TRAIN: also the running statistics). m must have room for the batches. */
Metrics eval_set_metrics(Model *m, const EvalSet *s, ModelMode mode);
#endif
