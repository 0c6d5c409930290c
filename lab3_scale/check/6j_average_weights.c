/* 6j_average_weights.c: the check of average_weights. */
#include "exercise.h"
#include "judge_optimiser.h"
#include <math.h>

static void run(const OptimiserCase *c, float *w, float *a, float *b, const float *g, int t,
                double rate)
{
    average_weights(w, g, c->rows * c->columns, t + 1, c->mu);
}

/* Of all weights so far, each with its share. w: the average; g: the weights. */
static void twin(Twin *t, int mistake)
{
    double share[JUDGED_STEPS], keep = t->c->mu, left = 1;
    for (int r = t->t; r >= 0; r--) {
        double k = fmin(keep, r / (r + 1.0));
        if (mistake == 1)
            k = keep;
        if (mistake == 2)
            k = 1 - k;
        if (mistake == 3)
            k = r / (r + 1.0);
        if (mistake == 4)
            k = r == 0 ? 0 : keep;
        if (mistake == 5)
            k = fmax(keep, r / (r + 1.0));
        if (mistake == 6)
            k = fmin(keep, (r + 1.0) / (r + 2.0));
        if (mistake == 7)
            k = 0;
        share[r] = left * (1 - k);
        left *= k;
    }
    for (int i = 0; i < t->n; i++) {
        if (t->t == 0)
            t->d[0][i] = t->w[i];
        t->w[i] = left * t->d[0][i];
        for (int r = 0; r <= t->t; r++)
            t->w[i] += share[r] * t->g[r][i];
    }
}

static const char *const words[] = {
    NULL,
    "k = keep from the start: the zero that average begins with counts, too; k = min(keep, (step - "
    "1) / step)",
    "k and 1 - k are exchanged",
    "the plain mean forever: from step 1 / (1 - keep) on, k = keep",
    "the first weights count too much: until step 1 / (1 - keep), k = (step - 1) / step",
    "the larger of the two: k = min(keep, (step - 1) / step)",
    "step / (step + 1): step is 1 after the first update, so (step - 1) / step",
    "it is no mean, but the last weights",
    NULL,
};
static const OptimiserCase cases[] = {
    {.what = "keep = 0", .rows = 1, .columns = 6, .mu = 0},
    {.what = "keep = 0.6", .rows = 1, .columns = 6, .mu = 0.6},
    {.what = "keep = 0.99", .rows = 1, .columns = 6, .mu = 0.99},
};

static void judge(void *unused)
{
    judge_optimiser(&(OptimiserJudge){cases, sizeof cases / sizeof *cases, run, twin, words, 2e-4});
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "average_weights", 4,
                          "the plain mean at first, then one that forgets; to 2e-4", judge);
}
