/* 6c_lars_check.c: the check of lars. */
#include "exercise.h"
#include "train_layer.h"

static void update(Trained l) { lars(l.w, l.a, l.g, l.n, l.rate, l.s->mu, l.s->decay, l.s->trust); }

static void judge(void *unused)
{
    static const Setting settings[] = {
        {"mu = 0, decay = 0, trust = 0.3", .trust = 0.3},
        {"mu = 0.8, decay = 0, trust = 0.3", .trust = 0.3, .mu = 0.8},
        {"mu = 0.8, decay = 0.2, trust = 0.3", .trust = 0.3, .mu = 0.8, .decay = 0.2},
        {"large gradients", .trust = 0.02, .mu = 0.8, .decay = 0.05, .scale = 30},
        {"small gradients", .trust = 0.3, .mu = 0.8, .decay = 0.05, .scale = 0.01},
        {"all weights 0", .trust = 0.3, .mu = 0.8, .decay = 0.2, .zero_weights = true},
        {"all gradients 0", .trust = 0.3, .mu = 0.8, .decay = 0.8, .zero_gradients = true}};
    train_layer(settings, sizeof settings / sizeof *settings, update, 2e-4);
}

const ExerciseCheck exercise_check = {
    __FILE__, "lars", 6, "a step of rate trust |w| per layer, zero norms too; to 2e-4 of a step",
    judge};
