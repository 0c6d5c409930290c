/* 4a_ghost_norm_check.c: the check of ghost_norm. */
#include "exercise.h"
#include "lab3.h"
#include <string.h>

enum { CHANNELS = 2, MOST = 9 * CHANNELS };

static bool in_place;

/* x: a pattern, times `scale`, around `offset` and ten times that. */
static void judge_one(const char *what, int rows, int group, bool plain, double offset,
                      double scale)
{
    const float gamma[CHANNELS] = {plain ? 1 : 2, plain ? 1 : -0.5f},
                beta[CHANNELS] = {plain ? 0 : 3, plain ? 0 : 5};
    float x[MOST], y[MOST + 2];
    for (int i = 0; i < MOST; i++) {
        int r = i / CHANNELS, c = i % CHANNELS;
        x[i] = (float)(offset * (c ? 10 : 1) + scale * (r * r % 7 - 2 * c * (r % 3) + 0.5 * r));
    }
    for (int i = 0; i < MOST + 2; i++)
        y[i] = (float)EXERCISE_UNSET;
    if (in_place)
        memcpy(y + 1, x, rows * CHANNELS * sizeof *x);
    ghost_norm(y + 1, in_place ? y + 1 : x, gamma, beta, rows, CHANNELS, group);
    WRONG_UNLESS(y[0] == (float)EXERCISE_UNSET && y[1 + rows * CHANNELS] == (float)EXERCISE_UNSET,
                 "%d rows, groups of %d: it writes outside of y [rows, channels]", rows, group);
    exercise_group(what);
    for (int i = 0; i < rows * CHANNELS; i++) {
        exercise_case("%s: %d rows, groups of %d, row %d, channel %d", what, rows, group,
                      i / CHANNELS, i % CHANNELS);
        exercise_value("y", y[1 + i]);
    }
}

static void judge(void *unused)
{
    exercise_tolerance(1e-5, 2e-5);
    judge_one("one group, gamma 1, beta 0", 4, 4, true, 0, 1);
    judge_one("group above rows", 3, 100, true, 0, 1);
    judge_one("groups that divide the rows", 6, 3, true, 1, 1);
    judge_one("groups that leave some rows", 9, 4, true, 1, 1);
    judge_one("groups of one row", 3, 1, true, 1, 1);
    judge_one("constant channels", 4, 2, true, 4, 0);
    judge_one("gamma 2 and -0.5, beta 3 and 5", 4, 2, false, 0, 1);
    judge_one("a small variance", 4, 4, true, 0, 1.0 / 1024);
    judge_one("values near 1000 and 10000", 5, 5, true, 1000, 0.02);
    in_place = true;
    judge_one("y is x", 4, 3, true, 0, 1);
}

const ExerciseCheck exercise_check = {
    __FILE__, "ghost_norm", 8,
    "each group of rows with its own mean and variance; then gamma and beta", judge};
