/* 8b_delayed_average_check.c: the check of delayed_average. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    exercise_tolerance(1e-5, 1e-5);
    for (int n = 1; n <= 4; n += 3) {
        float w[] = {-7, 5, -1.25f, 6, 2, -9}, sent[] = {3, 0.5f, -2, 2, 40},
              mean[] = {10, -1.5f, -3, 7.5f, 80};
        exercise_case("n = %d: w[0] = 5, sent[0] = 3, mean[0] = 10", n);
        delayed_average(w + 1, sent, mean, n);
        exercise_values("w", w + 1, n);
        exercise_value("the number before w", w[0]);
        exercise_value("the number behind w", w[1 + n]);
        exercise_values("sent", sent, n);
        exercise_values("mean", mean, n);
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "delayed_average", 4,
    "the mean in place of what was sent, the change since then kept", judge};
