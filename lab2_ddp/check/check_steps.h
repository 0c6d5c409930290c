/* check_steps.h: the verdicts of the self-check: one function per step.
 */
#ifndef CHECK_STEPS_H
#define CHECK_STEPS_H
#include "check_run.h"
#include "evaluate.h"

enum {
    STEPS = 9,
    RANKS = 3,
    OTHERS = 2,
    EPOCHS = 2,
    SEED = 7,
    /* apart, together, stopped */
    BATCH = 8,
    ACCUMULATE = 2, /* micro-batches per update in `together`; 1 in the other runs */
    IMAGES = 100,
    TESTED = 50,
    /* the others; HALF: updates */
    DEEP_BATCH = 4,
    DEEP_IMAGES = 62,
    DEEP_TESTED = 200,
    HALF = 3
};
#define RATE 0.02
#define WARMUP 1.5 /* epochs of `apart` */

/* ---- check_reference.c: the same on one rank, without the student's program; in a child process,
 * which a broken checkpoint may end ---- */

/* What the ranks may have made of their gradients. */
typedef enum { MEAN, SUM, NOTHING, MEAN_TWICE, COMBINATIONS } Combination;

/* One rank's training with the images and rates of a run's updates, from the weights of
 * --init-seed 1. */
typedef struct Reference {
    /* of the run's checkpoint from the result, if the gradients are combined so, as part of how far
     * the weights moved; NaN: no checkpoint, or of another network */
    double distance[COMBINATIONS];
    double loss;  /* mean over epoch 0 */
    int elements; /* of the gradient */
} Reference;

Reference reference_train(const Facts *f);
/* The digest of the parameters that --init-seed R + 1 gives, for each rank R. */
void reference_starts(char digest[RANKS][17]);
/* Test the network in f's checkpoint on the first `tested` test images; count 0: it cannot be
 * read, or is of another network. */
Metrics reference_test(const Facts *f, int tested);
/* An integer from the metadata of f's checkpoint, -1: missing. */
int reference_metadata(const Facts *f, const char *key);

/* ---- the runs to judge, all but `others` on three ranks. They are made when a step needs them;
 * those after the first that fails are left out. ---- */

typedef struct Runs {
    const char *program, *work; /* the student's; the folder for all runs */
    unsigned wanted;            /* bit k: step k is to be judged */
    Facts apart;                /* other initial weights on each rank: steps 1 2 3 4 5 7 8 */
    Facts together;             /* the same on all, no warm-up, ACCUMULATE: steps 4 6, the training
                          * metrics of step 8 */
    Reference reference;        /* of `together` */
    Facts whole;                /* a network with batch norm, from start to end: steps 8 9 */
    Facts half;                 /* the same, stopped in the middle of an epoch: step 9 */
    Facts resumed;              /* from the half's checkpoint to the end */
    Facts stopped;              /* rank 1 alone is told to stop */
    Facts others;               /* as resumed, on two ranks */
    const Facts *failed;        /* the run that failed; NULL: none did */
    const char *blamed;         /* the part of a step in which it failed, "6b"; NULL: no run did */
} Runs;

static inline int step_of(const char *part) { return part ? part[0] - '0' : 0; }

/* check_blame.c: the part of a step in which a run failed, read off the first collective that not
 * all of its ranks made alike. */
const char *blame(const Facts *f);

/* ---- the verdicts ---- */

typedef struct Verdict {
    char *fault; /* what is wrong; NULL: the step is right. free() it */
    int first;   /* the step to fix before this one can be judged; 0: it is judged */
} Verdict;

Verdict right(void);
/* part: "6b": the fault then names the line of this comment in the student's file, if found. */
Verdict wrong(const char *part, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The run f lacks this: because it failed, in a step that must be fixed first; else the
 * fault is this step's. */
Verdict missing(const Runs *r, const Facts *f, const char *part, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

typedef Verdict Judge(const Runs *r);
Judge judge_comm, judge_device, judge_output, judge_slices, judge_broadcast, judge_average,
    judge_rate, judge_metrics, judge_checkpoint;
/* Did the ranks make f's updates with their slices, S images each, from `position` in epoch 0 to
 * the end of the last epoch? (Part of steps 4 and 9.) */
Verdict judge_order(const Runs *r, const Facts *f, int S, int images, int position);
#endif
