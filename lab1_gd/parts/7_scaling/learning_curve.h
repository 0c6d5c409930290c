/* learning_curve.h: part 7's experiment: a small network trained on growing subsets of the data,
 * several times each; the power law fitted to its errors; and a check of the law's prediction at a
 * size that the fit has not seen.
 */
#ifndef LEARNING_CURVE_H
#define LEARNING_CURVE_H
#include "cost.h"
#include "power_law.h"
#include "study.h"
#include "sweep.h"
#include "train_to_target.h"

enum { CURVE_SIZES = 24, CURVE_DRAWS = 400, CURVE_POINTS = 1024 };

typedef struct LearningCurve {
    Study study;
    const char *model;
    int smallest, largest, fit_from; /* subset sizes: smallest, twice that, … largest; the
                                      * law is fitted from fit_from on */
    int seeds, batch, updates;       /* a run has `updates` updates, or `epochs` epochs if
                                      * that is more */
    double epochs, rate, momentum, weight_decay;
    double target; /* the test error to reach */
    int test;      /* test images */
    int64_t seed;
    TargetSetup setup;
    TaskFarmRun *farm; /* of the run in progress here: must it stop? */
    Sweep *runs;       /* setting: examples; value: test error, seconds; rank 0, else NULL */
    int examples;      /* that this rank trains on now; 0: it is idle */
    int done, count;   /* finished runs; fitted points */
    int64_t now_seed;
    PowerLaw law;
    PowerLawDraw draw[CURVE_DRAWS];
    bool fitted, complete;
    double needed;            /* examples for the target, by the law */
    Interval needed_range;    /* 90 % */
    int check;                /* the size at which the law is checked: `needed`, or the whole
                            * data set; 0: not known yet */
    bool no_needed, no_costs; /* is needed_examples still to do, training_days? */
    Cost cost;
} LearningCurve;

/* After args_parse: checks the options (else exit 2), and fills in setup. */
void learning_curve_open(LearningCurve *l, const Lab *lab, int64_t seed);
void learning_curve_file(LearningCurve *l); /* after lab_run(), on rank 0 */
/* All runs that are missing, each on the next free rank; then the fit and the check. Collective. */
void learning_curve_work(void *study);
/* A number of examples as text, "1200", "3.1e+17" or "infinitely many"; free() it. */
char *learning_curve_amount(double examples);
int learning_curve_sizes(const LearningCurve *l, int size[CURVE_SIZES]);
void learning_curve_report(const void *study);
void learning_curve_draw(const void *study, Plot *plot);
Interval learning_curve_range(const LearningCurve *l, int which); /* of alpha, beta, gamma: 90 % */
#endif
