/* views.h: test images, each seen several times: as it is, moved by a pixel up and left, moved down
 * and right (the edges reflected), and all three mirrored. The logits are averaged, with half of
 * the weight on the unmoved ones (test-time augmentation, as in airbench); where the network is
 * sure after the first look, the others are saved (github.com/hiverge/cifar10-speedrun).
 */
#ifndef VIEWS_H
#define VIEWS_H
#include "data.h"
#include "model.h"

typedef struct Views Views;

/* The first `count` images, copied to the device; a batch of m->batch at a time. */
Views *views_new(const Model *m, const Images *images, int count, const float *mean,
                 const float *istd);
void views_free(Views *v); /* before the model; NULL is fine */
/* The share classified right, by running statistics. level 0: seen once; 1: mirrored, too; 2: and
 * moved. unsure, 0 … 1: the share of the images, those with the lowest largest probability, that
 * gets more than one look. */
double views_accuracy(Views *v, Model *m, int level, double unsure);
#endif
