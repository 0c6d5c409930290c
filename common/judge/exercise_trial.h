/* exercise_trial.h: the process that tries an exercise. */
#ifndef EXERCISE_TRIAL_H
#define EXERCISE_TRIAL_H
#define TRIAL_RIGHT "right" /* the verdict of an attempt that returned; else what is wrong */

/* Run the judge, write the verdict to this file, which exists, and end: with status 0, or
 * EXIT_WRONG. */
void trial_run(const char *file, void (*judge)(void *unused)) __attribute__((noreturn));
#endif
