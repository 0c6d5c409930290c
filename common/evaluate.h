/* evaluate.h: loss and accuracy of a model over a set of images.
 *
 * Metrics are SUMS, never means, so that ranks can add theirs even if their image counts differ.
 */
#ifndef EVALUATE_H
#define EVALUATE_H
#include "loader.h"
#include "model.h"

/* sums over `count` images; of text, over all positions */
typedef struct Metrics {
    double loss, correct, count;
} Metrics;

/* Over images order[0 … count) of the loader's set (NULL order: 0 … count-1), with running
 * statistics (MODEL_EVAL). Starts a new pass of l; l should have no augmentation, and batches of at
 * most m->batch images. Not collective: each rank evaluates its own images, and the caller adds the
 * sums. */
Metrics evaluate(Model *m, Loader *l, const int32_t *order, int count);
/* Means; 0 over no images. Accuracy is in 0 … 1. */
static inline double metrics_loss(Metrics a) { return a.count > 0 ? a.loss / a.count : 0; }
static inline double metrics_accuracy(Metrics a) { return a.count > 0 ? a.correct / a.count : 0; }
#endif
