/* learning_curve.h: part 7's experiment: one small network trained on growing parts of the data,
 * several times each; the power law through its errors, fitted on the smaller sizes alone; and the
 * check of what the law foretells, at a size that the fit has not seen.
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
    int smallest, largest, fit_from; /* examples: smallest, twice that, … largest; the law is
                                      * fitted from fit_from on */
    int seeds, batch, updates;       /* a training has `updates` updates, or `epochs` epochs
                                      * where that is more */
    double epochs, rate, momentum, weight_decay;
    double target; /* the error asked for */
    int test;      /* test pictures */
    int64_t seed;
    Comm *comm;
    TargetSetup setup;
    TaskFarmRun *farm; /* while one trains here: asked whether it is to stop */
    Run *run;
    Sweep *runs; /* setting: examples; value: test error, seconds; rank 0, else NULL */
    BackgroundThread *watched, *background; /* the lock, as the thread that trains sees it; as
                                             * the window's does. NULL: none */
    int examples;                           /* that this rank trains on now; 0: it does not train */
    int done, count;                        /* trainings that are there; fitted points */
    int64_t now_seed;
    PowerLaw law;
    PowerLawDraw draw[CURVE_DRAWS];
    bool fitted, over, paused;
    double needed;         /* examples for the target, by the law */
    Interval needed_range; /* 90 % */
    int check;             /* the size at which the law is checked: `needed`, or all there are;
                            * 0: not known yet */
    char *missing;
    Cost cost;
    double redraw; /* when the figure is due again, s */
} LearningCurve;

/* After args_parse: what is possible (else exit 2), and setup. */
void learning_curve_open(LearningCurve *l, Comm *comm, Backend *be, const Dataset *data,
                         int64_t seed);
void learning_curve_file(LearningCurve *l);
/* All trainings that are not there yet, each on the next rank that is free; the fit, the check.
 * On rank 0 the state is guarded by b (NULL on the others). Collective. */
void learning_curve_work(void *curve, BackgroundThread *b);
int learning_curve_sizes(const LearningCurve *l, int size[CURVE_SIZES]);
void learning_curve_table(LearningCurve *l);
void learning_curve_draw(LearningCurve *l, Plot *plot);
Interval learning_curve_range(const LearningCurve *l, int which); /* of alpha, beta, gamma: 90 % */
#endif
