/* 3b_warm_up_check.c: the check of warm_up. */
#include "exercise.h"
#include "lab3.h"

static void judge_warm_up(double from, double to, int64_t updates)
{
    const int64_t at[] = {0, 1, 2, 3, updates / 2, updates - 1, updates, updates + 1, 10 * updates};
    for (int i = 0; i < 9; i++) {
        int64_t update = at[i] < 0 ? 0 : at[i];
        exercise_group(update ? update < updates ? "updates 1 to the last of the warm-up"
                                                 : "the updates after the warm-up"
                              : "update 0");
        exercise_case("from %g to %g in %ld updates, number %ld", from, to, (long)updates,
                      (long)update);
        exercise_value("the rate", warm_up(from, to, update, updates));
    }
}

static void judge(void *unused)
{
    static const double asked[][3] = {{0, 1, 5},     {0.01, 0.21, 10}, {0.4, 0.2, 8},
                                      {0.1, 0.1, 4}, {0.01, 0.21, 1},  {0.01, 0.21, 0}};
    for (int i = 0; i < 6; i++)
        judge_warm_up(asked[i][0], asked[i][1], (int64_t)asked[i][2]);
    judge_warm_up(0.01, 0.32, 100000);
}

const ExerciseCheck exercise_check = {
    __FILE__, "warm_up", 5, "`from` at update 0, equal increments, `to` from number `updates` on",
    judge};
