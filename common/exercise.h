/* exercise.h: run an exercise safely, and print its line in a self-check; which ones are missing.
 *
 * A stub's TODO(...) (check.h) prints a line and exits 77; and a first attempt may crash, hang,
 * call exit(0), print without end. So the exercise runs in another process, with limits (child.h),
 * and the verdict goes into a file; its output is ignored. It can neither start processes nor send
 * signals. This guards against mistakes, not against code that looks for that file.
 */
#ifndef EXERCISE_H
#define EXERCISE_H
#include <stdbool.h>

typedef enum { EXERCISE_DONE, EXERCISE_TODO, EXERCISE_WRONG } ExerciseState;

typedef struct ExerciseResult {
    ExerciseState state;
    /* DONE: NULL. TODO: its line ("TODO in lab1_gd/exercises/1a_gradient.c, line 9: …"), or, where
     * code stands above it, that it was forgotten. WRONG: the printed error, or "it crashed
     * (Segmentation fault)", "it does not end: …", "it ended the program with exit(0)". free() it.
     */
    char *why;
    char *printed; /* what it printed, up to 64 KiB, without that error; NULL: unknown. free() it */
} ExerciseResult;

/* In the attempt: it is wrong, for this reason. */
void exercise_wrong(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
#define WRONG_UNLESS(condition, ...) \
    do { \
        if (!(condition)) \
            exercise_wrong(__VA_ARGS__); \
    } while (0)

/* The first exercise of this program that is not written, or does not compile, as a line for the
 * window; NULL: all are written. `names`, say "1a_gradient 1b_update": of these alone; NULL: of all
 * that the program contains. Calls none: it reads what TODO() left in the program (check.h). */
const char *exercise_missing(const char *names);

/* Print a self-check's line: "PASS  name  10/10  expected" (TODO, FAIL: 0/10; FAIL with "; found:
 * WHY"), and indented beneath it the first lines that the exercise printed. Returns the points: all
 * where DONE, else 0. Frees nothing. */
int exercise_say(const char *name, int points, const char *expected, ExerciseResult result);

/* ---- what it computes, and which mistake that is ---- */

/* What an output holds before the exercise is called: found there afterwards, it was never set. */
#define EXERCISE_UNSET (-7777.25)

/* A check calls the exercise on fixed cases, the smallest first, and notes the values that come
 * out, always as many. They are held against what the reference gives, and what it gives with each
 * known mistake in it: LAB/check/mistakes.txt, whose values `make mistakes` records.
 * A mistake is named if it gives every value, and no other mistake does. Otherwise the first wrong
 * case is shown, and where the exercise is right. */
void exercise_case(const char *format, ...) __attribute__((format(printf, 1, 2))); /* "n = 7" */
void exercise_group(const char *name); /* of the cases that follow: "P = 1"; NULL: of none */
void exercise_value(const char *name, double found);
void exercise_values(const char *name, const float *found, int n);
void exercise_fact(const char *name, double found); /* of the run, no output: says little alone */
void exercise_answer(const char *name, bool found); /* of a question: it returned true */
/* Right, of the values that follow: |found - right| <= absolute + relative |right|; 1e-9 both. */
void exercise_tolerance(double absolute, double relative);
/* exercise_wrong() unless all are right. Called after the judge, if not before: what follows it
 * there sees only versions whose values are right. */
void exercise_compare(void);

/* One exercise's check, of which check/NAME_check.c defines nothing but this; main() is in
 * judge/exercise_main.c. It is linked twice: check/NAME, without a line of the student's code,
 * starts trial/NAME, which has it and calls `judge`; that calls exercise_wrong() if the result is
 * wrong. check/NAME prints the line; its status: 0, EXIT_WRONG or EXIT_TODO. */
typedef struct ExerciseCheck {
    const char *file; /* __FILE__: mistakes.txt is beside it */
    const char *name; /* of the line, */
    int points;
    const char *expected; /* as in exercise_say() */
    void (*judge)(void *unused);
} ExerciseCheck;
extern const ExerciseCheck exercise_check;
int exercise_check_main(const ExerciseCheck *check, int argc, char **argv);
/* "…/check/NAME" to "…/trial/NAME"; free() it. */
char *exercise_trial_path(const char *check);
#endif
