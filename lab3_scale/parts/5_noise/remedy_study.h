/* remedy_study.h: part 5's experiment: a small and a large batch trained for equally many epochs,
 * and remedies that are to close the gap between their test errors: each with several seeds.
 */
#ifndef REMEDY_STUDY_H
#define REMEDY_STUDY_H
#include "paces.h"
#include "study.h"

typedef enum {
    REMEDY_SMALL,      /* the small batch: nothing to fix */
    REMEDY_LARGE,      /* the large one, its rate by the rule √k */
    REMEDY_SAME,       /* the large one at the small one's rate */
    REMEDY_NOISE,      /* that, with noise: its updates have the covariance of the small batch's */
    REMEDY_NOISE_ROOT, /* the rule √k and noise: k times that covariance */
    REMEDY_LONGER,
    REMEDY_GROWS,
    REMEDY_WARMS_UP,
    REMEDIES
} Remedy;

enum { REMEDY_SEEDS = 50 };

/* Of one training. */
typedef struct RemedyResult {
    double test, train; /* errors; NaN: not trained yet */
    double updates;
} RemedyResult;

typedef struct RemedyStudy {
    Study study; /* first: study.h */
    const char *model;
    int batch, k, images, test, seeds, longer; /* the large batch is k times `batch` */
    double epochs, rate, momentum, weight_decay;
    uint64_t seed;
    int done;
    RemedyResult result[REMEDIES][REMEDY_SEEDS];
} RemedyStudy;

extern const char *const remedy_names[REMEDIES];

void remedy_open(void *study, const Lab *lab, uint64_t seed); /* checks the choices */
void remedy_work(void *study);
/* The pace of REMEDY_WARMS_UP (paces.h): the batch begins small, by batch_warm_up(); its rate is
 * that of pace_drops(), times the root of how much larger the batch is. */
Pace pace_warms_up(const void *grow, double seen, int64_t update);
/* Of the gap of one seed the share that the remedy closes: 1: all of it; below 0: it harms. */
double remedy_share(const RemedyStudy *s, Remedy r, int seed);

/* remedy_view.c */
void remedy_draw(const void *study, Plot *plot);
void remedy_report(const void *study);
#endif
