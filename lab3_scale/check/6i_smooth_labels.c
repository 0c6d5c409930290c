/* 6i_smooth_labels.c: the check of smooth_labels. */
#include "exercise.h"
#include "judge_optimiser.h"
#include <math.h>

/* rows: images, columns: classes, decay: the smoothing; w: the gradient. */
static int label(int image, int t, int classes) { return (3 * image + t + 1) % classes; }

static void run(const OptimiserCase *c, float *w, float *a, float *b, const float *g, int t,
                double rate)
{
    int32_t labels[JUDGED_ROOM];
    for (int i = 0; i < c->rows; i++)
        labels[i] = label(i, t, c->columns);
    smooth_labels(w, labels, c->rows, c->columns, c->decay);
}

/* From the old target to the new one, both written out. */
static void twin(Twin *t, int mistake)
{
    int N = t->c->rows, K = t->c->columns;
    double e = t->c->decay;
    for (int i = 0; i < t->n; i++) {
        bool own = i % K == label(i / K, t->t, K);
        double hard = own, uniform = mistake == 1 ? (own ? 0 : 1.0 / (K - 1)) : 1.0 / K;
        double soft = (1 - e) * hard + e * uniform, change = hard - soft;
        if (mistake == 2)
            change *= N;
        if (mistake == 3)
            change *= -1;
        if (mistake == 4)
            change = own ? 0 : change;
        if (mistake == 5)
            change = own ? e : change;
        if (mistake == 6)
            change = own ? change : 0;
        if (mistake == 7)
            change = -e * uniform;
        t->w[i] += change / N;
        if (mistake == 8)
            t->w[i] = t->w[i] - change / N + change / t->n;
    }
}

static const char *const words[] = {
    NULL,
    "the share is spread over the K - 1 other classes: over all K, the label's included",
    "the division by N is missing: the gradient is that of the mean",
    "the sign: a larger y makes p - y smaller",
    "the label's own element does not change: its y falls, too",
    "the label's y is 1 - smoothing: smoothing / K comes back to it",
    "only the label's element changes: the others' y is smoothing / K",
    "the label keeps its 1: y = 1 - smoothing + smoothing / K",
    "it is divided by N K: by N alone",
    NULL,
};
static const OptimiserCase cases[] = {
    {.what = "smoothing = 0", .rows = 3, .columns = 5},
    {.what = "smoothing = 0.2", .rows = 3, .columns = 5, .decay = 0.2},
    {.what = "one image", .rows = 1, .columns = 4, .decay = 0.1},
    {.what = "smoothing = 1", .rows = 6, .columns = 10, .decay = 1},
};

static void judge(void *unused)
{
    judge_optimiser(&(OptimiserJudge){cases, sizeof cases / sizeof *cases, run, twin, words, 2e-4});
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "smooth_labels", 4,
        "the gradient with y = 1 - smoothing + smoothing / K and smoothing / K; to 2e-4", judge);
}
