/* parallel_run.h: each scheme trains the same network on the same batches for a few updates. How
 * far is its result from that of one rank, what was exchanged, and what did the ranks do meanwhile?
 */
#ifndef PARALLEL_RUN_H
#define PARALLEL_RUN_H
#include "data.h"
#include "parallel.h"

enum { MOST_UPDATES = 64 };

typedef struct Task {
    Comm *comm;
    Backend *be;
    const Dataset *data;
    MlpSpec spec;
    int batch, updates;
    double rate;
    bool busy;                 /* exercises/8_busy.c is there; without it idle times are NAN */
    int32_t *order;            /* the images' order, [train.count] */
    float *weights;            /* one rank's after the last update, the reference; NULL:
                                     * not known yet */
    double loss[MOST_UPDATES]; /* and its loss by update */
    bool (*may_continue)(void *context); /* called on rank 0 before each update; false: stop */
    void *context;
} Task;

typedef struct Outcome {
    Scheme scheme;
    const char *missing; /* the exercise that this scheme still needs, as a line; NULL: none */
    bool done;
    int ranks;
    Log log[MOST_RANKS];     /* an update's, of every rank, with the times of replay() */
    double end;              /* of the schedule, s */
    double wall;             /* median wall-clock time of an update here, s */
    double idle[MOST_RANKS]; /* fraction of the schedule in which a rank does not compute */
    double bytes[MOST_RANKS], expected[MOST_RANKS]; /* sent by each rank per update: counted,
                                                     * and by formula */
    double loss, loss_error; /* the last loss; the largest relative difference from one rank's
                              * loss over the updates */
    double weights_error;    /* largest difference of a weight after the last update, relative
                              * to the largest weight */
} Outcome;

Task task_new(Comm *comm, Backend *be, const Dataset *data, MlpSpec spec, int batch, int updates,
              double rate);
void task_free(Task *t);
/* Collective. The outcome is on rank 0 only. False, on all ranks: stopped. The serial scheme must
 * run first. */
bool task_run(Task *t, const Scheme *scheme, Outcome *out);
double outcome_idle(const Outcome *o);  /* mean over the ranks; NAN: not known */
double outcome_bubble(const Scheme *s); /* (S-1)/(M+S-1); NAN: no pipeline */
/* Images whose activations a rank keeps at once, of the layers or slices that it has. */
int outcome_kept(const Outcome *o, int rank, int batch);
#endif
