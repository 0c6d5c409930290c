/* 9a_serve_next_check.c: the check of serve_next. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    enum { NOW = 7, MOST = 5, UNTOUCHED = -7 };
    static const struct {
        const char *queue; /* as text; these: */
        int n;
        Arrived at[MOST];
    } asked[] = {{"is empty", 0, {{0}}},
                 {"of worker 3, new weights", 1, {{3, 7, 0.5}}},
                 {"of worker 3, old weights", 1, {{3, 6, 0.5}}},
                 {"of workers 4, 2, 5, arrived third, first, second",
                  3,
                  {{4, 7, 0.3}, {2, 7, 0.1}, {5, 7, 0.2}}},
                 {"of workers 4, 2, 5, arrived third, first, second, 2's of old weights",
                  3,
                  {{4, 7, 0.3}, {2, 5, 0.1}, {5, 7, 0.2}}},
                 {"of workers 3, 1, 2, arrived second, third, first, all of old weights",
                  3,
                  {{3, 6, 0.2}, {1, 6, 0.4}, {2, 5, 0.1}}},
                 {"of workers 5, 1, 3, in the order of arrival",
                  3,
                  {{5, 7, 0.1}, {1, 7, 0.2}, {3, 7, 0.3}}},
                 {"of workers 3, 1, 2, arrived at the same time",
                  3,
                  {{3, 7, 0.1}, {1, 7, 0.1}, {2, 7, 0.1}}},
                 {"of workers 1, 0, 6, 2, 4, arrived fourth, fifth, first, third, second, 1's and "
                  "4's of old weights",
                  5,
                  {{1, 6, 4}, {0, 7, 5}, {6, 7, 1}, {2, 7, 3}, {4, 5, 2}}}};
    for (int wait_for = 1; wait_for <= 4; wait_for++) {
        exercise_group(wait_for == 1 ? "wait_for = 1" : "wait_for > 1");
        for (unsigned k = 0; k < sizeof asked / sizeof *asked; k++) {
            int use[MOST + 1] = {UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED};
            exercise_case("wait_for = %d, version %d, the queue %s", wait_for, NOW, asked[k].queue);
            int count = serve_next(use, asked[k].at, asked[k].n, NOW, wait_for);
            exercise_value("the number that it returns", count);
            for (int i = 0; i < wait_for; i++)
                exercise_value("use", i < count ? use[i] : UNTOUCHED);
            exercise_value("the number behind use", use[wait_for]);
        }
    }
}

const ExerciseCheck exercise_check = {__FILE__, "serve_next", 6,
                                      "the gradients to use, the first to arrive first, or 0: wait",
                                      judge};
