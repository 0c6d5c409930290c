/* 7d_exchange_with_feedback_check.c: the check of exchange_with_feedback, with a remedy that sends
 * whole numbers only, and another rank that is played. */
#include "check_codes.h"

static void judge(void *unused)
{
    static const float gradient[][PLAYED] = {{0.4f, -0.7f, 2.3f, -3.6f},
                                             {0.3f, 0.2f, -1.5f, 0.9f},
                                             {0.8f, -0.8f, 0.45f, -2.2f}},
                       left[][PLAYED] = {{0}, {0.4f, -0.7f, 0.3f, -0.6f}, {0.7f, 0.9f, 0, -0.3f}};
    Played p = {.whole = true};
    exercise_tolerance(1e-5, 1e-5);
    for (int update = 0; update < 3; update++) {
        float g[PLAYED + 1] = {[PLAYED] = UNSET}, e[PLAYED + 1] = {[PLAYED] = UNSET};
        for (int i = 0; i < PLAYED; i++) {
            g[i] = gradient[update][i];
            e[i] = left[update][i];
        }
        exercise_case("g = %g, %g, %g, %g and e = %g, %g, %g, %g", g[0], g[1], g[2], g[3], e[0],
                      e[1], e[2], e[3]);
        played_begin(&p);
        exchange_with_feedback(&p.remedy, g, e);
        played_end(&p);
        WRONG_UNLESS(g[PLAYED] == UNSET && e[PLAYED] == UNSET,
                     "it writes outside of g [r->n] or e [r->n]");
        exercise_values("compressed", p.a, PLAYED);
        exercise_values("e'", e, PLAYED);
        exercise_values("g'", g, PLAYED);
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "exchange_with_feedback", 4,
    "g + e = sent + e' in every update; g ends as the ranks' mean", judge};
