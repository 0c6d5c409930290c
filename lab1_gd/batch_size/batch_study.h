/* batch_study.h: part 4's experiment and its figure: a network's speed at each batch size, and what
 * each batch size costs until a target accuracy is reached (batch_sweep.h).
 *
 * The model of the speed: an update on B images takes t0 + c B seconds. That is B / (t0 + c B)
 * images per second: at most 1/c, and half of that at B = t0/c.
 */
#ifndef BATCH_STUDY_H
#define BATCH_STUDY_H
#include "batch_sweep.h"

typedef struct BatchStudy {
    BatchSweep sweep;
    Run *run;
    int fastest;  /* largest batch whose speed is measured: 1, 2, 4 … and the runs' */
    double t0, c; /* the fit, in seconds; NaN: not yet */
    int selected; /* the batch that the footer describes; 0: none */
    bool dots, paused, complete;  /* each run as a point; space; all runs exist */
    BackgroundThread *background; /* the measuring thread, for the window's; NULL: none */
    const char *missing;          /* the exercise that is still to do; NULL: none */
    int shown_second, shown_rows; /* what was drawn last */
    bool touched;                 /* a key or the mouse, since then */
} BatchStudy;

enum { STUDY_SPEED, STUDY_SECONDS, STUDY_EPOCHS, STUDY_STEPS }; /* the panels */

/* Speeds, then runs to the target. On rank 0 b's lock guards the study (NULL on the others).
 * Collective. */
void batch_study_work(void *study, BackgroundThread *b);
/* The speeds so far, by batch size. Returns how many. */
int batch_study_measured(const BatchStudy *s, double batch[SPEED_SIZES], Speed speed[SPEED_SIZES]);
/* The exercise, on the medians so far; rank 0, locked. */
void batch_study_fit(BatchStudy *s);
void batch_study_draw(BatchStudy *s, Plot *plot);
void batch_study_table(const BatchStudy *s);
#endif
