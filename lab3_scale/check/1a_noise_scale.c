/* 1a_noise_scale.c: the check of noise_scale. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

static bool is(double found, double value) { return fabs(found - value) <= 1e-9 * fabs(value); }

/* Lengths that scatter by ± spread about those of |G|² and S. */
static void judge_one(double G, double S, int b, int B, double spread)
{
    double small[2] = {(G + S / b) * (1 + spread), (G + S / b) * (1 - spread)},
           large[2] = {(G + S / B) * (1 - spread), (G + S / B) * (1 + spread)},
           found = noise_scale(small, large, 2, b, B), quotients = 0;
    for (int i = 0; i < 2; i++)
        quotients += (small[i] - large[i]) / (1.0 / b - 1.0 / B) /
                     ((B * large[i] - b * small[i]) / (B - b)) / 2;
    const char *what = is(found, quotients) ? ": the mean of quotients; take the quotient of means"
                     : is(found, G / S)     ? ": that is |G|² / S"
                     : is(found, S)         ? ": that is S; divide by |G|²"
                     : is(found, S / (G + S / B)) ? ": |g_B|² still has the noise S / B in it"
                     : is(found, sqrt(S / G))     ? ": of the squares, no root"
                     : is(found, -S / G)          ? ": the small batches have the longer gradients"
                                                  : "";
    WRONG_UNLESS(is(found, S / G), "|G|² = %g, S = %g, batches of %d and %d: %.9g, expected %.9g%s",
                 G, S, b, B, found, S / G, what);
}

static void judge(void *unused)
{
    judge_one(2, 100, 8, 512, 0);
    judge_one(0.5, 300, 16, 64, 0);
    judge_one(2, 100, 8, 512, 0.1);
    judge_one(3, 7, 1, 2, 0.2);
    double found = noise_scale((double[]){10}, (double[]){1}, 1, 4, 8);
    WRONG_UNLESS(isinf(found) && found > 0,
                 "the estimate of |G|² is -8: %g, expected INFINITY: too few pairs", found);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "noise_scale", 5, "S / |G|² of known |G|² and S, to 1e-9",
                          judge);
}
