/* 7a_round_stochastic.c: the check of round_stochastic: right on average over 10,000 draws, one of
 * the two nearest values in each. */
#include "check_codes.h"

enum { N = 37, ROOM = 64 };

static int levels(int bits) { return (1 << (bits - 1)) - 1; }

/* One call; its codes in range, nothing written behind them. */
static float encode(uint8_t *code, const float *g, const float *u, int n, int bits)
{
    memset(code, MARK, ROOM);
    float scale = round_stochastic(code, g, u, n, bits);
    expect_marks(code + n, ROOM - n, "code [n]");
    for (int i = 0; i < n; i++)
        WRONG_UNLESS(code[i] <= 2 * levels(bits),
                     "%d bits: element %g of a bucket with scale %g gets code %d, which is not in "
                     "0 … 2L = %d%s",
                     bits, g[i], scale, code[i], 2 * levels(bits),
                     code[i] > 250 ? ": below 0 in a byte?" : ": rounded up beyond the scale?");
    return scale;
}

static void judge_zeros(int bits)
{
    float zero[N] = {0}, u[N];
    uint8_t code[ROOM];
    draw_uniform(u, N, 1);
    float scale = encode(code, zero, u, N, bits);
    WRONG_UNLESS(scale == 0, "a bucket of zeros: scale %g, expected 0", scale);
    for (int i = 0; i < N; i++)
        WRONG_UNLESS(code[i] == levels(bits),
                     "%d bits, a bucket of zeros: code %d, expected L = %d: is it divided by the "
                     "scale 0?",
                     bits, code[i], levels(bits));
}

static void judge_scale(int bits)
{
    float g[] = {0.5f, -3, 1, 0}, u[] = {0.5f, 0.5f, 0.5f, 0.5f};
    uint8_t code[ROOM];
    float scale = round_stochastic(code, g, u, 4, bits);
    WRONG_UNLESS(scale != 1, "a bucket of 0.5, -3, 1, 0: the scale is 1, the largest element, not "
                             "the largest magnitude, 3");
    WRONG_UNLESS(scale == 3, "a bucket of 0.5, -3, 1, 0: the scale is %g, expected 3", scale);
    encode(code, g, u, 4, bits);
    WRONG_UNLESS(code[1] != 2 * levels(bits),
                 "%d bits: -scale gets code 2L, which is +scale: are "
                 "signs reversed?",
                 bits);
}

/* The extreme elements are exact values, for any u. */
static void judge_ends(int bits)
{
    float g[] = {2, -2, 0}, least[] = {0, 0, 0}, most[3];
    uint8_t low[ROOM], high[ROOM];
    for (int i = 0; i < 3; i++)
        most[i] = nextafterf(1, 0);
    uint8_t code[ROOM];
    float middle[] = {0.5f, 0.5f, 0.5f};
    encode(code, g, middle, 3, bits);
    WRONG_UNLESS(code[1] == 0 && code[2] == levels(bits),
                 "%d bits, u = 0.5: -scale and 0 get the codes %d and %d, expected 0 and L = %d",
                 bits, code[1], code[2], levels(bits));
    encode(low, g, least, 3, bits);
    encode(high, g, most, 3, bits);
    WRONG_UNLESS(high[0] == 2 * levels(bits) && low[0] == 2 * levels(bits),
                 "%d bits: +scale gets code %d with u = 0 and %d with u near 1, expected 2L = %d "
                 "both times",
                 bits, low[0], high[0], 2 * levels(bits));
}

/* Which mistake makes the means wrong? */
static void explain(int bits, const float *g, float scale, const double *mean, bool moves, int at)
{
    int L = levels(bits), wrong_above = 0;
    double step = scale / L, sum = 0;
    bool nearest = true;
    for (int i = 0; i < N; i++) {
        double off = mean[i] - g[i];
        bool wrong = fabs(off) > 0.03 * step;
        wrong_above += wrong && g[i] > 0;
        sum += off / N / step;
        nearest &= fabs(off) <= 0.501 * step;
    }
    const char *why = !moves && nearest && fabs(sum) < 0.2
                        ? "it is rounded to the nearest in every draw: is u used?"
                    : !moves       ? "the same in every draw: is u used?"
                    : !wrong_above ? "only negative elements are: does a cast to int round them "
                                     "towards 0?"
                    : sum > 0.2    ? "all are too large: is 0.5 added to u?"
                    : sum < -0.2   ? "all are too small"
                                   : "with which probability does it round up?";
    exercise_wrong("%d bits: biased: element %g of a bucket with scale %g is read as %g on average "
                   "over %d draws; %s",
                   bits, g[at], scale, mean[at], DRAWS, why);
}

static void judge_mean(int bits)
{
    float g[N], u[N], scale = 0;
    double mean[N] = {0};
    uint8_t code[ROOM], first[ROOM];
    bool moves = false;
    draw_normal(g, N, 1, (uint32_t)bits);
    for (int k = 0; k < DRAWS; k++) {
        draw_uniform(u, N, (uint32_t)k);
        scale = encode(code, g, u, N, bits);
        if (k == 0)
            memcpy(first, code, sizeof first);
        moves |= memcmp(first, code, N) != 0;
        for (int i = 0; i < N; i++)
            mean[i] += (double)(code[i] - levels(bits)) * scale / levels(bits) / DRAWS;
    }
    for (int i = 0; i < N; i++)
        if (!near(mean[i], g[i], 0.03 * scale / levels(bits)))
            explain(bits, g, scale, mean, moves, i);
}

/* In each draw one of the two values beside g[i], and up where x + u reaches the next integer. */
static void judge_each(int bits)
{
    float g[N], u[N];
    uint8_t code[ROOM];
    int L = levels(bits);
    for (uint32_t k = 0; k < 200; k++) {
        draw_normal(g, N, k % 2 ? 1e-6f : 100, 50 + k);
        draw_uniform(u, N, 50 + k);
        float scale = encode(code, g, u, N, bits);
        for (int i = 0; i < N; i++) {
            double x = (double)g[i] / scale * L + L;
            WRONG_UNLESS(fabs(code[i] - x) < 1.001,
                         "%d bits: element %g of a bucket with scale %g gets code %d, which is not "
                         "beside x + L = %.3f",
                         bits, g[i], scale, code[i], x);
            double turn = x + u[i] - floor(x + u[i]);
            WRONG_UNLESS(code[i] == floor(x + u[i]) || turn < 1e-3 || turn > 0.999,
                         "%d bits: x + L = %.3f, u = %.3f: code %d, expected %g", bits, x, u[i],
                         code[i], floor(x + u[i]));
        }
    }
}

static void judge(void *unused)
{
    static const int sizes[] = {4, 2, 8, 3};
    for (int i = 0; i < 4; i++) {
        judge_scale(sizes[i]);
        judge_mean(sizes[i]);
        judge_zeros(sizes[i]);
        judge_ends(sizes[i]);
        judge_each(sizes[i]);
    }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "round_stochastic", 5,
                          "right on average over 10,000 draws; each code one of the two nearest",
                          judge);
}
