/* 6b_nesterov_check.c: the check of nesterov. */
#include "exercise.h"
#include "train_layer.h"

static void update(Trained l) { nesterov(l.w, l.a, l.g, l.n, l.rate, l.s->mu, l.s->decay); }

static void judge(void *unused)
{
    static const Setting settings[] = {{"mu = 0, decay = 0", .mu = 0},
                                       {"mu = 0.8, decay = 0", .mu = 0.8},
                                       {"mu = 0.8, decay = 0.3", .mu = 0.8, .decay = 0.3}};
    train_layer(settings, 3, update, 2e-4);
}

const ExerciseCheck exercise_check = {
    __FILE__, "nesterov", 4, "the weights move by d + mu v with the new v; to 2e-4 of a step",
    judge};
