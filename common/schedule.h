/* schedule.h: the learning rate as a function of the step. Pure functions: nothing to save in a
 * checkpoint but the step. */
#ifndef SCHEDULE_H
#define SCHEDULE_H
#include <stdint.h>

typedef enum { SCHEDULE_CONSTANT, SCHEDULE_STEP, SCHEDULE_COSINE, SCHEDULE_ONECYCLE } ScheduleKind;
#define SCHEDULE_CHOICES "constant|step|cosine|onecycle"

typedef struct Schedule {
    ScheduleKind kind;
    double rate;        /* base (constant, step, cosine) or peak (one-cycle) */
    int64_t steps;      /* of the whole training */
    int64_t warmup;     /* steps of linear warm-up, 0: none; ignored by one-cycle */
    double start;       /* rate at step 0 of the warm-up (0: rate/(warmup + 1)): lab 3 warms up
                         * from eta to k eta */
    int64_t drop_every; /* step: after every drop_every steps … */
    double drop_by;     /* … the rate is multiplied by drop_by */
} Schedule;

/* name: one of SCHEDULE_CHOICES; any other ends the run (exit 2). */
ScheduleKind schedule_kind(const char *name);

/* The rate of update number `step` (0 … steps-1; constant and step also beyond).
 *   warm-up   step < warmup: start + (rate - start) step / warmup, so that step number `warmup`
 *             is the first at the full rate (Goyal et al., arXiv 1706.02677, 2.2). From there:
 *   constant  rate
 *   step      rate * drop_by ^ floor((step - warmup) / drop_every)
 *   cosine    rate * (1 + cos(pi (step - warmup) / (steps - warmup))) / 2
 *             (Loshchilov & Hutter, arXiv 1608.03983)
 *   onecycle  cosine from rate/25 up to rate over the first 30 % of the steps, then cosine down to
 *             rate/25e4 (Smith, arXiv 1708.07120; torch's OneCycleLR) */
double schedule_rate(const Schedule *s, int64_t step);
#endif
