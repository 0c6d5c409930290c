/* 7b_ternary.c: the check of ternary: the scale, and the clipped gradient on average. */
#include "check_codes.h"

enum { N = 37, ROOM = 64 };

static float encode(uint8_t *code, const float *g, const float *u, int n, float clip)
{
    memset(code, MARK, ROOM);
    float scale = ternary(code, g, u, n, clip);
    expect_marks(code + n, ROOM - n, "code [n]");
    for (int i = 0; i < n; i++)
        WRONG_UNLESS(code[i] <= 2,
                     "element %g of a bucket with scale %g gets code %d: expected 0, 1 "
                     "or 2",
                     g[i], scale, code[i]);
    return scale;
}

static double sigma_of(const float *g, int n, double about)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (g[i] - about) * (g[i] - about);
    return sqrt(sum / n);
}

static void judge_scale(const float *g, int n, float clip)
{
    float u[N];
    uint8_t code[ROOM];
    double most = 0, mean = 0, sigma = sigma_of(g, n, 0);
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(g[i]));
        mean += g[i] / n;
    }
    double expected = fmin(most, clip * sigma);
    draw_uniform(u, n, 3);
    double scale = encode(code, g, u, n, clip), close = 1e-5 * expected;
    if (near(scale, expected, close))
        return;
    exercise_wrong("largest magnitude %g, clip * sigma = %g: the scale is %g, expected %g%s", most,
                   clip * sigma, scale, expected,
                   near(scale, most, close)           ? ": is nothing clipped?"
                   : near(scale, clip * sigma, close) ? ": it is more than the largest magnitude"
                   : near(scale, clip, 1e-5 * clip)   ? ": clip is in units of sigma"
                   : near(scale, clip * sigma_of(g, n, mean), close)
                       ? ": sigma² is the mean of g², not of (g - mean)²"
                   : near(scale, clip * sigma * sigma, close) ? ": is that sigma²?"
                   : near(scale, clip * sigma * sqrt(n), 1e-4 * expected * sqrt(n))
                       ? ": is it the sum of g² in place of the mean?"
                       : "");
}

static void judge_zeros(void)
{
    float zero[N] = {0}, u[N];
    uint8_t code[ROOM];
    draw_uniform(u, N, 1);
    u[0] = 0;
    float scale = encode(code, zero, u, N, 2.5f);
    WRONG_UNLESS(scale == 0, "a bucket of zeros: scale %g, expected 0", scale);
    for (int i = 0; i < N; i++)
        WRONG_UNLESS(code[i] == 1,
                     "a bucket of zeros, u = %g: code %d, expected 1: is it divided "
                     "by the scale 0, or u <= p?",
                     u[i], code[i]);
}

static void judge_mean(const float *g, float clip)
{
    float u[N];
    double mean[N] = {0}, scale = 0;
    uint8_t code[ROOM], first[ROOM];
    bool moves = false;
    for (int k = 0; k < DRAWS; k++) {
        draw_uniform(u, N, (uint32_t)k);
        scale = encode(code, g, u, N, clip);
        if (k == 0)
            memcpy(first, code, sizeof first);
        moves |= memcmp(first, code, N) != 0;
        for (int i = 0; i < N; i++)
            mean[i] += (code[i] - 1.0) * scale / DRAWS;
    }
    for (int i = 0; i < N; i++) {
        double expected = fmin(fmax(g[i], -scale), scale);
        WRONG_UNLESS(fabs(expected) < 0.1 * scale || mean[i] * expected >= 0 || !moves,
                     "element %g is read as %g on average: are signs reversed?", g[i], mean[i]);
        WRONG_UNLESS(near(mean[i], expected, 0.05 * scale),
                     "element %g of a bucket with scale %g is read as %g on average over %d draws, "
                     "expected %g%s",
                     g[i], scale, mean[i], DRAWS, expected,
                     !moves ? ": the same in every draw: is u used?"
                     : near(mean[i], copysign(scale, expected) - expected, 0.05 * scale)
                         ? ": with probability 1 - |g| / scale?"
                     : near(mean[i], expected / 2, 0.05 * scale) ? ": half of it"
                                                                 : "");
    }
}

static void judge(void *unused)
{
    float g[N], even[] = {1, -1, 1, 1, -1};
    draw_normal(g, N, 0.01f, 9);
    for (int i = 0; i < N; i++)
        g[i] += 0.002f; /* the mean is not 0 */
    g[5] = -0.2f;       /* an outlier */
    judge_scale(g, N, 2.5f);
    judge_scale(g, N, 1);
    judge_scale(even, 5, 2.5f);
    judge_mean(g, 2.5f);
    judge_zeros();
    g[5] = 0.01f;
    judge_scale(g, N, 9);
    judge_mean(g, 9);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "ternary", 4,
                          "scale at most clip * sigma; the clipped gradient on average over 10,000 "
                          "draws",
                          judge);
}
