/* 6f_lamb.c: the check of lamb. */
#include "exercise.h"
#include "judge_optimiser.h"
#include <math.h>

static void run(const OptimiserCase *c, float *w, float *a, float *b, const float *g, int t,
                double rate)
{
    AdamOptions o = {c->mu, c->beta2, c->epsilon, c->decay, c->decoupled};
    lamb(w, a, b, g, c->rows * c->columns, t + 1, rate, &o);
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
    double r[JUDGED_ROOM], plain[JUDGED_ROOM], moved[JUDGED_ROOM];
    double decay = mistake == 4 ? 0 : c->decay;
    for (int i = 0; i < t->n; i++) {
        t->d[T][i] = t->g[T][i] + (mistake == 5 ? decay * t->w[i] : 0);
        double s = mean(t, i, c->beta2, 2, mistake == 1);
        double root = mistake == 6 ? sqrt(s + c->epsilon) : sqrt(s) + c->epsilon;
        plain[i] = mean(t, i, c->mu, 1, mistake == 1 || mistake == 10) / root;
        r[i] = plain[i] + (mistake == 5 || mistake == 9 ? 0 : decay * t->w[i]);
    }
    double length = twin_norm(t->w, t->n);
    double other = twin_norm(mistake == 3 ? t->g[T] : mistake == 8 ? plain : r, t->n);
    double ratio = mistake == 2 ? other / length : length / other;
    if (mistake == 7)
        ratio = 1;
    if (mistake == 11)
        ratio *= ratio;
    if ((length == 0 || other == 0) && mistake != 12)
        ratio = 1;
    if (isnan(ratio))
        ratio = 0;
    for (int i = 0; i < t->n; i++) {
        moved[i] = ratio * r[i] + (mistake == 9 ? decay * t->w[i] : 0);
        t->w[i] -= t->rate * moved[i];
    }
}

static const char *const words[] = {
    NULL,
    "no bias correction: m / (1 - beta1^step), s / (1 - beta2^step)",
    "the trust ratio is upside down: |w| / |r|",
    "the norm of the gradient: the ratio needs that of the direction r",
    "the decay is missing in r",
    "the decay is in the gradient, as in Adam: it belongs to r",
    "epsilon is inside of the root: sqrt(s') + epsilon",
    "the ratio |w| / |r| is missing: that is AdamW",
    "the norm of r without its decay: the whole r counts",
    "the decay is outside of r: the ratio must scale it, too",
    "m has no bias correction: m / (1 - beta1^step)",
    "the norms are squared: take the roots",
    "|w| or |r| is 0: then the ratio is 1, or the layer never moves",
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
    {.what = "all weights 0",
     .zero_weights = true,
     .rows = 1,
     .columns = 6,
     .mu = 0.7,
     .beta2 = 0.9,
     .epsilon = 1e-8},
    {.what = "all gradients 0",
     .zero_gradients = true,
     .rows = 1,
     .columns = 6,
     .mu = 0.7,
     .beta2 = 0.9,
     .epsilon = 1e-8},
};

static void judge(void *unused)
{
    judge_optimiser(&(OptimiserJudge){cases, sizeof cases / sizeof *cases, run, twin, words, 5e-4});
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "lamb", 8,
        "Adam's direction, as long as rate |w|, zero norms too; to 5e-4 of a step", judge);
}
