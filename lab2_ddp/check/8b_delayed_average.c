/* 8b_delayed_average.c: the check of delayed_average: by what the usual mistakes would give. */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>

enum { N = 1000, GUARD = 1 };

static bool near(const float *w, int i, double expected)
{
    return fabs(w[i] - expected) <= 1e-5 * (1 + fabs(expected));
}

static void judge(void *unused)
{
    float w[N + 2], sent[N], mean[N], before[N + 2], sent_before[N], mean_before[N];
    Rng r = rng_at(8, RNG_TEST, 2, 0);
    for (int i = 0; i < N; i++) {
        sent[i] = sent_before[i] = (float)rng_normal(&r);
        mean[i] = mean_before[i] = sent[i] + (float)rng_normal(&r);
        w[1 + i] = before[1 + i] = sent[i] + 0.1f * (float)rng_normal(&r);
    }
    w[0] = w[N + 1] = -7;
    delayed_average(w + GUARD, sent, mean, N);
    for (int i = 0; i < N; i++) {
        float old = before[1 + i];
        double expected = (double)old + mean[i] - sent_before[i];
        if (near(w, 1 + i, expected))
            continue;
        WRONG_UNLESS(!near(w, 1 + i, old), "w[%d] is as it was: is w changed in place?", i);
        WRONG_UNLESS(!near(w, 1 + i, mean[i]),
                     "w[%d] is the mean: the rank's own updates since it sent are lost", i);
        WRONG_UNLESS(!near(w, 1 + i, (old + mean[i]) / 2),
                     "w[%d] is half the mean, half the rank's own: the mean replaces what was sent",
                     i);
        WRONG_UNLESS(!near(w, 1 + i, old + sent_before[i] - mean[i]),
                     "w[%d] moves away from the mean: the sign", i);
        WRONG_UNLESS(!near(w, 1 + i, (double)old + mean[i]),
                     "w[%d] is old plus mean: what was sent must go", i);
        WRONG_UNLESS(!near(w, 1 + i, mean[i] - (old - sent_before[i])),
                     "w[%d]: the rank's own updates are taken back: the sign of w - sent", i);
        exercise_wrong("w[%d]: it was %g, sent %g, mean %g: it is %g, expected %g", i, old,
                       sent_before[i], mean[i], w[1 + i], expected);
    }
    WRONG_UNLESS(w[0] == -7 && w[N + 1] == -7, "it writes outside of w [n]");
    for (int i = 0; i < N; i++)
        WRONG_UNLESS(sent[i] == sent_before[i] && mean[i] == mean_before[i], "it changes %s",
                     sent[i] == sent_before[i] ? "mean" : "sent");
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "delayed_average", 4,
                          "the mean in the place of what was sent, the way since then kept", judge);
}
