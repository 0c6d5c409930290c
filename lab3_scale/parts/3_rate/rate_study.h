/* rate_study.h: part 3's experiments: the learning rate of a batch k times as large, by three rules
 * and with a warm-up; the covariance of an update by the same rules; and a training that diverges
 * without a warm-up and converges with one, from many seeds.
 */
#ifndef RATE_STUDY_H
#define RATE_STUDY_H
#include "lab3.h"
#include "study.h"
#include "training.h"

enum {
    RATE_SEEDS = 50,
    RATE_KS = 3,    /* the small batch, and two factors */
    RATE_WAYS = 4,  /* the three rules, and SCALE_LINEAR with a warm-up */
    START_PARTS = 7 /* of a start's training, whose mean losses are kept */
};

/* One of the trainings from many seeds. */
typedef struct Start {
    double loss[START_PARTS], accuracy; /* accuracy NaN: not trained yet */
} Start;

typedef struct RateStudy {
    Study study; /* first: study.h */
    /* the rules: */
    const char *model;
    int batch, k[RATE_KS], images, test, seeds;
    double epochs, rate, momentum, warmup; /* warmup: share of the training */
    /* the starts: */
    const char *start_model;
    int starts, start_batch, start_images;
    double start_epochs, start_base, start_k, start_warmup; /* warmup: epochs */
    uint64_t seed;
    int done;
    double error[RATE_KS][RATE_WAYS][RATE_SEEDS]; /* test errors; NaN: not trained */
    double spread[RATE_KS][SCALE_RULES];          /* of an update, against that with k[0] = 1 */
    Start start[2][RATE_SEEDS];                   /* without and with the warm-up */
} RateStudy;

extern const char *const rate_way_names[RATE_WAYS];

void rate_open(void *study, const Lab *lab, uint64_t seed); /* checks the choices */
void rate_work(void *study);
bool rate_converged(Start s); /* three of ten test images right, where a guess has one */

/* rate_spread.c: the covariance, on rank 0 */
void rate_measure_spread(RateStudy *s);
/* rate_view.c */
void rate_draw(const void *study, Plot *plot);
void rate_report(const void *study);
#endif
