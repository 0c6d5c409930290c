/* 2b_kendall_tau_check.c: the check of kendall_tau. */
#include "exercise.h"
#include "lab3.h"

static void judge(void *unused)
{
    static const struct {
        const char *what;
        int n;
        double x[4], y[4];
    } asked[] = {{"n = 2, the same order", 2, {1, 2}, {1, 2}},
                 {"the same order", 4, {1, 2, 3, 4}, {1, 2, 3, 4}},
                 {"opposite orders", 4, {1, 2, 3, 4}, {4, 3, 2, 1}},
                 {"one of six pairs discordant", 4, {1, 2, 3, 4}, {2, 1, 3, 4}},
                 {"three of six pairs discordant", 4, {1, 2, 3, 4}, {3, 1, 4, 2}},
                 {"one of three pairs discordant, out of order", 3, {3, 1, 2}, {2, 1, 3}},
                 {"one of six pairs tied in y", 4, {1, 2, 3, 4}, {1, 1, 2, 3}},
                 {"one of six pairs tied in x", 4, {1, 1, 2, 3}, {1, 2, 3, 4}},
                 {"one pair tied in both", 3, {1, 1, 2}, {3, 3, 5}},
                 {"all tied in y", 4, {1, 2, 3, 4}, {5, 5, 5, 5}},
                 {"very different sizes", 4, {1, 2, 3, 4}, {1, 10, 1e3, 1e6}},
                 {"small differences", 4, {1, 2, 3, 4}, {0.1, 0.2, 0.3, 0.4}},
                 {"differences of 1e-200", 4, {1, 2, 3, 4}, {1e-200, 2e-200, 3e-200, 4e-200}},
                 {"n = 1", 1, {1}, {1}},
                 {"n = 0", 0, {1}, {1}}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        exercise_case("%s", asked[i].what);
        exercise_value("tau", kendall_tau(asked[i].x, asked[i].y, asked[i].n));
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "kendall_tau", 6,
    "(concordant - discordant) / pairs; ties for neither; NAN with n < 2", judge};
