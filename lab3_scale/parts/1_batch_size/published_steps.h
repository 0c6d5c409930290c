/* published_steps.h: steps to a goal against the batch size, as measured by Shallue et al. (arXiv
 * 1811.03600, figure 1): Nesterov momentum, each point the best of 100 tuned trainings.
 */
#ifndef PUBLISHED_STEPS_H
#define PUBLISHED_STEPS_H

enum { PUBLISHED_BATCHES = 13 };

typedef struct PublishedSteps {
    const char *data, *model; /* the same as ours, or nearly: their cnn and resnet8 are their own */
    const char *name;
    int count;
    double batch[PUBLISHED_BATCHES], steps[PUBLISHED_BATCHES];
} PublishedSteps;

/* NULL: they have not measured this. */
const PublishedSteps *published_steps(const char *data, const char *model);
#endif
