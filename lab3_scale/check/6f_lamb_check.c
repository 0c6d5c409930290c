/* 6f_lamb_check.c: the check of lamb. */
#include "exercise.h"
#include "train_layer.h"

static void update(Trained l) { lamb(l.w, l.a, l.b, l.g, l.n, l.step, l.rate, &l.s->adam); }

static void judge(void *unused)
{
    static const Setting settings[] = {
        {"beta1 = 0, beta2 = 0", .adam = {0, 0, 1e-8, 0, false}},
        {"beta1 = 0.7, beta2 = 0.9", .adam = {0.7, 0.9, 1e-8, 0, false}},
        {"epsilon = 1", .adam = {0.7, 0.9, 1, 0, false}},
        {"decay = 0.2", .adam = {0.7, 0.9, 0.3, 0.2, false}},
        {"decay = 0.2, decoupled", .adam = {0.7, 0.9, 0.3, 0.2, true}},
        {"large weights", .adam = {0.7, 0.9, 1e-8, 0, false}, .weights = 20},
        {"all weights 0", .adam = {0.7, 0.9, 1e-8, 0, false}, .zero_weights = true},
        {"all gradients 0", .adam = {0.7, 0.9, 1e-8, 0, false}, .zero_gradients = true}};
    train_layer(settings, sizeof settings / sizeof *settings, update, 5e-4);
}

const ExerciseCheck exercise_check = {
    __FILE__, "lamb", 8, "Adam's direction, as long as rate |w|, zero norms too; to 5e-4 of a step",
    judge};
