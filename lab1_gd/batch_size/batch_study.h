/* batch_study.h: part 4's experiment and its figure: a network's speed at each batch size, and what each
 * batch size costs until a target accuracy is reached (batch_sweep.h).
 *
 * The model of the speed: an update on B images takes t0 + c B seconds. That is B / (t0 + c B)
 * images per second: at most 1/c, and half of that at B = t0/c.
 */
#ifndef BATCH_STUDY_H
#define BATCH_STUDY_H
#include "batch_sweep.h"

typedef struct BatchStudy {
    BatchSweep sweep;
    Sweep *speed; /* setting: the batch, 1, 2, 4 …; seed: the round; rank 0, else NULL */
    Run *run;
    int fastest, rounds;          /* largest batch whose speed is measured; measurements of each */
    double slice;                 /* seconds per measurement */
    double t0, c;                 /* the fit, in seconds; NaN: not yet */
    int selected;                 /* the batch that the footer describes; 0: none */
    bool dots, paused, complete;  /* each run as a point; space; all runs exist */
    BackgroundThread *background; /* the measuring thread, for the window's; NULL: none */
    char *missing;                /* the exercise that is still to do; NULL: none */
    int shown_second, shown_rows; /* what was drawn last */
    bool touched;                 /* a key or the mouse, since then */
} BatchStudy;

enum { STUDY_SPEED, STUDY_SECONDS, STUDY_EPOCHS, STUDY_STEPS }; /* the panels */

/* Speeds, then runs to the target. On rank 0 b's lock guards the study (NULL on the others).
 * Collective. */
void batch_study_work(void *study, BackgroundThread *b);
/* Seconds per update, [BATCH_SIZES] each: median, lowest, highest. Returns how many batch sizes are
 * measured. */
int batch_study_measured(const BatchStudy *s, double *batch, double *seconds, double *low,
                         double *high);
void batch_study_draw(BatchStudy *s, Plot *plot);
void batch_study_table(const BatchStudy *s);
#endif
