/* eval_set.h: a fixed subset of the data, kept on the device as ready batches: a loss surface, a
 * Hessian or a curve is always measured on the same images in the same batches.
 */
#ifndef EVAL_SET_H
#define EVAL_SET_H
#include "evaluate.h"

typedef struct EvalSet {
    Backend *be;
    int count, batches; /* images; batches, the last one may be short */
    Batch *batch;       /* [batches]; owns their x and label */
    Tensor totals;      /* F64 [2] */
} EvalSet;

/* Images order[0 … count) of `images`, in batches of `batch`; mean, istd as in Dataset; halo:
 * model_halo(). */
EvalSet *eval_set_new(Backend *be, const Images *images, const float *mean, const float *istd,
                      const int32_t *order, int count, int batch, int halo);
void eval_set_free(EvalSet *s); /* NULL is fine */

/* m's summed loss and count of correct answers over the subset. It changes only m's activations
 * (with MODEL_TRAIN also the running statistics). m->batch must be at least `batch`. */
Metrics eval_set_metrics(Model *m, const EvalSet *s, ModelMode mode);
#endif
