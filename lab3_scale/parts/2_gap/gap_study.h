/* gap_study.h: part 2's experiments: a small and a large batch trained for equally many epochs, the
 * large one also with a larger rate and for longer, all with and without weight decay, with several
 * seeds; how sharp the minima are that they find; and the loss between them.
 */
#ifndef GAP_STUDY_H
#define GAP_STUDY_H
#include "landscape.h"
#include "study.h"
#include "training.h"

typedef enum { GAP_SMALL, GAP_LARGE, GAP_ROOT, GAP_LONGER, GAP_WAYS } GapWay;

enum { GAP_SEEDS = 20, GAP_LINE = 41, GAP_SIDE = 21 };

/* Of one training: errors and losses of test and training set, and the largest eigenvalue of the
 * training loss's Hessian. NaN: not known. */
typedef struct GapResult {
    double test, train, test_loss, train_loss, sharpness, updates;
} GapResult;

typedef struct GapStudy {
    Study study; /* first: study.h */
    const char *model;
    int batch, k, images, test, seeds, longer, side; /* side: points of a plane, squared */
    double epochs, rate, momentum, decay;
    uint64_t seed;
    int done;
    GapResult result[2][GAP_WAYS][GAP_SEEDS]; /* without, with weight decay */
    /* The first seed's small (t = 0) and large (t = 1) solution, without weight decay: */
    double t[GAP_LINE], line_train[GAP_LINE], line_test[GAP_LINE]; /* losses */
    Surface *plane[2];                                             /* without, with weight decay */
    float *solution[2][2]; /* [weight decay][small, large]: the first seed's weights */
    int owner[2][2];       /* the rank that trained it */
    Model *m;              /* looks at them */
    EvalSet *train_set, *test_set;
} GapStudy;

extern const char *const gap_way_names[GAP_WAYS];

void gap_open(void *study, const Lab *lab, uint64_t seed); /* checks the choices */
void gap_close(void *study);
void gap_work(void *study);
/* Kendall's tau (exercise 2b) of sharpness and test error over all trainings so far. */
double gap_tau(const GapStudy *s, int *trainings);

/* gap_between.c: the line and the planes. Collective */
void gap_look_between(GapStudy *s);
/* gap_view.c */
void gap_draw(const void *study, Plot *plot);
void gap_report(const void *study);
#endif
