/* 6h_muon_check.c: the check of muon. */
#include "exercise.h"
#include "train_layer.h"

static void update(Trained l)
{
    muon(l.w, l.a, l.g, l.s->rows, l.s->columns, l.rate, l.s->mu, l.s->decay);
    exercise_tolerance(1e-9, 1e-5);
    exercise_value("v[0]", l.a[0]);
}

static void judge(void *unused)
{
    static const Setting settings[] = {
        {"1 x 1, mu = 0", 1, 1, .mu = 0},
        {"2 x 5, mu = 0", 2, 5, .mu = 0},
        {"2 x 5, mu = 0.8", 2, 5, .mu = 0.8},
        {"2 x 5, mu = 0.8, decay = 0.2", 2, 5, .mu = 0.8, .decay = 0.2},
        {"4 x 4", 4, 4, .mu = 0.8},
        {"7 x 3", 7, 3, .mu = 0.8, .decay = 0.2},
        {"gradients of 1e-3", 2, 5, .mu = 0.8, .scale = 1e-3},
        {"all gradients 0", 2, 5, .mu = 0.8, .zero_gradients = true},
    };
    train_layer(settings, sizeof settings / sizeof *settings, update, 2e-3);
}

const ExerciseCheck exercise_check = {
    __FILE__, "muon", 10, "the momentum with singular values near 1, any shape; to 2e-3 of a step",
    judge};
