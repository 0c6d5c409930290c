/* 6g_novograd.c: the check of novograd. */
#include "exercise.h"
#include "train_layer.h"

static void update(const Setting *s, float *w, float *a, float *b, const float *g, int t,
                   double rate)
{
    novograd(w, a, b, g, 3, t + 1, rate, &s->adam);
}

static void judge(void *unused)
{
    static const Setting settings[] = {
        {"beta1 = 0, beta2 = 0", .adam = {0, 0, 1e-8, 0, false}},
        {"beta1 = 0.7, beta2 = 0.9", .adam = {0.7, 0.9, 1e-8, 0, false}, .shrink = 0.7},
        {"epsilon = 0.3", .adam = {0.7, 0.9, 0.3, 0, false}, .shrink = 0.7},
        {"decay = 0.2", .adam = {0.7, 0.9, 0.3, 0.2, false}, .shrink = 0.7},
        {"decay = 0.2, decoupled", .adam = {0.7, 0.9, 0.3, 0.2, true}, .shrink = 0.7}};
    train_layer(settings, sizeof settings / sizeof *settings, update, 5e-4);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "novograd", 6,
                          "one second moment per layer, its first value |g|^2; to 5e-4 of a step",
                          judge);
}
