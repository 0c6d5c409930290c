/* 1c_converged.c: the check of converged: losses that fall, stay, rise or are NaN. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>
#include <stddef.h>

static void judge(void *unused)
{
    /* `before` lies in front of the array: it must not be read. */
    static const struct {
        double before, loss[6];
        int count, window;
        bool answer;
        const char *what;
    } cases[] = {
        {1, {8, 4, 2, 1, 0.5, 0.25}, 6, 2, false, "a loss that halves each time"},
        {1, {8, 4, 1, 1, 1, 1}, 6, 3, true, "a loss that stays the same"},
        {1, {8, 4, 1, 1, 1, 1}, 6, 4, false, "a loss that fell within the window"},
        {1, {1, 1, 1, 1, 1, 1}, 3, 3, false, "3 losses and a window of 3: one loss too few"},
        {1, {1, 1, 1, 1, 2, 4}, 6, 2, false, "a loss that rises"},
        {1, {1, 1, 1, 1, NAN, NAN}, 6, 2, false, "a loss that is NaN"},
        {1, {1, 0, 0, 0, 0, 0}, 6, 3, true, "a loss of exactly 0"},
        {1,
         {1, 1, 1, 1, 1, 0.99},
         6,
         2,
         false,
         "a loss that fell by 1 %, with a tolerance of 0.1 %"},
        {1,
         {1, 1, 1, 1, 1, 0.9999},
         6,
         2,
         true,
         "a loss that fell by 0.01 %, with a tolerance of 0.1 %"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool answer = converged(cases[i].loss, cases[i].count, cases[i].window, 1e-3);
        WRONG_UNLESS(answer == cases[i].answer, "it returned %s for %s", answer ? "true" : "false",
                     cases[i].what);
    }
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "converged", 10,
        "true when the loss fell by less than the tolerance over the window, else false", judge);
}
