/* runner.h: trainings against the clock: a recipe's, and a plain one in the same seconds.
 *
 * As in airbench the clock counts the whitening, all updates and the last evaluation; not the
 * network's random start, nor what is the same for every run: the data's way to the device, the
 * network's memory, a warm-up. It stops during the evaluations for the curve, and during a pause.
 */
#ifndef RUNNER_H
#define RUNNER_H
#include "lab.h"
#include "recipe.h"
#include "views.h"

enum { CURVE_POINTS = 60 }; /* at most, one after each epoch of a recipe */

/* Of one training. */
typedef struct Outcome {
    int points;                                        /* of the curve: */
    double seconds[CURVE_POINTS], curve[CURVE_POINTS]; /* each test image seen once, but at the end
                                                        * `accuracy` */
    double total;                                      /* seconds */
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

/* Asked between updates, with the curve so far; false: stop. */
typedef struct GoesOn {
    bool (*ask)(void *context, const Outcome *so_far);
    void *context;
} GoesOn;

/* Before anything else is done: are the data's images large enough for this network, and is there
 * memory for such batches? Else the run ends (exit 2). */
void runner_check(const Lab *lab, const char *model, int batch);

typedef struct Runner Runner;
/* A recipe's, or (recipe NULL) a plain one's; both are borrowed. processor: count the processor
 * time of the thread that calls runner_run(), which others on the machine do not change; with one
 * thread on a CPU it is what an idle machine would need, where the loader's thread has a core of
 * its own. */
Runner *runner_new(const Lab *lab, const Recipe *recipe, const Plain *plain, bool processor);
void runner_free(Runner *r); /* NULL is fine */
/* A few updates and an evaluation, not timed. */
void runner_warm_up(Runner *r);
/* A whole training from this seed; a plain one takes `seconds`. False: stopped. */
bool runner_run(Runner *r, Outcome *out, uint64_t seed, double seconds, GoesOn goes_on);
#endif
