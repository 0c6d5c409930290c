/* paces.h: batches that grow during training, as the pace of a training (training.h), by
 * exercise 5b.
 */
#ifndef PACES_H
#define PACES_H
#include "training.h"

typedef struct GrowPace {
    int small, large; /* the batch begins with `small`, and is `large` at the most */
    double rate;      /* of the batch `small` */
    double epochs;    /* of the training */
    double factor;    /* of each drop */
    int drops;        /* at drops equal parts: 3: after 1/4, 2/4 and 3/4 of the training */
} GrowPace;

/* The schedule itself, with the batch `small`: the rate falls by the factor at each drop. */
Pace pace_drops(const void *grow, double seen, int64_t update);
/* The batch grows instead, by grow_batch(). */
Pace pace_grows(const void *grow, double seen, int64_t update);
#endif
