/* 6c_lars.c: the check of lars. */
#include "exercise.h"
#include "judge_optimiser.h"
#include <math.h>

static void run(const OptimiserCase *c, float *w, float *a, float *b, const float *g, int t,
                double rate)
{
    lars(w, a, g, c->rows * c->columns, rate, c->mu, c->decay, c->trust);
}

static void twin(Twin *t, int mistake)
{
    const OptimiserCase *c = t->c;
    int T = t->t;
    double a = twin_norm(t->w, t->n), b = twin_norm(t->g[T], t->n), moved[JUDGED_ROOM];
    double decay = mistake == 2 ? 0 : c->decay, root = sqrt(t->n);
    bool still = a == 0 || b == 0;
    for (int i = 0; i < t->n; i++)
        t->d[T][i] = t->g[T][i] + decay * t->w[i];
    if (mistake == 3) /* squares */
        a *= a, b *= b;
    if (mistake == 4)
        b /= root;
    if (mistake == 10)
        b = twin_norm(t->d[T], t->n) - c->decay * a;
    double local = mistake == 1 ? c->trust * (b + c->decay * a) / a
                 : mistake == 5 ? c->trust * a / b
                 : mistake == 6 ? a / (b + c->decay * a)
                                : c->trust * a / (b + c->decay * a);
    if (isnan(local))
        local = 0;
    double factor = t->rate * local;
    if (still && mistake != 7)
        factor = t->rate;
    if (mistake == 8)
        factor = fmin(t->rate, local);
    if (mistake == 9)
        factor = local;
    for (int i = 0; i < t->n; i++) {
        t->d[T][i] *= mistake == 12 ? 1 : factor;
        moved[i] = 0;
        for (int r = 0; r <= T; r++)
            moved[i] += pow(c->mu, r) * t->d[T - r][i];
        if (mistake == 11)
            moved[i] *= 1 - c->mu;
        if (mistake == 13)
            moved[i] = t->d[T][i];
        t->w[i] -= moved[i] * (mistake == 12 ? factor : 1);
    }
}

static const char *const words[] = {
    NULL,
    "the ratio is upside down: trust times |w| over |g|",
    "the decay is missing in v: g + decay w",
    "the norms are squared: take the roots",
    "the gradient's norm is divided by the root of n: it is a sum, not a mean",
    "the decay is missing in the ratio: trust |w| / (|g| + decay |w|)",
    "trust is missing: a step is to be a share of |w|",
    "|w| or |g| is 0: then the local rate is 1, or the layer never moves",
    "that is LARC: LARS multiplies by the rate, without min(rate, …)",
    "the rate is missing",
    "the norm of g + decay w in place of |g| + decay |w|",
    "v is damped by 1 - mu: what is added counts in full",
    "the rate is outside of v: v = mu v + rate local (g + decay w), and the weights move by v",
    "no momentum: v = mu v + … must keep the last velocity",
    NULL,
};
static const OptimiserCase cases[] = {
    {.what = "mu = 0, decay = 0", .rows = 2, .columns = 4, .trust = 0.3},
    {.what = "mu = 0.8", .rows = 2, .columns = 4, .trust = 0.3, .mu = 0.8},
    {.what = "mu = 0.8, decay = 0.2",
     .rows = 2,
     .columns = 4,
     .trust = 0.3,
     .mu = 0.8,
     .decay = 0.2},
    {.what = "large gradients",
     .rows = 2,
     .columns = 4,
     .trust = 0.02,
     .mu = 0.8,
     .decay = 0.05,
     .scale = 30},
    {.what = "small gradients",
     .rows = 2,
     .columns = 4,
     .trust = 0.02,
     .mu = 0.8,
     .decay = 0.05,
     .scale = 0.01},
    {.what = "all weights 0",
     .rows = 2,
     .columns = 4,
     .trust = 0.3,
     .mu = 0.8,
     .zero_weights = true},
    {.what = "all gradients 0",
     .rows = 2,
     .columns = 4,
     .trust = 0.3,
     .mu = 0.8,
     .decay = 0.2,
     .zero_gradients = true},
};

static void judge(void *unused)
{
    judge_optimiser(&(OptimiserJudge){cases, sizeof cases / sizeof *cases, run, twin, words, 2e-4});
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "lars", 6,
                          "a step of rate trust |w| per layer, zero norms too; to 2e-4 of a step",
                          judge);
}
