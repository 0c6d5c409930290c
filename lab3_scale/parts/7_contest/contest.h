/* contest.h: part 7's experiment: remedies for large batches on one task, each with the same tuning
 * budget, the same epochs and the same seeds, beside the small batch that they should equal.
 *
 * Tuned on images held out of the training set; judged on the test images. Remedies that are rules
 * (the rate follows from the small batch's) have nothing to tune: their budget is the small
 * batch's.
 */
#ifndef CONTEST_H
#define CONTEST_H
#include "lab3.h"
#include "parts/7_contest/tuned.h"

typedef enum {
    ROW_SMALL, /* first: the small batch */
    ROW_SAME,
    ROW_MOMENTUM,
    ROW_NESTEROV,
    ROW_ROOT,
    ROW_LINEAR,
    ROW_WARM,
    ROW_NOISE,
    ROW_LONGER,
    ROW_GROWING,
    ROW_LARS,
    ROW_LARC,
    ROW_ADAM,
    ROW_ADAMW,
    ROW_LAMB,
    ROW_NOVOGRAD,
    ROW_MUON,
    ROW_SMOOTH,
    ROW_AVERAGE,
    ROWS
} ContestRow;

enum { CONTEST_SIZES = 2, CONTEST_RESULT = 1 }; /* large batches; what a training reaches */

typedef struct Contest {
    Tuned tuned; /* first; entry 0: the small batch; then the other rows of each large one */
    const char *model;
    int batch, k[CONTEST_SIZES], images, test;
    double epochs, rate, momentum; /* rate: the prediction for the small batch */
    double warm; /* share of the updates over which every rate rises to its full value */
    bool text;   /* a training's result is its test loss, not its accuracy */
} Contest;

const char *contest_name(ContestRow row);
/* The exercise for want of which a row is left out, as in "6c_lars"; NULL: none. */
const char *contest_missing(ContestRow row);

void contest_open(Contest *c, const Lab *lab, int64_t seed);
void contest_work(void *contest);
int contest_entry(ContestRow row, int size); /* size: index of k */

typedef struct ContestLine {
    Spread result;
    double closed;          /* share of the gap between same rate and small batch; NaN: no gap */
    Verdict same, nesterov; /* against the same rate, against tuned Nesterov */
} ContestLine;
ContestLine contest_line(const Contest *c, ContestRow row, int size);

/* contest_view.c */
void contest_draw(const void *contest, Plot *plot);
void contest_report(const void *contest);
#endif
