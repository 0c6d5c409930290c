/* rate_study.h: part 3's experiments: the learning rate of a batch k times as large, by three rules
 * and with a warm-up; the covariance of an update by the same rules; and a training that diverges
 * without a warm-up and converges with one, from many seeds.
 *
 * On text the optimiser is Adam (exercise 6e), the fourth way is √k with Adam's other constants
 * scaled, too (Malladi et al., arXiv 2205.10287), the covariance is left out, and the trainings
 * without and with a warm-up are those of two networks, pre-norm and post-norm (Xiong et al., arXiv
 * 2002.04745).
 */
#ifndef RATE_STUDY_H
#define RATE_STUDY_H
#include "lab3.h"
#include "study.h"
#include "training.h"

enum {
    RATE_SEEDS = 50,
    RATE_KS = 3,    /* the small batch, and two factors */
    RATE_WAYS = 4,  /* the three rules, and SCALE_LINEAR with a warm-up, or of text see above */
    RATE_ARMS = 4,  /* of the starts: without and with a warm-up; of text also post-norm */
    START_PARTS = 7 /* of a start's training, whose mean losses are kept */
};

/* One of the trainings from many seeds. */
typedef struct Start {
    double loss[START_PARTS], result; /* test accuracy, of text test loss; NaN: not trained yet */
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
    bool text;
    double frequencies; /* of text: the loss if only the characters' frequencies are known */
    int done;
    double error[RATE_KS][RATE_WAYS][RATE_SEEDS]; /* test errors, of text losses; NaN: none yet */
    double spread[RATE_KS][SCALE_RULES];          /* of an update, against that with k[0] = 1 */
    Start start[RATE_ARMS][RATE_SEEDS];
} RateStudy;

void rate_open(void *study, const Lab *lab, uint64_t seed); /* checks the choices */
void rate_work(void *study);
const char *rate_way_name(const RateStudy *s, int way);
int rate_arms(const RateStudy *s); /* 2, of text 4 */
const char *rate_arm_name(const RateStudy *s, int arm);
/* It has learned anything: three of ten test images are right, where a guess has one; text is
 * predicted better than by the characters' frequencies alone, by a tenth. */
bool rate_converged(const RateStudy *s, Start start);

/* rate_spread.c: the covariance, on rank 0 */
void rate_measure_spread(RateStudy *s);
/* rate_view.c */
void rate_draw(const void *study, Plot *plot);
void rate_report(const void *study);
#endif
