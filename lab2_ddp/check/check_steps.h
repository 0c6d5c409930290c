/* check_steps.h: the verdicts of the self-check: one function per step.
 */
#ifndef CHECK_STEPS_H
#define CHECK_STEPS_H
#include "check_run.h"
#include "evaluate.h"

/* The runs to judge, all but the last on three ranks. Those that no wanted step needs are left
 * out. */
typedef struct Runs {
    Facts apart;           /* other initial weights on each rank: steps 1 2 3 4 5 7 8 */
    Facts together;        /* the same on all, no warm-up: step 6, the training metrics of step 8 */
    double distance, loss; /* of `together`: see reference_distance */
    Facts whole;           /* a network with batch norm, from start to end: steps 8 9 */
    Facts half;            /* the same, stopped in the middle of an epoch: step 9 */
    Facts resumed;         /* from the half's checkpoint to the end */
    Facts stopped;         /* rank 1 alone is told to stop */
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

/* What is wrong (a new string), or NULL: the step is right. */
typedef char *Judge(const Runs *r);
Judge judge_comm, judge_device, judge_voice, judge_slices, judge_broadcast, judge_average,
    judge_rate, judge_metrics, judge_checkpoint;

/* ---- check_reference.c: the same on one rank, without the student's program; in a child process,
 * which a broken checkpoint may end ---- */

/* The digest of the parameters that --init-seed 1 gives. */
void reference_start(char digest[17]);
/* Train on one rank with the images and rates of f's updates, from the weights of --init-seed 1.
 * Returns the distance of f's checkpoint from the result, relative to how far the weights moved
 * (NaN: no checkpoint), and the mean loss over epoch 0. */
double reference_distance(const Facts *f, double *loss);
/* Test the network in f's checkpoint on the first `tested` test images; count 0: it cannot be
 * read, or is of another network. */
Metrics reference_test(const Facts *f, int tested);
/* An integer from the metadata of f's checkpoint, -1: missing. */
int reference_metadata(const Facts *f, const char *key);
#endif
