/* sgd_survey.h: measures noise floors, beside a live picture: each point of the survey is a walk of
 * its own, started at the minimum, whose loss above the lowest is averaged over late updates. A
 * slice of work adds one block of updates to the point that has the fewest: coarse first, finer as
 * time passes.
 */
#ifndef SGD_SURVEY_H
#define SGD_SURVEY_H
#include "lab1.h"
#include "plot.h"
#include "run.h"
#include "sgd_floor.h"

/* One epoch of updates: minibatch_epoch, or a program's own. */
typedef void SgdEpoch(double *w, double *b, const double *x, const double *y, const int *order,
                      int n, int batch, double rate, double *room, UpdateReport *report,
                      void *state);

typedef struct SgdPoint {
    SgdSampling sampling;
    double rate;
    int batch;
    double theory;       /* NAN: no floor */
    double w, b;         /* where its walk is */
    int epoch, blocks;   /* epochs walked; blocks averaged */
    double sum, squares; /* over blocks: of their means, and of these squared */
    bool lost;           /* it ran away */
} SgdPoint;

typedef struct SgdSurvey {
    Points points; /* borrowed */
    SgdNoise noise;
    SgdEpoch *run;
    uint64_t seed;
    int count, blocks; /* points; blocks of updates that each one gets in all */
    SgdPoint *point;   /* [count], in the order of the calls of sgd_survey_add */
    int *order;        /* [points.n] */
    double *room;      /* [2 * points.n] */
} SgdSurvey;

SgdSurvey sgd_survey_new(Points points, SgdEpoch *run, uint64_t seed, int blocks);
void sgd_survey_free(SgdSurvey *s);
void sgd_survey_add(SgdSurvey *s, SgdSampling sampling, double rate, int batch);
/* Works for about so many seconds, at least one block; false: all is measured. */
bool sgd_survey_work(SgdSurvey *s, double seconds);
double sgd_survey_done(const SgdSurvey *s); /* 0 … 1 */

double sgd_point_mean(const SgdPoint *p);  /* the measured floor; NAN: not yet, or lost */
double sgd_point_error(const SgdPoint *p); /* its standard error, from the spread of the blocks;
                                            * NAN: fewer than 4 */

/* Measured floors of one sampling as points with bars of two standard errors, over x = rate / batch
 * (per_batch) or rate, and theory as a line through the same x. Points without a floor are left
 * out. */
void sgd_survey_draw(const SgdSurvey *s, PlotPanel *panel, SgdSampling sampling, bool per_batch,
                     PlotStyle style);
/* As a table, and as floor.csv in the run's folder:
 * "sampling,rate,batch,theory,measured,error,small". */
void sgd_survey_report(const SgdSurvey *s, Run *run);
#endif
