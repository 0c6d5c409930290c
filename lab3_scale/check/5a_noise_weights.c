/* 5a_noise_weights.c: the check of noise_weights: its moments over many draws, then each draw. */
#include "check.h"
#include "exercise.h"
#include "lab3.h"
#include <math.h>
#include <stdlib.h>

static Rng start(void) { return rng_at(7, RNG_TEST, 1, 2); }

static void judge_moments(int n, int small)
{
    float *z = alloc((unsigned long)n + 1, sizeof *z);
    Rng r = start();
    double mean = 0, variance = 0, expected = (double)n / small - 1;
    z[n] = -77;
    noise_weights(z, n, small, &r);
    WRONG_UNLESS(z[n] == -77, "it writes to z[%d], outside of z [n]", n);
    for (int i = 0; i < n; i++)
        mean += z[i] / (double)n;
    for (int i = 0; i < n; i++)
        variance += pow(z[i] - mean, 2) / n;
    double about = 6 * sqrt((expected + 1e-9) / n);
    WRONG_UNLESS(fabs(mean) > about || about > 0.5,
                 "the mean of z is %.3g: z is 1 plus the noise, or the gradient is gone", mean);
    WRONG_UNLESS(fabs(mean - 1) <= about + 1e-6,
                 "n %d, small %d: the mean of z is %.3g, expected 1", n, small, mean);
#define IS(value) (fabs(variance - (value)) <= 0.15 * (value) + 1e-9)
    const char *what = "";
    if (!IS(expected)) {
        if (IS(expected * expected))
            what = ": that is sigma^2 in place of sigma: rng_normal is multiplied by the root";
        else if (IS(expected + 1))
            what = ": with it the batch is noisier than a small one: 1 + sigma^2 must be n / small";
        else if (variance < 1e-6)
            what = ": no noise at all";
        else if (IS((double)n) || IS((double)n - 1))
            what = ": does sigma depend on small?";
        exercise_wrong("n %d, small %d: the variance of z is %.4g, expected %.4g%s", n, small,
                       variance, expected, what);
    }
    free(z);
}

static void judge(void *unused)
{
    judge_moments(4096, 1024);
    judge_moments(4096, 128);
    judge_moments(1024, 512);
    judge_moments(1000, 600);
    float same[8], z[64], again[64];
    Rng r = start(), at = start(), by_hand = start();
    noise_weights(same, 8, 8, &r);
    for (int i = 0; i < 8; i++)
        WRONG_UNLESS(same[i] == 1, "small = n: z[%d] is %g, expected 1", i, same[i]);
    noise_weights(z, 64, 16, &at);
    for (int i = 0; i < 64; i++) {
        double expected = 1 + sqrt(3) * rng_normal(&by_hand);
        WRONG_UNLESS(fabs(z[i] - expected) <= 1e-5,
                     "z[%d] is %g, expected %g: one rng_normal(r) "
                     "for each image, in order, and no other source of chance",
                     i, z[i], expected);
    }
    noise_weights(again, 64, 16, &at);
    WRONG_UNLESS(fabs(again[0] - (1 + sqrt(3) * rng_normal(&by_hand))) <= 1e-5,
                 "the next call draws the same noise, or skips some: draw from r itself");
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "noise_weights", 6,
                          "mean 1, variance n / small - 1, one rng_normal(r) for each image",
                          judge);
}
