/* 7i_pays_below_check.c: the check of pays_below. */
#include "exercise.h"
#include "lab2.h"
#include <math.h>

static void judge(void *unused)
{
    static const struct {
        const char *what;
        Cost plain, remedy;
    } asked[] = {
        {"fewer bytes, more seconds, the same updates", {100, 0.01, 8e6}, {100, 0.02, 2e6}},
        {"fewer bytes, more seconds, more updates", {100, 0.01, 8e6}, {200, 0.02, 2e6}},
        {"fewer bytes and seconds, more updates", {100, 0.01, 8e6}, {300, 0.005, 2e6}},
        {"fewer bytes, more seconds, fewer updates", {150, 0.01, 8e6}, {120, 0.02, 7e6}},
        {"more bytes and seconds, but fewer updates", {100, 0.01, 8e6}, {50, 0.03, 9e6}},
        {"it never reaches the target", {100, 0.01, 8e6}, {INFINITY, 0.02, 1e5}},
        {"it never reaches the target", {100, 0.01, 8e6}, {INFINITY, 0, 0}},
        {"fewer bytes, fewer seconds", {100, 0.01, 8e6}, {100, 0.009, 2e6}},
        {"fewer bytes, the same seconds", {100, 0.01, 8e6}, {100, 0.01, 2e6}},
        {"half the updates", {100, 0.01, 8e6}, {50, 0.011, 2e6}},
        {"a quarter of the bytes, five times the updates", {100, 0.01, 8e6}, {500, 0.011, 2e6}},
        {"more bytes, fewer seconds", {100, 0.01, 8e6}, {100, 0.005, 9e6}},
        {"more bytes, more seconds", {100, 0.01, 8e6}, {100, 0.02, 9e6}},
        {"the same bytes, more seconds", {100, 0.01, 8e6}, {100, 0.02, 8e6}},
        {"the same bytes, fewer seconds", {100, 0.01, 8e6}, {100, 0.005, 8e6}},
        {"no bytes, fewer seconds", {100, 0.01, 8e6}, {100, 0.005, 0}},
        {"a long training, more seconds", {1e6, 0.01, 8e6}, {1e6, 0.02, 2e6}},
    };
    exercise_tolerance(0, 1e-6);
    for (int k = 0; k < (int)(sizeof asked / sizeof *asked); k++) {
        Cost a = asked[k].plain, b = asked[k].remedy;
        exercise_case("%s (plain %g * (%g s, %g bytes), remedy %g * (%g s, %g bytes))",
                      asked[k].what, a.updates, a.seconds, a.bytes, b.updates, b.seconds, b.bytes);
        exercise_value("the bandwidth", pays_below(a, b));
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "pays_below", 3, "the bandwidth at which both take as long; 0 never, INFINITY always",
    judge};
