/* 7f_exchange_corrected_check.c: the check of exchange_corrected, with a remedy that sends elements
 * of magnitude 1 or more, and another rank that is played. */
#include "check_codes.h"

static void judge(void *unused)
{
    static const float gradient[][PLAYED] = {{0.4f, -0.7f, 0.3f, -0.2f},
                                             {0.3f, 0.2f, -0.6f, -0.9f},
                                             {0.1f, -0.5f, 0.45f, 0.2f},
                                             {-0.2f, -0.1f, 0.1f, 0.35f},
                                             {0.25f, 0.6f, -2.1f, 0.15f}};
    Played p = {.whole = false};
    float u[PLAYED + 1] = {[PLAYED] = UNSET}, v[PLAYED + 1] = {[PLAYED] = UNSET};
    exercise_tolerance(1e-5, 1e-5);
    for (int update = 0; update < 5; update++) {
        float g[PLAYED + 1] = {[PLAYED] = UNSET}, momentum = update < 3 ? 0.9f : 0.5f;
        for (int i = 0; i < PLAYED; i++)
            g[i] = gradient[update][i];
        exercise_case("update %d, momentum %g, where g = %g, %g, %g, %g, u = %g, %g, %g, %g and "
                      "v = %g, %g, %g, %g",
                      update, momentum, g[0], g[1], g[2], g[3], u[0], u[1], u[2], u[3], v[0], v[1],
                      v[2], v[3]);
        played_begin(&p);
        exchange_corrected(&p.remedy, g, u, v, momentum);
        played_end(&p);
        WRONG_UNLESS(g[PLAYED] == UNSET && u[PLAYED] == UNSET && v[PLAYED] == UNSET,
                     "it writes outside of g, u or v [r->n]");
        exercise_values("compressed", p.a, PLAYED);
        exercise_values("u'", u, PLAYED);
        exercise_values("v'", v, PLAYED);
        exercise_values("g'", g, PLAYED);
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "exchange_corrected", 4,
    "velocity and steps as counted; both 0 where an element was sent", judge};
