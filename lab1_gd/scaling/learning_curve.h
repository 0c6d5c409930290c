/* learning_curve.h: part 7's experiment: a small network trained on growing subsets of the data,
 * several times each; the power law fitted to its errors; and a check of the law's prediction at a
 * size that the fit has not seen.
 */
#ifndef LEARNING_CURVE_H
#define LEARNING_CURVE_H
#include "background_thread.h"
#include "cost.h"
#include "power_law.h"
#include "sweep.h"
#include "task_farm.h"
#include "train_to_target.h"

enum { CURVE_SIZES = 24, CURVE_DRAWS = 400, CURVE_POINTS = 1024 };

typedef struct LearningCurve {
    const char *model;
    int smallest, largest, fit_from; /* subset sizes: smallest, twice that, … largest; the
                                      * law is fitted from fit_from on */
    int seeds, batch, updates;       /* a run has `updates` updates, or `epochs` epochs if
                                      * that is more */
    double epochs, rate, momentum, weight_decay;
    double target; /* the test error to reach */
    int test;      /* test images */
    int64_t seed;
    Comm *comm;
    TargetSetup setup;
    TaskFarmRun *farm; /* of the run in progress here: must it stop? */
    Run *run;
    Sweep *runs; /* setting: examples; value: test error, seconds; rank 0, else NULL */
    BackgroundThread *watched, *background; /* the training thread, for itself and for the
                                             * window's; NULL: none */
    int examples;                           /* that this rank trains on now; 0: it is idle */
    int done, count;                        /* finished runs; fitted points */
    int64_t now_seed;
    PowerLaw law;
    PowerLawDraw draw[CURVE_DRAWS];
    bool fitted, complete, paused;
    double needed;            /* examples for the target, by the law */
    Interval needed_range;    /* 90 % */
    int check;                /* the size at which the law is checked: `needed`, or the whole
                            * data set; 0: not known yet */
    const char *missing;      /* the exercise that is still to do; NULL: none */
    bool no_needed, no_costs; /* is it needed_examples, training_days? */
    Cost cost;
    double redraw; /* when the figure is drawn next, s */
} LearningCurve;

/* After args_parse: checks the options (else exit 2), and fills in setup. */
void learning_curve_open(LearningCurve *l, Comm *comm, Backend *be, const Dataset *data,
                         int64_t seed);
void learning_curve_file(LearningCurve *l);
/* All runs that are missing, each on the next free rank; then the fit and the check. On rank 0 b's
 * lock guards the curve (NULL on the others). Collective. */
void learning_curve_work(void *curve, BackgroundThread *b);
/* A number of examples as text, "1200", "3.1e+17" or "infinitely many"; free() it. */
char *learning_curve_amount(double examples);
int learning_curve_sizes(const LearningCurve *l, int size[CURVE_SIZES]);
void learning_curve_table(LearningCurve *l);
void learning_curve_draw(LearningCurve *l, Plot *plot);
Interval learning_curve_range(const LearningCurve *l, int which); /* of alpha, beta, gamma: 90 % */
#endif
