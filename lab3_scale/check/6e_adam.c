/* 6e_adam.c: the check of adam. */
#include "exercise.h"
#include "judge_optimiser.h"
#include <math.h>

static void run(const OptimiserCase *c, float *w, float *a, float *b, const float *g, int t,
                double rate)
{
    AdamOptions o = {c->mu, c->beta2, c->epsilon, c->decay, c->decoupled};
    adam(w, a, b, g, c->rows * c->columns, t + 1, rate, &o);
}

/* A running mean with bias correction is a weighted mean of what was seen: weights beta^age. */
static double mean(const Twin *t, int i, double beta, int power, bool biased)
{
    double sum = 0, weights = 0;
    for (int r = 0; r <= t->t; r++) {
        sum += pow(beta, r) * pow(t->d[t->t - r][i], power);
        weights += pow(beta, r);
    }
    return biased ? sum * (1 - beta) : sum / weights;
}

static void twin(Twin *t, int mistake)
{
    const OptimiserCase *c = t->c;
    int T = t->t;
    double b1 = mistake == 8 ? c->beta2 : c->mu, b2 = mistake == 8 ? c->mu : c->beta2;
    bool decoupled = mistake == 10 ? true : mistake == 11 ? false : c->decoupled;
    for (int i = 0; i < t->n; i++) {
        double decay = mistake == 9 ? 0 : c->decay, old = t->w[i];
        t->d[T][i] = t->g[T][i] + (decoupled ? 0 : decay * old);
        double m = mean(t, i, b1, 1, mistake == 1 || mistake == 2);
        double s = mean(t, i, b2, 2, mistake == 1 || mistake == 3);
        double root = sqrt(s) + c->epsilon;
        if (mistake == 4)
            root = sqrt(s + c->epsilon);
        if (mistake == 5)
            root = s + c->epsilon;
        if (mistake == 6)
            root = fabs(mean(t, i, b2, 1, false)) + c->epsilon;
        if (mistake == 7)
            root = sqrt(s * (1 - pow(b2, T + 1))) / sqrt(1 - pow(b2, T + 1)) +
                   c->epsilon / sqrt(1 - pow(b2, T + 1));
        double step = t->rate * m / root;
        if (mistake == 12)
            step *= -1;
        if (mistake == 14 && T == 0)
            step = NAN;
        if (mistake == 14 && T > 0)
            step = t->rate * m * (1 - pow(b1, T + 1)) / (1 - pow(b1, T)) / root;
        if (decoupled)
            old -= (mistake == 13 ? 1 : t->rate) * decay * old;
        t->w[i] = old - step;
    }
}

static const char *const words[] = {
    NULL,
    "no bias correction: m / (1 - beta1^step), s / (1 - beta2^step)",
    "m has no bias correction: m / (1 - beta1^step)",
    "s has no bias correction: s / (1 - beta2^step)",
    "epsilon is inside of the root: sqrt(s') + epsilon",
    "the root is missing: sqrt(s')",
    "s is the mean of the gradient, not of its square",
    "epsilon is added before the bias correction: sqrt(s') + epsilon, with the corrected s'",
    "beta1 and beta2 are exchanged",
    "the decay is missing",
    "the decay is decoupled though o->decoupled is false: it belongs to the gradient there",
    "the decay is coupled though o->decoupled is true: AdamW shrinks the weights, and leaves the "
    "gradient",
    "the weights move along the gradient, uphill: the sign",
    "AdamW's decay lacks the rate: w - rate decay w",
    "step counted from 0: it is 1 in the first update",
    NULL,
};
static const OptimiserCase cases[] = {
    {.what = "no decay", .rows = 1, .columns = 6, .mu = 0.7, .beta2 = 0.9, .epsilon = 1e-8},
    {.what = "epsilon = 0.3", .rows = 1, .columns = 6, .mu = 0.7, .beta2 = 0.9, .epsilon = 0.3},
    {.what = "decay = 0.2",
     .decay = 0.2,
     .rows = 1,
     .columns = 6,
     .mu = 0.7,
     .beta2 = 0.9,
     .epsilon = 0.3},
    {.what = "decoupled, decay = 0.2",
     .decoupled = true,
     .decay = 0.2,
     .rows = 1,
     .columns = 6,
     .mu = 0.7,
     .beta2 = 0.9,
     .epsilon = 0.3},
};

static void judge(void *unused)
{
    judge_optimiser(&(OptimiserJudge){cases, sizeof cases / sizeof *cases, run, twin, words, 5e-4});
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "adam", 8,
        "bias correction, epsilon outside of the root, both decays; to 5e-4 of a step", judge);
}
