/* 5c_batch_warm_up_check.c: the check of batch_warm_up. */
#include "exercise.h"
#include "lab3.h"

static void judge(void *unused)
{
    static const int from_to[][2] = {{1, 2}, {32, 256}, {32, 1024}, {8, 100}, {64, 64}};
    static const double shares[] = {0,    0.08, 0.12, 0.16, 0.17, 0.24, 0.26, 0.32,
                                    0.34, 0.38, 0.45, 0.49, 0.5,  0.51, 0.75, 1};
    for (int i = 0; i < 5 * 16; i++) {
        int small = from_to[i / 16][0], large = from_to[i / 16][1];
        double share = shares[i % 16];
        exercise_group(share < 0.5 ? "the first half" : "the second half");
        exercise_case("from %d to %d, after a share of %g", small, large, share);
        exercise_value("the batch", batch_warm_up(small, large, share));
    }
}

const ExerciseCheck exercise_check = {__FILE__, "batch_warm_up", 5,
                                      "doubling in the first half, `large` in the second", judge};
