/* 8c_outer_step_check.c: the check of outer_step. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    static const double asked[][3] = {{1, 1, 0}, {3, 0.25, 0}, {1, 0.5, 0.75}, {3, 0.7, 0.9}};
    enum { STEPS = 3 };
    exercise_tolerance(1e-5, 1e-5);
    for (int k = 0; k < 4; k++) {
        int n = (int)asked[k][0];
        double rate = asked[k][1], momentum = asked[k][2];
        float start[] = {3, -2, 0.5f, -9}, v[4] = {0, 0, 0, -8};
        exercise_group(momentum == 0 ? "momentum 0" : "momentum > 0");
        for (int t = 0; t < STEPS; t++) {
            float delta[] = {1.0f + (float)t, t == 1 ? 4 : -1.5f, 2.25f / (float)(1 + t), 100};
            exercise_case("n = %d, rate %g, momentum %g, step %d: start[0] = %.6g, v[0] = %.6g, "
                          "delta[0] = %g",
                          n, rate, momentum, t + 1, start[0], v[0], delta[0]);
            outer_step(start, v, delta, n, rate, momentum);
            exercise_values("start", start, n);
            exercise_values("v", v, n);
            exercise_values("delta", delta, n);
            exercise_value("the number behind start", start[n]);
            exercise_value("the number behind v", v[n]);
        }
    }
}

const ExerciseCheck exercise_check = {__FILE__, "outer_step", 5,
                                      "steps of Nesterov's SGD along the mean pseudo-gradient",
                                      judge};
