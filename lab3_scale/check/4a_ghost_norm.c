/* 4a_ghost_norm.c: the check of ghost_norm: what each group's outputs must be like, then every
 * value. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>
#include <string.h>

enum { ROWS = 22, CHANNELS = 3, MOST = ROWS * CHANNELS };

typedef struct Case {
    float x[MOST], y[MOST + 2], gamma[CHANNELS], beta[CHANNELS];
    int rows, group;
} Case;

static Case draw(int rows, int group, bool plain)
{
    Case c = {.rows = rows, .group = group};
    Rng r = rng_at(3, RNG_TEST, (uint32_t)rows, (uint64_t)group);
    for (int i = 0; i < MOST; i++)
        c.x[i] = (float)(10 * (i % CHANNELS) + i / CHANNELS * 0.5 + rng_normal(&r));
    for (int i = 0; i < CHANNELS; i++) {
        c.gamma[i] = plain ? 1 : 0.5f + (float)i;
        c.beta[i] = plain ? 0 : 3 - (float)i;
    }
    for (int i = 0; i < MOST + 2; i++)
        c.y[i] = -77;
    return c;
}

static void run(Case *c)
{
    ghost_norm(c->y + 1, c->x, c->gamma, c->beta, c->rows, CHANNELS, c->group);
    WRONG_UNLESS(c->y[0] == -77 && c->y[1 + c->rows * CHANNELS] == -77,
                 "%d rows, groups of %d: it writes outside of y [rows, channels]", c->rows,
                 c->group);
}

typedef struct Moments {
    double mean, variance;
} Moments;

static Moments moments(const float *v, int first, int end, int channel)
{
    double sum = 0, square = 0;
    for (int r = first; r < end; r++)
        sum += v[r * CHANNELS + channel];
    sum /= end - first;
    for (int r = first; r < end; r++)
        square += (v[r * CHANNELS + channel] - sum) * (v[r * CHANNELS + channel] - sum);
    return (Moments){sum, square / (end - first)};
}

/* gamma 1, beta 0: each group's outputs have mean 0 and variance 1. */
static void judge_groups(int rows, int group)
{
    Case c = draw(rows, group, true);
    run(&c);
    for (int first = 0; first < rows; first += group)
        for (int channel = 0; channel < CHANNELS; channel++) {
            int end = first + group < rows ? first + group : rows, count = end - first;
            Moments in = moments(c.x, first, end, channel),
                    out = moments(c.y + 1, first, end, channel),
                    all = moments(c.y + 1, 0, rows, channel);
            double expected = in.variance / (in.variance + 1e-5);
            WRONG_UNLESS(c.y[1 + first * CHANNELS + channel] != -77,
                         "%d rows, groups of %d: rows %d to %d are not written%s", rows, group,
                         first, end - 1,
                         end == rows && count < group ? ": the last group has what "
                                                        "is left"
                                                      : "");
            WRONG_UNLESS(group >= rows || fabs(all.mean) > 1e-4 || fabs(out.mean) < 1e-4,
                         "groups of %d: the statistics are those of the whole batch: each group "
                         "has its own",
                         group);
            WRONG_UNLESS(fabs(out.mean) < 1e-4,
                         "%d rows, groups of %d: in rows %d to %d channel %d has the mean %.4g, "
                         "expected 0",
                         rows, group, first, end - 1, channel, out.mean);
            WRONG_UNLESS(count < 2 || fabs(out.variance * count / (count - 1) - expected) > 2e-4,
                         "rows %d to %d: the variance is divided by one less than the rows; batch "
                         "norm divides by their number",
                         first, end - 1);
            WRONG_UNLESS(fabs(out.variance - expected) < 2e-4,
                         "%d rows, groups of %d: in rows %d to %d channel %d has the variance "
                         "%.4g, expected %.4g",
                         rows, group, first, end - 1, channel, out.variance, expected);
        }
}

/* gamma and beta, a constant channel (1e-5), y = x. */
static void judge_scale(void)
{
    Case plain = draw(ROWS, 8, true), c = draw(ROWS, 8, false), in_place = c;
    run(&plain);
    run(&c);
    for (int i = 0; i < MOST; i++) {
        double expected = (double)c.gamma[i % CHANNELS] * plain.y[1 + i] + c.beta[i % CHANNELS];
        WRONG_UNLESS(fabs(c.y[1 + i] - expected) < 1e-4,
                     "row %d, channel %d: gamma %g and beta %g make %g of %g, expected %g",
                     i / CHANNELS, i % CHANNELS, c.gamma[i % CHANNELS], c.beta[i % CHANNELS],
                     c.y[1 + i], plain.y[1 + i], expected);
    }
    ghost_norm(in_place.x, in_place.x, c.gamma, c.beta, ROWS, CHANNELS, 8);
    WRONG_UNLESS(!memcmp(in_place.x, c.y + 1, sizeof in_place.x), "y may be x: the result differs");
    Case constant = draw(ROWS, ROWS, true);
    for (int i = 0; i < MOST; i++)
        constant.x[i] = 4;
    run(&constant);
    WRONG_UNLESS(fabs(constant.y[1]) < 0.01,
                 "a constant channel gives %g, expected 0: is 1e-5 added to "
                 "the variance?",
                 constant.y[1]);
    Case large = draw(ROWS, ROWS, true);
    for (int i = 0; i < MOST; i++)
        large.x[i] = 1000 + large.x[i] / 256;
    run(&large);
    double variance = moments(large.x, 0, ROWS, 0).variance;
    double expected = variance / (variance + 1e-5),
           found = moments(large.y + 1, 0, ROWS, 0).variance;
    WRONG_UNLESS(fabs(found - expected) < 0.01,
                 "values near 1000 with a variance of %.2g: the output has the "
                 "variance %.4g, expected %.4g: compute in double, and the variance as the mean of "
                 "(x - mean)^2",
                 variance, found, expected);
}

static void judge(void *unused)
{
    judge_groups(16, 16);
    judge_groups(16, 4);
    judge_groups(16, 100);
    judge_groups(ROWS, 8);
    judge_scale();
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "ghost_norm", 8,
                          "each group of rows with its own mean and variance; then gamma and beta",
                          judge);
}
