/* 2a_interpolate_check.c: the check of interpolate. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

enum { N = 6 };

static void judge(void *unused)
{
    static const float from[N] = {1, -2, 3.5f, -100.3f, 9.1f, 1e10f},
                       to[N] = {5, 2, 3.5f, 0.1f, -1.013f, 0.1f};
    static const double at[] = {0, 1, 0.5, 0.25, 0.9, -0.5, 2};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        float w[N + 2];
        for (int i = 0; i < N + 2; i++)
            w[i] = (float)EXERCISE_UNSET;
        interpolate(w + 1, from, to, N, at[k]);
        WRONG_UNLESS(w[0] == (float)EXERCISE_UNSET && w[N + 1] == (float)EXERCISE_UNSET,
                     "it writes outside of w [n]");
        exercise_group(at[k] < 0 || at[k] > 1 ? "t outside of 0 to 1" : "0 <= t <= 1");
        for (int i = 0; i < N; i++) {
            exercise_tolerance(at[k] == 0 || at[k] == 1 ? 2e-9 : 1e-12 * (1 + fabs(from[i])),
                               at[k] == 0 || at[k] == 1 ? 0 : 1e-6);
            exercise_case("t = %g, from = %g, to = %g", at[k], from[i], to[i]);
            exercise_value("w", w[1 + i]);
        }
    }
}

const ExerciseCheck exercise_check = {__FILE__, "interpolate", 4,
                                      "the line from `from` at t = 0 to `to` at t = 1, and beyond",
                                      judge};
