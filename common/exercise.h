/* exercise.h: trying an exercise without being ended by it, and the line that a self-check prints
 * about it.
 *
 * A stub's TODO(...) (check.h) prints a line and exits 77. So the exercise is tried in a child
 * process, and the parent looks at how the child ended: a window can show what is to do, a check
 * can go on to the next exercise. Call it before threads, MPI or a window are started.
 */
#ifndef EXERCISE_H
#define EXERCISE_H

typedef enum { EXERCISE_DONE, EXERCISE_TODO, EXERCISE_WRONG } ExerciseState;

typedef struct ExerciseResult {
    ExerciseState state;
    char *why; /* DONE: NULL. TODO: its line ("TODO in lab1_gd/gradient.c, line 9: …"). WRONG: the
                * error that was printed, or "it crashed (Segmentation fault)", "it does not end",
                * "it ended the program with exit(0)". free() it */
} ExerciseResult;

/* Run attempt(argument) in a child process (child.h), at most 5 seconds; what it writes to memory
 * is lost with the child. DONE: it came back. It may judge too: die(EXIT_WRONG, …) is WRONG, as any
 * other end, exit(0) included. */
ExerciseResult exercise_try(void (*attempt)(void *), void *argument);

/* What a program needs of its student: the first of n exercises that is not written, or that does
 * not come back, as a line for the window; free() it. NULL: all are there. */
typedef struct ExerciseUse {
    const char *file; /* "lab1_gd/exercises/1a_gradient.c" */
    void (*attempt)(void *unused);
} ExerciseUse;
char *exercise_missing(const ExerciseUse *uses, int n);

/* Print a self-check's line: "PASS  name  10/10  expected" (TODO, FAIL: 0/10; FAIL with "; found:
 * WHY"). Returns the points won: all where DONE, else 0. Does not free result.why. */
int exercise_say(const char *name, int points, const char *expected, ExerciseResult result);

/* All of a check of one exercise: try `judge`, which ends its process with what it finds wrong
 * (die(EXIT_WRONG, …)), and print the line. Returns the program's status: 0, EXIT_WRONG or
 * EXIT_TODO. */
int exercise_check(const char *name, int points, const char *expected, void (*judge)(void *unused));
#endif
