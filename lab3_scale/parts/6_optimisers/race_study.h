/* race_study.h: part 6's experiment: each optimiser on one task: a small search over its rate, all
 * with one seed, on held-out images; then more seeds with the best rate, on the test images.
 */
#ifndef RACE_STUDY_H
#define RACE_STUDY_H
#include "optimisers.h"
#include "study.h"

enum {
    RACE_SMOOTHED = OPTIMISERS, /* momentum with smoothed labels, */
    RACE_AVERAGED,              /* and with averaged weights */
    RACERS,
    RACE_RATES = 5,  /* the usual rate times 1/9, 1/3, 1, 3, 9 */
    RACE_POINTS = 6, /* tests in a training, evenly spaced, the last at its end */
    RACE_SEEDS = 50
};

/* What is compared: networks for images by test accuracy, language models by test loss. */
typedef struct RaceStudy {
    Study study; /* first: study.h */
    const char *model;
    int batch, images, test, seeds;
    int warm; /* updates of the warm-up */
    double epochs, decay, smoothing;
    uint64_t seed;
    Dataset held;              /* for the search */
    int racers, racer[RACERS]; /* those whose exercises are written */
    int done;
    double search[RACERS][RACE_RATES];               /* with the first seed; NaN: none */
    double reached[RACERS][RACE_SEEDS][RACE_POINTS]; /* with the best rate */
} RaceStudy;

void race_enter(RaceStudy *s);                              /* fills in the racers */
void race_open(void *study, const Lab *lab, uint64_t seed); /* checks the choices */
void race_work(void *study);
const char *race_name(int racer);
const char *race_missing(const RaceStudy *s, int racer); /* optimiser_missing() */
double race_rate(int racer, int i);                      /* the i-th of its search */
int race_best(const RaceStudy *s, int racer);            /* which rate; -1: none is known yet */
bool race_of_text(const RaceStudy *s);
int race_updates(const RaceStudy *s);

/* race_view.c */
void race_draw(const void *study, Plot *plot);
void race_report(const void *study);
#endif
