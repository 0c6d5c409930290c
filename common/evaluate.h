/* evaluate.h: how good is the model: loss and accuracy over a set of pictures.
 *
 * Metrics are SUMS: correct and count, never a ready-made mean, so that ranks can add theirs
 * whatever their shares.
 */
#ifndef EVALUATE_H
#define EVALUATE_H
#include "loader.h"
#include "model.h"

/* loss: the sum over `count` pictures */
typedef struct Metrics {
    double loss, correct, count;
} Metrics;

/* Over pictures order[0 … count) of the loader's set (NULL order: 0 … count-1), with running
 * statistics (MODEL_EVAL). Starts a pass of l (a pass under way ends); l should have no
 * augmentation, and batches that m has room for. Not collective: each rank evaluates its own share,
 * and the caller adds the sums. */
Metrics evaluate(Model *m, Loader *l, const int32_t *order, int count);
/* Means; of no pictures: 0. Accuracy is in 0 … 1. */
static inline double metrics_loss(Metrics a) { return a.count > 0 ? a.loss / a.count : 0; }
static inline double metrics_accuracy(Metrics a) { return a.count > 0 ? a.correct / a.count : 0; }
#endif
