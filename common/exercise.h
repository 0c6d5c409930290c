/* exercise.h: run an exercise safely, and print its line in a self-check.
 *
 * A stub's TODO(...) (check.h) prints a line and exits 77. So the exercise runs in a child process,
 * and the parent sees how the child ended: a window can show the TODO, a check continues with the
 * next exercise. Call it before threads, MPI or a window are started.
 */
#ifndef EXERCISE_H
#define EXERCISE_H

typedef enum { EXERCISE_DONE, EXERCISE_TODO, EXERCISE_WRONG } ExerciseState;

typedef struct ExerciseResult {
    ExerciseState state;
    /* DONE: NULL. TODO: its line ("TODO in lab1_gd/exercises/1a_gradient.c, line 9: …"). WRONG: the
     * printed error, or "it crashed (Segmentation fault)", "it does not end", "it ended the program
     * with exit(0)". free() it */
    char *why;
} ExerciseResult;

/* Run attempt(argument) in a child process (child.h), at most 5 seconds; its writes to memory are
 * lost with the child. DONE: it returned. It may judge, too: die(EXIT_WRONG, …) gives WRONG, as
 * does any other end, exit(0) included. */
ExerciseResult exercise_try(void (*attempt)(void *), void *argument);

/* An exercise that a program needs. */
typedef struct ExerciseUse {
    const char *file; /* "lab1_gd/exercises/1a_gradient.c" */
    void (*attempt)(void *unused);
} ExerciseUse;
/* The first of n exercises that is not written, or does not return, as a line for the window;
 * free() it. NULL: all work. */
char *exercise_missing(const ExerciseUse *uses, int n);

/* Print a self-check's line: "PASS  name  10/10  expected" (TODO, FAIL: 0/10; FAIL with "; found:
 * WHY"). Returns the points: all where DONE, else 0. Does not free result.why. */
int exercise_say(const char *name, int points, const char *expected, ExerciseResult result);

/* The whole check of one exercise: run `judge`, which ends its process on a wrong result
 * (die(EXIT_WRONG, …)), and print the line. Returns the program's status: 0, EXIT_WRONG or
 * EXIT_TODO. */
int exercise_check(const char *name, int points, const char *expected, void (*judge)(void *unused));
#endif
