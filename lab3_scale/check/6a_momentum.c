/* 6a_momentum.c: the check of momentum. */
#include "exercise.h"
#include "judge_optimiser.h"
#include <math.h>

static void run(const OptimiserCase *c, float *w, float *a, float *b, const float *g, int t,
                double rate)
{
    momentum(w, a, g, c->rows * c->columns, rate, c->mu, c->decay);
}

/* v is a sum over the past: d of r updates ago, times mu^r. */
static void twin(Twin *t, int mistake)
{
    const OptimiserCase *c = t->c;
    int T = t->t;
    for (int i = 0; i < t->n; i++) {
        double decay = mistake == 2 ? 0 : mistake == 3 ? -c->decay : c->decay, v = 0, old;
        t->d[T][i] = t->g[T][i] + (mistake == 4 ? 0 : decay * t->w[i]);
        for (int r = 0; r <= T; r++)
            v += pow(c->mu, r) * t->d[T - r][i] * (mistake == 5 ? t->rates[T - r] / t->rate : 1);
        old = 0; /* the velocity before */
        for (int r = 1; r <= T; r++)
            old += pow(c->mu, r - 1) * t->d[T - r][i];
        if (mistake == 6)
            v *= 1 - c->mu;
        if (mistake == 7)
            v = t->d[T][i];
        if (mistake == 8)
            v = old;
        double ahead = t->d[T][i] + c->mu * v;
        if (mistake == 10)
            ahead = t->d[T][i] + c->mu * old;
        if (mistake == 11)
            ahead = v + c->mu * v;
        double step = mistake == 9 ? ahead : mistake == 10 ? v + c->mu * v : v;
        t->w[i] += t->rate * (mistake == 1 ? step : -step);
        if (mistake == 4)
            t->w[i] -= t->rate * decay * (t->w[i] + t->rate * step);
    }
}

static const char *const words[] = {
    NULL,
    "the weights move along the gradient, uphill: the sign",
    "the decay is missing: d = g + decay w",
    "the decay's sign: it must pull the weights to 0",
    "the decay is decoupled: it shrinks the weights beside the velocity, and must be in d",
    "the rate is inside of v: it must be applied to v as a whole, when the weights move",
    "v is damped by 1 - mu: d is added in full",
    "no momentum: v = mu v + d must keep the last velocity",
    "the weights move by the old v: update v first",
    "that is Nesterov's momentum (6b): the weights move by v alone",
    "the velocity is counted twice",
    NULL,
};
static const OptimiserCase cases[] = {
    {.what = "one weight", .rows = 1, .columns = 1, .mu = 0},
    {.what = "mu = 0.8", .rows = 1, .columns = 7, .mu = 0.8},
    {.what = "mu = 0.8, decay = 0.2", .rows = 1, .columns = 7, .mu = 0.8, .decay = 0.2},
};

static void judge(void *unused)
{
    judge_optimiser(&(OptimiserJudge){cases, sizeof cases / sizeof *cases, run, twin, words, 2e-4});
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "momentum", 4,
                          "v = mu v + g + decay w, the rate outside; to 2e-4 of a step", judge);
}
