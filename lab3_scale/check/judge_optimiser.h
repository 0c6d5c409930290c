/* judge_optimiser.h: what the checks of part 6 share: a small layer is trained for a few updates by
 * the exercise and by a twin in float64, and where they differ, by twins that make the usual
 * mistakes: the one that does what the exercise does names the mistake.
 */
#ifndef JUDGE_OPTIMISER_H
#define JUDGE_OPTIMISER_H
#include "lab3.h"

enum { JUDGED_STEPS = 5, JUDGED_ROOM = 64 };

/* One layer's training. Zero values: the setting that leaves something out. */
typedef struct OptimiserCase {
    const char *what; /* "decay = 0.2" */
    int rows, columns;
    double mu, decay, trust; /* mu: also beta1 */
    double beta2, epsilon;
    bool decoupled, zero_weights, zero_gradients;
    double scale;  /* of the gradients; 0: 1 */
    double shrink; /* the gradients of update t are scaled by shrink^t, too; 0: 1 */
} OptimiserCase;

typedef struct Twin {
    const OptimiserCase *c;
    int n, t; /* t: the update, 0 for the first */
    double rate, rates[JUDGED_STEPS];
    double w[JUDGED_ROOM];
    double g[JUDGED_STEPS][JUDGED_ROOM];
    double d[JUDGED_STEPS][JUDGED_ROOM]; /* what the twin notes in each update */
} Twin;

typedef struct OptimiserJudge {
    const OptimiserCase *cases; /* the simple ones first */
    int ncases;
    /* The exercise's update number t (0, …) with gradient g. a and b: zero at first. */
    void (*run)(const OptimiserCase *c, float *w, float *a, float *b, const float *g, int t,
                double rate);
    void (*twin)(Twin *t, int mistake); /* 0: right */
    const char *const *words;           /* [mistake]; 0 is not used; ends with NULL */
    double tolerance;                   /* of a weight, relative to how far they moved */
} OptimiserJudge;

/* Calls exercise_wrong() if it is. */
void judge_optimiser(const OptimiserJudge *j);

double twin_norm(const double *x, int n);
#endif
