/* check_steps.h: the judgements of the self-check: one function per exercise.
 */
#ifndef CHECK_STEPS_H
#define CHECK_STEPS_H
#include "check_run.h"
#include "evaluate.h"

/* The runs that are judged, all but the last on three ranks. One that no wanted step needs is left
 * out. */
typedef struct Runs {
    Facts apart;    /* each rank with initial weights of its own: steps 1 2 3 4 5 7 8 */
    Facts together; /* all with the same, no warm-up: step 6, the training metrics of step 8 */
    double distance, loss; /* of `together`: see reference_distance */
    Facts whole;           /* a network with batch norm, from start to end: steps 8 9 */
    Facts half;            /* the same, stopped in the middle of an epoch: step 9 */
    Facts resumed;         /* from the half's checkpoint to the end */
    Facts stopped;         /* one rank alone is told to stop */
    Facts others;          /* as resumed, on two ranks */
} Runs;

enum {
    RANKS = 3,
    OTHERS = 2,
    EPOCHS = 2,
    SEED = 7,
    /* apart, together, stopped */
    BATCH = 8,
    IMAGES = 100,
    TESTED = 50,
    /* the others; HALF: updates */
    DEEP_BATCH = 4,
    DEEP_IMAGES = 62,
    DEEP_TESTED = 200,
    HALF = 3
};
#define RATE 0.02

/* What was found wrong (a new string), or NULL: the step is right. */
typedef char *Judge(const Runs *r);
Judge judge_comm, judge_device, judge_voice, judge_share, judge_broadcast, judge_average,
    judge_rate, judge_metrics, judge_checkpoint;

/* ---- check_reference.c: the same on one rank, without the student's program ---- */

/* The digest of the parameters that --init-seed 1 gives. */
void reference_start(char digest[17]);
/* Train on one rank with the images and rates of f's updates, from the weights of --init-seed 1.
 * Returns how far f's checkpoint is from the result, as a part of the way that the weights went
 * (NaN: it cannot be compared), and the mean loss over epoch 0's pictures. */
double reference_distance(const Facts *f, double *loss);
/* Test the network in f's checkpoint on the first `tested` test pictures; count 0: it cannot be
 * read. */
Metrics reference_test(const Facts *f, int tested);
/* Metadata of f's checkpoint as a number, -1: it has none. */
int reference_metadata(const Facts *f, const char *key);
#endif
