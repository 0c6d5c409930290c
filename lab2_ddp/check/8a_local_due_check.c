/* 8a_local_due_check.c: the check of local_due. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    enum { STEPS, EVERY, PLAIN };
    static const int64_t asked[][3] = {{1, 1, 0},   {2, 1, 0},  {3, 100, 0},
                                       {10, 4, 0},  {12, 3, 0}, {3, 3, 3},
                                       {11, 4, 3},  {12, 2, 5}, {12, 5, 2},
                                       {13, 6, 10}, {4, 1, 9},  {6000000006, 3000000000, 5}};
    for (unsigned k = 0; k < sizeof asked / sizeof *asked; k++) {
        const int64_t *a = asked[k];
        exercise_group(a[PLAIN] ? "plain > 0" : a[EVERY] == 1 ? "every = 1" : "plain = 0");
        for (int64_t step = a[STEPS] > 100 ? a[STEPS] - 2 : 1; step <= a[STEPS]; step++) {
            exercise_case("update %ld of %ld, every = %ld, plain = %ld", (long)step, (long)a[STEPS],
                          (long)a[EVERY], (long)a[PLAIN]);
            exercise_answer("local_due", local_due(step, a[STEPS], a[EVERY], a[PLAIN]));
        }
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "local_due", 4, "true after the first `plain` updates, every so often, at the end",
    judge};
