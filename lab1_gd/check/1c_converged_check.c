/* 1c_converged_check.c: the check of converged: losses that fall, stay, rise or are NaN. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>
#include <string.h>

/* Before the first loss lie more of it, behind the last one others: neither must be read. */
static const struct {
    const char *what;
    double loss[8];
    int count, window;
    double tolerance;
} asked[] = {
    {"a loss that halves each time", {8, 4, 2, 1, 0.5, 0.25}, 6, 2, 1e-3},
    {"a loss that stays the same", {8, 4, 1, 1, 1, 1}, 6, 3, 1e-3},
    {"a loss that fell at the start alone", {8, 1, 1, 1, 1, 1}, 6, 3, 1e-3},
    {"a loss that fell long ago", {1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, 8, 1, 1e-3},
    {"a loss that fell within the window", {8, 4, 1, 1, 1, 1}, 6, 4, 1e-3},
    {"a loss that fell in the last update", {4, 4, 4, 4, 4, 2, 2}, 6, 2, 1e-3},
    {"3 losses and a window of 3: one too few", {1, 1, 1, 1, 1, 1}, 3, 3, 1e-3},
    {"2 losses and a window of 5: too few", {1, 1, 1, 1, 1, 1}, 2, 5, 1e-3},
    {"6 losses and a window of 6: one too few", {8, 4, 2, 1, 0.5, 0.25}, 6, 6, 1e-3},
    {"4 equal losses and a window of 3: just enough", {1, 1, 1, 1, 1, 1}, 4, 3, 1e-3},
    {"a loss that rises", {1, 1, 1, 1, 2, 4}, 6, 2, 1e-3},
    {"a loss that rose by 0.02 %", {1, 1, 1, 1, 1, 1.0002}, 6, 2, 1e-3},
    {"a loss that rose by 1e-9", {1, 1, 1, 1, 1, 1 + 1e-9}, 6, 2, 1e-3},
    {"a loss that became NaN", {1, 1, 1, 1, NAN, NAN}, 6, 2, 1e-3},
    {"a loss that was NaN before the window", {1, NAN, 1, 1, 1, 1}, 6, 4, 1e-3},
    {"a loss of exactly 0", {1, 0, 0, 0, 0, 0}, 6, 3, 1e-3},
    {"a loss that fell to exactly 0", {1, 1, 1, 0, 0, 0}, 6, 3, 1e-3},
    {"a loss that rose from exactly 0", {1, 0, 0, 0, 0, 1e-4}, 6, 3, 1e-3},
    {"a loss that fell by 1 %", {1, 1, 1, 1, 1, 0.99}, 6, 2, 1e-3},
    {"a loss that fell by 0.05 %, 4 times", {1, 1, 0.9995, 0.999, 0.9985, 0.998}, 6, 4, 1e-3},
    {"a loss that fell by 0.01 %", {1, 1, 1, 1, 1, 0.9999}, 6, 2, 1e-3},
    {"a loss that fell by 0.0001 %", {1, 1, 1, 1, 1, 0.999999}, 6, 2, 1e-3},
    {"a loss that fell by 1e-7", {1, 1, 1, 1, 1, 1 - 1e-7}, 6, 2, 1e-3},
    {"a loss that wavered within the window", {9, 1, 0.9, 1, 0.9996, 0.9995}, 6, 4, 1e-3},
    {"a tiny loss that halves each time", {1, 2e-5, 2e-5, 1e-5, 5e-6}, 5, 2, 1e-3},
    {"a loss of 900,000 that fell by 100", {9e5, 9e5, 9e5, 9e5 - 100}, 4, 2, 1e-3},
    {"a loss that fell by 40 %", {1, 1, 1, 0.6}, 4, 2, 0.5},
    {"a loss of 4 that fell by 7.5 %", {4, 4, 4, 3.7}, 4, 2, 0.5},
    {"a loss that fell by exactly the tolerance", {1, 1, 1, 0.5}, 4, 2, 0.5},
    {"a loss that stays the same", {8, 4, 1, 1, 1, 1}, 6, 3, 0},
    {"a loss that falls after the last one", {1, 1, 1, 1, 1, 0.99995, 0.5}, 6, 1, 1e-3},
};

static void judge(void *unused)
{
    enum { BEFORE = 8 };
    for (int k = 0; k < (int)(sizeof asked / sizeof *asked); k++) {
        double loss[BEFORE + 8], kept[BEFORE + 8];
        for (int i = 0; i < BEFORE + 8; i++)
            loss[i] = kept[i] = asked[k].loss[i < BEFORE ? 0 : i - BEFORE];
        exercise_case("%s (window %d, tolerance %g)", asked[k].what, asked[k].window,
                      asked[k].tolerance);
        exercise_answer("it", converged(loss + BEFORE, asked[k].count, asked[k].window,
                                        asked[k].tolerance));
        WRONG_UNLESS(!memcmp(loss, kept, sizeof loss), "it changes the array loss: only read it");
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "converged", 10, "true when the loss fell by less than the tolerance in the window",
    judge};
