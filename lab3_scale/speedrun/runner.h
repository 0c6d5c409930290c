/* runner.h: trainings against the clock: a recipe's, and a plain one in the same seconds.
 *
 * As in airbench the clock counts the start (whitening included), all updates and the last
 * evaluation; not what is the same for every run: the data's way to the device, the network's
 * memory, a warm-up. It stands still during the evaluations for the curve.
 */
#ifndef RUNNER_H
#define RUNNER_H
#include "lab.h"
#include "recipe.h"
#include "views.h"

enum { CURVE_POINTS = 64 };

/* Of one training. */
typedef struct Outcome {
    int points; /* of the curve: */
    double seconds[CURVE_POINTS], curve[CURVE_POINTS];
    double total;          /* seconds */
    double once, accuracy; /* at the end: every test image seen once; as the recipe says */
    int updates;
    bool finite; /* did its loss stay so? */
} Outcome;

/* A usual training of a usual network: SGD with Nesterov momentum, one cycle of the learning rate,
 * random flips and shifts. */
typedef struct Plain {
    const char *model;
    int images, test, batch;
    double rate, momentum, decay; /* rate: the highest */
} Plain;

/* Asked between updates; false: stop. */
typedef struct GoesOn {
    bool (*ask)(void *context);
    void *context;
} GoesOn;

typedef struct Runner Runner;
/* A recipe's, or (recipe NULL) a plain one's; both are borrowed. processor: count this process's
 * processor time, which others on the machine do not change; with one thread on a CPU it is what an
 * idle machine would need. */
Runner *runner_new(const Lab *lab, const Recipe *recipe, const Plain *plain, bool processor);
void runner_free(Runner *r); /* NULL is fine */
/* A few updates and an evaluation, not timed. */
void runner_warm_up(Runner *r);
/* A whole training from this seed; a plain one takes `seconds`. False: stopped. */
bool runner_run(Runner *r, Outcome *out, uint64_t seed, double seconds, GoesOn goes_on);
#endif
