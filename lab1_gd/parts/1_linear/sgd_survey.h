/* sgd_survey.h: measures noise floors next to a live figure. Each point of the survey is a separate
 * SGD walk from the minimum; its excess loss is averaged over late updates. A slice of work adds
 * one block of updates to the point that has the fewest, so all points become more exact together.
 */
#ifndef SGD_SURVEY_H
#define SGD_SURVEY_H
#include "lab1.h"
#include "plot.h"
#include "run.h"
#include "sgd_floor.h"

/* Fill order[0 … n) with examples 0 … n-1 for the updates of `epoch`, `batch` per update. Returns
 * how many it holds: n if shuffled (with the student's shuffle), else as many whole batches as fit.
 * A function of its arguments. */
int sgd_order(int *order, int n, SgdSampling sampling, int batch, uint64_t seed, int epoch);

/* One epoch of updates: minibatch_epoch, or the like. */
typedef void SgdEpoch(double *w, double *b, const double *x, const double *y, const int *order,
                      int n, int batch, double rate, double *room, UpdateReport *report,
                      void *context);

typedef struct SgdPoint {
    SgdSampling sampling;
    double rate;
    int batch;
    double theory;       /* NAN: no floor exists */
    double w, b;         /* where its walk is */
    int epoch, blocks;   /* epochs made; blocks averaged */
    double sum, squares; /* over blocks: of their means, and of the squares of these */
    bool lost;           /* diverged, or too slow to measure */
} SgdPoint;

typedef struct SgdSurvey {
    Points points; /* borrowed */
    SgdNoise noise;
    SgdEpoch *run;
    uint64_t seed;
    int count, blocks; /* points; blocks of updates for each in total */
    SgdPoint *point;   /* [count], in the order of sgd_survey_add */
    int *order;        /* [points.n] */
    double *room;      /* [2 * points.n] */
} SgdSurvey;

SgdSurvey sgd_survey_new(Points points, SgdEpoch *run, uint64_t seed, int blocks);
void sgd_survey_free(SgdSurvey *s);
void sgd_survey_add(SgdSurvey *s, SgdSampling sampling, double rate, int batch);
/* Works for about this many seconds, at least one block. False: everything is measured. */
bool sgd_survey_work(SgdSurvey *s, double seconds);
double sgd_survey_done(const SgdSurvey *s); /* 0 … 1 */

double sgd_point_mean(const SgdPoint *p);  /* the measured floor; NAN: not yet, or diverged */
double sgd_point_error(const SgdPoint *p); /* its standard error, from the spread of the blocks;
                                            * NAN: fewer than 4 */

/* Measured floors of one sampling as points with error bars (two standard errors), over rate /
 * batch (per_batch) or rate; theory as a line. Points without a floor are left out. */
void sgd_survey_draw(const SgdSurvey *s, PlotPanel *panel, SgdSampling sampling, bool per_batch,
                     PlotStyle style);
/* As a table, and as floor.csv in the run's folder:
 * "sampling,rate,batch,theory,measured,error,small". */
void sgd_survey_report(const SgdSurvey *s, Run *run);
#endif
