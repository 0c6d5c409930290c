/* 5a_noise_weights_check.c: the check of noise_weights. */
#include "exercise.h"
#include "lab3.h"

static void judge_one(Rng *r, int n, int small)
{
    float z[9];
    for (int i = 0; i < 9; i++)
        z[i] = -77;
    noise_weights(z, n, small, r);
    WRONG_UNLESS(z[n] == -77, "it writes to z[%d], outside of z [n]", n);
    for (int i = 0; i < n; i++) {
        exercise_case("n = %d, small = %d, image %d", n, small, i);
        exercise_value("z", z[i]);
    }
    exercise_case("n = %d, small = %d, the next rng_normal(r)", n, small);
    exercise_value("the draw", rng_normal(r));
}

static void judge(void *unused)
{
    static const int asked[][2] = {{1, 1}, {4, 4}, {8, 2}, {5, 3}, {8, 7}, {8, 2}};
    Rng r = rng_at(7, RNG_TEST, 1, 2);
    exercise_tolerance(2e-6, 2e-6);
    for (int i = 0; i < 6; i++)
        judge_one(&r, asked[i][0], asked[i][1]);
}

const ExerciseCheck exercise_check = {
    __FILE__, "noise_weights", 6,
    "mean 1, variance n / small - 1, one rng_normal(r) for each image", judge};
