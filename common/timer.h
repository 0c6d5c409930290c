/* timer.h: seconds on steady clocks. Only differences mean anything. */
#ifndef TIMER_H
#define TIMER_H
#include <stdbool.h>

/* The clock of what a run measures: the machine's, or with a virtual clock (link.h) this rank's,
 * which may stop while the machine's continues. */
double timer_now(void);
/* Always the machine's (CLOCK_MONOTONIC): for windows, progress and time limits. */
double timer_real(void);

/* Processor time of this process so far, all its threads together. */
double timer_processor(void);
/* Seconds that this process's threads, added up, were ready and had no processor: other processes
 * had it. NaN where the system does not say (Linux's schedstat does). */
double timer_waited(void);
double timer_waited_of(int process); /* of another one's */

/* From here on timer_now() is `clock`, which counts one thread's processor time; any thread may
 * call it. */
void timer_follow(double (*clock)(void));
bool timer_virtual(void); /* does it? */
#endif
