/* exercise_trial.h: the process that tries an exercise. */
#ifndef EXERCISE_TRIAL_H
#define EXERCISE_TRIAL_H
#include <stdbool.h>
#define TRIAL_RIGHT "right" /* the verdict of an attempt that returned; else what is wrong */

/* The table of an exercise: FOLDER/mistakes.txt. */
void exercise_read_table(const char *folder, const char *exercise);
/* exercise_compare() will end the program with the values in this file, one a line, with their
 * tolerances. */
void exercise_record(const char *file);

/* Run the judge, write the verdict to this file, which exists, and end: with status 0, or
 * EXIT_WRONG. `record`: do not
 * compare the values, but write them there. */
void trial_run(const char *file, bool record, void (*judge)(void *unused))
    __attribute__((noreturn));
#endif
