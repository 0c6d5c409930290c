/* 1a_noise_scale_check.c: the check of noise_scale: lengths that follow from a known |G|² and S. */
#include "exercise.h"
#include "lab3.h"

/* They scatter by ± spread. */
static void judge_one(double G, double S, int b, int B, int pairs, double spread)
{
    double small[4], large[4];
    for (int i = 0; i < pairs; i++) {
        double by = pairs == 1 ? 0 : spread * (2.0 * i / (pairs - 1) - 1);
        small[i] = (G + S / b) * (1 - by);
        large[i] = (G + S / B) * (1 + by);
    }
    exercise_case("|G|² = %g, S = %g, b = %d, B = %d, pairs = %d", G, S, b, B, pairs);
    exercise_value("the noise scale", noise_scale(small, large, pairs, b, B));
}

static void judge(void *unused)
{
    judge_one(2.3, 100.7, 8, 512, 1, 0);
    judge_one(3, 7, 1, 2, 1, 0);
    judge_one(2.3, 100.7, 8, 512, 2, 0.1);
    judge_one(0.7, 300.1, 16, 64, 4, 0.2);
    judge_one(2.3, -4, 8, 16, 1, 0);          /* by chance */
    judge_one(2.3, 1e5, 50000, 100000, 1, 0); /* b * B is beyond an int */
    for (double small = 10; small > 0; small -= 8) {
        exercise_case("b = 4, B = 8, |g_b|² = %g, |g_B|² = 1: |G|² comes out as %g", small,
                      2 - small);
        exercise_value("the noise scale", noise_scale(&small, (double[]){1}, 1, 4, 8));
    }
}

const ExerciseCheck exercise_check = {__FILE__, "noise_scale", 5,
                                      "S / |G|² of known |G|² and S, to 1e-9", judge};
