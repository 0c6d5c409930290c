/* 6g_novograd.c: the check of novograd. */
#include "exercise.h"
#include "judge_optimiser.h"
#include <math.h>

static void run(const OptimiserCase *c, float *w, float *a, float *b, const float *g, int t,
                double rate)
{
    AdamOptions o = {c->mu, c->beta2, c->epsilon, c->decay, c->decoupled};
    novograd(w, a, b, g, c->rows * c->columns, t + 1, rate, &o);
}

/* In closed form: the weights of the squared norms are beta2^T, then (1 - beta2) beta2^age. */
static void twin(Twin *t, int mistake)
{
    const OptimiserCase *c = t->c;
    int T = t->t;
    double s = 0;
    for (int r = 0; r <= T; r++) {
        double length = twin_norm(t->g[r], t->n), share = (1 - c->beta2) * pow(c->beta2, T - r);
        if (r == 0 && mistake != 1)
            share = pow(c->beta2, T);
        if (mistake == 11)
            share = r == T;
        s += share * (mistake == 2   ? length
                      : mistake == 3 ? length * length / t->n
                                     : length * length);
    }
    if (mistake == 10)
        s /= 1 - pow(c->beta2, T + 1);
    double root = mistake == 4 ? sqrt(s + c->epsilon)
                : mistake == 5 ? s + c->epsilon
                               : sqrt(s) + c->epsilon;
    for (int i = 0; i < t->n; i++) {
        double m = 0, decay = mistake == 6 ? 0 : c->decay;
        t->d[T][i] = mistake == 7 ? (t->g[T][i] + decay * t->w[i]) / root
                   : mistake == 8 ? t->g[T][i] / root
                                  : t->g[T][i] / root + decay * t->w[i];
        for (int r = 0; r <= T; r++)
            m += pow(c->mu, r) * t->d[T - r][i];
        if (mistake == 9)
            m *= 1 - c->mu;
        if (mistake == 12)
            m = t->d[T][i];
        t->w[i] -= t->rate * m;
        if (mistake == 8)
            t->w[i] -= t->rate * decay * (t->w[i] + t->rate * m);
    }
}

static const char *const words[] = {
    NULL,
    "s starts at 0: in the first update it is |g|^2",
    "s is the mean of |g|: it is that of |g|^2",
    "|g|^2 is divided by n: it is a sum over the layer, not a mean",
    "epsilon is inside of the root: sqrt(s) + epsilon",
    "the root is missing: sqrt(s)",
    "the decay is missing",
    "the decay is divided by the norm, too: g / (…) + decay w",
    "the decay is outside of m: it is added to the velocity",
    "m is damped by 1 - beta1: what is added counts in full",
    "s is bias corrected: it starts at its first value and needs none",
    "s forgets: beta2 s + (1 - beta2) |g|^2",
    "no momentum: m = beta1 m + … must keep the last one",
    NULL,
};
static const OptimiserCase cases[] = {
    {.what = "no decay",
     .shrink = 0.7,
     .rows = 1,
     .columns = 6,
     .mu = 0.7,
     .beta2 = 0.9,
     .epsilon = 1e-8},
    {.what = "epsilon = 0.3",
     .shrink = 0.7,
     .rows = 1,
     .columns = 6,
     .mu = 0.7,
     .beta2 = 0.9,
     .epsilon = 0.3},
    {.what = "decay = 0.2",
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
    return exercise_check(argc, argv, "novograd", 6,
                          "one second moment per layer, its first value |g|^2; to 5e-4 of a step",
                          judge);
}
