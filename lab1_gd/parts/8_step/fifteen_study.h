/* fifteen_study.h: part 8's experiment: a training whose steps are taken apart, on all ranks, while
 * keys change its batch.
 */
#ifndef FIFTEEN_STUDY_H
#define FIFTEEN_STUDY_H
#include "fifteen.h"
#include "study.h"

enum { FIFTEEN_RANKS = 8, FIFTEEN_SMALLEST = 2, FIFTEEN_LARGEST = 256 };

typedef struct FifteenStudy {
    Study study;
    const char *model;
    int batch, steps, images; /* per rank and step; without a window; training images used */
    double rate;
    uint64_t seed;
    TimedTraining *training;
    bool restart;                     /* wanted */
    StepReport report[FIFTEEN_RANKS]; /* rank 0: of the step that is shown */
} FifteenStudy;

/* After lab_data(): the training's beginning, and again with another batch. */
void fifteen_begin(FifteenStudy *s, const Lab *lab, int batch);
void fifteen_work(void *study);
void fifteen_report(const void *study);
void fifteen_draw(const void *study, Plot *plot); /* fifteen_view.c */
#endif
