/* batch_study.h: part 4's experiment and its figure: a network's speed at each batch size, and what
 * each batch size costs until a target accuracy is reached (batch_sweep.h).
 *
 * The model of the speed: an update on B images takes t0 + c B seconds. That is B / (t0 + c B)
 * images per second: at most 1/c, and half of that at B = t0/c.
 */
#ifndef BATCH_STUDY_H
#define BATCH_STUDY_H
#include "batch_sweep.h"
#include "study.h"

typedef struct BatchStudy {
    Study study;
    BatchSweep sweep;
    int fastest;         /* largest batch whose speed is measured: 1, 2, 4 … and the runs' */
    double t0, c;        /* of batch_study_fitted(): in seconds; NaN: not yet */
    int selected;        /* the batch that the footer describes; 0: none */
    bool dots, complete; /* each run as a point; all runs exist */
} BatchStudy;

enum { STUDY_SPEED, STUDY_SECONDS, STUDY_EPOCHS, STUDY_STEPS }; /* the panels */

void batch_study_work(void *study); /* speeds, then runs to the target; collective */
/* The speeds so far, by batch size. Returns how many. */
int batch_study_measured(const BatchStudy *s, double batch[SPEED_SIZES], Speed speed[SPEED_SIZES]);
/* The study with the exercise's fit to the medians so far; rank 0, locked. */
BatchStudy batch_study_fitted(const void *study);
void batch_study_draw(const void *study, Plot *plot);
void batch_study_table(const void *study);
#endif
