/* 9b_apply_stale_check.c: the check of apply_stale. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    enum { STEPS = 2 };
    static const struct {
        int n;
        double rate, momentum;
        int staleness;
        bool aware;
    } asked[] = {{1, 1, 0, 0, false},     {1, 0.5, 0, 2, false},  {1, 0.5, 0.75, 2, false},
                 {1, 0.5, 0, 0, true},    {1, 1, 0, 1, true},     {1, 0.5, 0, 3, true},
                 {1, 0.5, 0.75, 3, true}, {3, 0.3, 0.9, 0, true}, {3, 0.3, 0.9, 4, true}};
    exercise_tolerance(1e-5, 1e-5);
    for (unsigned k = 0; k < sizeof asked / sizeof *asked; k++) {
        int n = asked[k].n, staleness = asked[k].staleness;
        bool aware = asked[k].aware;
        float w[] = {3, -2, 0.5f, -9}, v[] = {0.5f, 0, -1, -8};
        exercise_group(!aware           ? "aware = false"
                       : staleness == 0 ? "staleness 0"
                                        : "aware = true, staleness > 0");
        for (int t = 0; t < STEPS; t++) {
            float g[] = {t ? -2.5f : 4, t ? 1 : -1.5f, 2.25f, 100};
            exercise_case("n = %d, rate %g, momentum %g, staleness %d, aware = %s, step %d: w[0] = "
                          "%.6g, v[0] = %.6g, g[0] = %g",
                          n, asked[k].rate, asked[k].momentum, staleness, aware ? "true" : "false",
                          t + 1, w[0], v[0], g[0]);
            apply_stale(w, v, g, n, asked[k].rate, asked[k].momentum, staleness, aware);
            exercise_values("w", w, n);
            exercise_values("v", v, n);
            exercise_values("g", g, n);
            exercise_value("the number behind w", w[n]);
            exercise_value("the number behind v", v[n]);
        }
    }
}

const ExerciseCheck exercise_check = {__FILE__, "apply_stale", 5,
                                      "momentum SGD in which an old gradient counts less", judge};
