/* parallel_run.h: each scheme trains the same network on the same batches for a few updates; how
 * far is its result from one rank's, what was exchanged, and what did the ranks do meanwhile?
 */
#ifndef PARALLEL_RUN_H
#define PARALLEL_RUN_H
#include "data.h"
#include "parallel.h"
#include "plot.h"

enum { MOST_UPDATES = 64 };

typedef struct Task {
    Comm *comm;
    Backend *be;
    const Dataset *data;
    MlpSpec spec;
    int batch, updates;
    double rate;
    int32_t *order;                 /* the pictures' order, [train.count] */
    float *weights;                 /* one rank's, after the last update: what all are compared
                                     * with. NULL: not known yet */
    double loss[MOST_UPDATES];      /* and its loss by update */
    bool (*goes_on)(void *context); /* asked on rank 0 before each update; false: stop */
    void *context;
} Task;

typedef struct Outcome {
    Scheme scheme;
    bool done;
    int ranks;
    Log log[MOST_RANKS];     /* of an update, from all of them; began and ended: replay() */
    double end;              /* of the schedule, s */
    double wall;             /* an update on this machine's clock, median, s */
    double idle[MOST_RANKS]; /* share of the schedule that a rank does not compute */
    double bytes[MOST_RANKS], expected[MOST_RANKS]; /* given by each rank per update: counted,
                                                     * and by formula */
    double loss, loss_apart; /* the last loss; the largest relative difference from one rank's,
                              * over the updates */
    double weights_apart;    /* largest difference of a weight after the last update, relative
                              * to the largest weight */
} Outcome;

Task task_new(Comm *comm, Backend *be, const Dataset *data, MlpSpec spec, int batch, int updates,
              double rate);
void task_free(Task *t);
/* Collective. The outcome is on rank 0 only. False on all ranks: it was stopped. The serial scheme
 * must be the first. */
bool task_run(Task *t, const Scheme *scheme, Outcome *out);
double outcome_idle(const Outcome *o);  /* mean over the ranks */
double outcome_bubble(const Scheme *s); /* (S-1)/(M+S-1); NAN: no pipeline */

/* parallel_view.c: a timeline per scheme and a table of all. chosen: -1, or the scheme that is
 * drawn large. clock: only what was done before this time is drawn, s; INFINITY: all. */
void parallel_draw(Plot *plot, const Outcome *out, int schemes, int chosen, double clock,
                   const char *title, const char *state, const char *missing);
#endif
