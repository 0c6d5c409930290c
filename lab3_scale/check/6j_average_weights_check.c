/* 6j_average_weights_check.c: the check of average_weights. */
#include "exercise.h"
#include "lab3.h"
#include <string.h>

enum { N = 3 };

static void judge_keep(double keep, int most)
{
    float average[N + 1] = {[N] = -77};
    for (int step = 1; step <= most; step++) {
        float w[N] = {(float)(step * 3 % 7), (float)(2 - step * step), 4.5f}, kept[N];
        memcpy(kept, w, sizeof w);
        exercise_case("keep = %g, step = %d, average[0] = %g, w[0] = %g", keep, step, average[0],
                      w[0]);
        average_weights(average, w, N, step, keep);
        WRONG_UNLESS(average[N] == -77, "it writes outside of average [n]");
        WRONG_UNLESS(!memcmp(w, kept, sizeof w), "it changes w: the weights stay as they are");
        exercise_values("average", average, N);
    }
}

static void judge(void *unused)
{
    exercise_tolerance(1e-6, 1e-5);
    judge_keep(0, 2);
    judge_keep(0.6, 5);
    judge_keep(0.99, 4);
}

const ExerciseCheck exercise_check = {__FILE__, "average_weights", 4,
                                      "the plain mean at first, then one that forgets; to 2e-4",
                                      judge};
