/* 7c_one_bit.c: the check of one_bit: signs, the two means, and the sum. */
#include "check_codes.h"

enum { N = 41, ROOM = 64 };

static void encode(uint8_t *code, float value[2], const float *g, int n)
{
    float room[4];
    memset(code, MARK, ROOM);
    memset(room, MARK, sizeof room);
    one_bit(code, room, g, n);
    expect_marks(code + n, ROOM - n, "code [n]");
    expect_marks(room + 2, 8, "value [2]");
    memcpy(value, room, 8);
}

static void judge_signs(const float *g, int n)
{
    uint8_t code[ROOM];
    float value[2];
    encode(code, value, g, n);
    for (int i = 0; i < n; i++) {
        bool minus_zero = g[i] == 0 && signbit(g[i]);
        WRONG_UNLESS(code[i] == (g[i] >= 0), "element %g gets code %d, expected %d%s", g[i],
                     code[i], g[i] >= 0,
                     minus_zero
                         ? ": -0.0 is not negative: compare with 0, do not look at the sign bit"
                     : g[i] == 0 ? ": 0 is not negative"
                                 : "");
    }
}

static void judge_means(const float *g, int n)
{
    uint8_t code[ROOM];
    float value[2];
    double sum[2] = {0}, sent = 0, most = 0;
    int count[2] = {0};
    encode(code, value, g, n);
    for (int i = 0; i < n; i++) {
        sum[g[i] >= 0] += g[i];
        count[g[i] >= 0]++;
        most = fmax(most, fabs(g[i]));
        sent += value[code[i] & 1];
    }
    double all = (sum[1] - sum[0]) / n;
    for (int k = 0; k < 2; k++) {
        double mean = count[k] ? sum[k] / count[k] : 0, close = 1e-5 * most;
        const char *which = k ? "others" : "negative elements";
        WRONG_UNLESS(count[k] || value[k] == 0,
                     "no element is %s: value[%d] is %g, expected 0: is it divided by 0?",
                     k ? "0 or more" : "negative", k, value[k]);
        WRONG_UNLESS(near(value[k], mean, close),
                     "value[%d] is %g, expected %g, the mean of the %s%s", k, value[k], mean, which,
                     near(value[k], -mean, close)       ? ": its sign is lost"
                     : near(fabs(value[k]), all, close) ? ": that is the mean of all magnitudes"
                     : near(value[k], sum[k], close)    ? ": that is their sum"
                     : near(value[k], sum[k] / n, close)
                         ? ": that is their sum divided by the number of all"
                         : "");
    }
    WRONG_UNLESS(near(sent, sum[0] + sum[1], 1e-4 * most * n),
                 "the codes' sum is %g, the elements' %g", sent, sum[0] + sum[1]);
}

static void judge(void *unused)
{
    float g[N], positive[] = {1, 2, 3}, negative[] = {-1, -5}, zeros[] = {0, -0.0f, 0, -0.0f, -1};
    draw_normal(g, N, 0.1f, 4);
    for (int i = 0; i < N; i++)
        g[i] += 0.05f; /* more of one sign */
    judge_signs(g, N);
    judge_means(g, N);
    judge_means(positive, 3);
    judge_means(negative, 2);
    judge_signs(zeros, 5);
    judge_means(zeros, 5);
    judge_means(zeros, 4);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "one_bit", 3,
                          "the signs, and the mean of either class; the sum is kept", judge);
}
