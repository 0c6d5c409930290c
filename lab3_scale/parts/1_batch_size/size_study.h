/* size_study.h: part 1's experiment: updates and seconds to a target accuracy, of text a loss,
 * against the batch size, each batch size with its tuned rate (tuned.h), the speed of each
 * (speed.h), and the bend fitted to the updates:
 *
 *     updates(B) = floor (1 + B_crit / B)      (McCandlish et al., arXiv 1812.06162)
 */
#ifndef SIZE_STUDY_H
#define SIZE_STUDY_H
#include "parts/7_contest/tuned.h"
#include "speed.h"

enum { SIZE_STEPS = 1, SIZE_EPOCHS, SIZE_BEST, SIZE_VALUES };

typedef struct SizeStudy {
    Tuned tuned; /* first; an entry's setting is its batch */
    const char *model;
    int smallest, largest, factor, train, test, check_every, micro, updates;
    double rate, momentum, target, epochs; /* rate: predicted at batch 64; it grows as the root */
    TargetSetup setup;
    Speeds speeds;
    Dataset held;
    bool text;       /* the target is a loss */
    bool ways;       /* the critical batch size in other ways, too (size_critical.c) */
    int branches;    /* of size_critical.c; 0: too few images for them */
    Sweep *critical; /* rank 0: by branch; 0: the noise scale */
    SweepItem *todo;
} SizeStudy;

typedef struct Bend {
    double floor, critical, worst; /* worst: misfit, a share of the measured */
} Bend;
/* Least squares of the logarithms; NaN is left out. Fewer than 3 values: NaN. */
Bend bend_fit(const double *batch, const double *updates, int n);

void size_open(SizeStudy *s, const Lab *lab, int64_t seed);
void size_work(void *study);
/* By batch size [entries]: the speed, and the updates to the target over the seeds. */
void size_results(const SizeStudy *s, double *batch, Speed *speed, Spread *updates);
/* size_critical.c: the critical batch size in two other ways; NaN: not measured. It needs the
 * exercises of part 1. */
typedef struct Critical {
    double noise_scale, branching;
} Critical;
void size_critical_open(SizeStudy *s, const Lab *lab, const json_t *config);
void size_critical_work(SizeStudy *s); /* collective */
void size_critical_free(SizeStudy *s);
Critical size_critical(const SizeStudy *s);
/* published_steps.c: steps to a goal against the batch size, as measured by Shallue et al. (arXiv
 * 1811.03600, figure 1): Nesterov momentum, each point the best of 100 tuned trainings. */
enum { PUBLISHED_BATCHES = 13 };

typedef struct PublishedSteps {
    const char *data, *model; /* the same as ours, or nearly: their cnn and resnet8 are their own */
    const char *name;
    int count;
    double batch[PUBLISHED_BATCHES], steps[PUBLISHED_BATCHES];
} PublishedSteps;

/* NULL: they have not measured this. */
const PublishedSteps *published_steps(const char *data, const char *model);
/* size_view.c */
void size_draw(const void *study, Plot *plot);
void size_report(const void *study);
#endif
