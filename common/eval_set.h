/* subset.h: a fixed part of a data set, kept on the device as ready batches: what a loss surface, a Hessian or a curve
 * is measured on, always the same pictures in the same batches.
 */
#ifndef SUBSET_H
#define SUBSET_H
#include "evaluate.h"

typedef struct Subset {
    Backend *be;
    int count, batches; /* pictures; batches, the last one may be short */
    Batch *batch;       /* [batches]; x and label are its own */
    Tensor totals;      /* F64 [2] */
} Subset;

/* The pictures order[0 … count) of `images`, in batches of `batch`; mean, istd as in Dataset, halo: model_halo(). */
Subset *subset_new(Backend *be, const Images *images, const float *mean, const float *istd, const int32_t *order, int count,
                   int batch, int halo);
void subset_free(Subset *s); /* NULL is fine */

/* The sums of loss and correct answers of m over the subset; in a training mode, too, nothing but m's activations changes
 * (MODEL_TRAIN: and the running statistics). m must have room for its batches. */
Metrics subset_metrics(Model *m, const Subset *s, ModelMode mode);
#endif
