/* 7a_round_stochastic_check.c: the check of round_stochastic. */
#include "check_codes.h"

enum { DRAWS = 10000 };

/* n elements; u grows by `more` from one to the next. */
static void judge_bucket(const char *what, int bits, int n, const float *g, float factor,
                         float first_u, float more)
{
    float scaled[8], u[8];
    for (int i = 0; i < n; i++) {
        scaled[i] = g[i] * factor;
        u[i] = first_u + (float)i * more;
    }
    uint8_t *code = codes_room();
    float scale = round_stochastic(code, scaled, u, n, bits);
    exercise_case(more > 0 ? "bits = %d, g = %s, u = %.7g, %.2g …" : "bits = %d, g = %s, u = %.7g",
                  bits, what, first_u, first_u + more);
    exercise_value("the scale", scale);
    note_codes(code, n);
}

/* Right on average: u at equal distances. */
static void judge_mean(int bits)
{
    static const float g[] = {0.3f, -1, 0.001f, -0.7f};
    double mean[4] = {0}, levels = (1 << (bits - 1)) - 1;
    for (int k = 0; k < DRAWS; k++) {
        float at = ((float)k + 0.5f) / DRAWS, u[] = {at, at, at, at};
        uint8_t *code = codes_room();
        float scale = round_stochastic(code, g, u, 4, bits);
        for (int i = 0; i < 4; i++)
            mean[i] += (code[i] - levels) * scale / levels / DRAWS;
    }
    for (int i = 0; i < 4; i++)
        WRONG_UNLESS(fabs(mean[i] - g[i]) < 0.01, "%d bits: %g is read as %g on average", bits,
                     g[i], mean[i]);
}

static void judge(void *unused)
{
    static const float below1 = 0x1.fffffep-1f, zeros[] = {0, 0, 0}, few[] = {0.5f, -3, 1, 0},
                       three[] = {3, 1.25f, -1.25f, 0.375f, -0.375f, 0, -3, -2.75f}, ends[] = {2};
    exercise_tolerance(1e-6, 1e-6);
    exercise_group("a bucket of zeros");
    judge_bucket("0, 0, 0", 4, 3, zeros, 1, 0.25f, 0);
    exercise_group("u = 0");
    judge_bucket("0.5, -3, 1, 0", 2, 4, few, 1, 0, 0);
    judge_bucket("3, 1.25, -1.25, 0.375, -0.375, 0, -3, -2.75", 3, 8, three, 1, 0, 0);
    exercise_group("u = 0.5, the nearest");
    judge_bucket("0.5, -3, 1, 0", 2, 4, few, 1, 0.4375f, 0);
    judge_bucket("3, 1.25, -1.25, 0.375, -0.375, 0, -3, -2.75", 3, 8, three, 1, 0.5f, 0);
    exercise_group(NULL);
    for (int bits = 3; bits <= 8; bits += 1 + 2 * (bits == 4)) {
        judge_bucket("3, 1.25, -1.25, 0.375, -0.375, 0, -3, -2.75", bits, 8, three, 1, 0.3f, 0);
        judge_bucket("3, 1.25, -1.25, 0.375, -0.375, 0, -3, -2.75", bits, 8, three, 1, 0.9f, 0);
    }
    judge_bucket("1e-6 times 3, 1.25, -1.25, 0.375, -0.375, 0, -3, -2.75", 4, 8, three, 1e-6f, 0.3f,
                 0);
    judge_bucket("1000 times 3, 1.25, -1.25, 0.375, -0.375, 0, -3, -2.75", 4, 8, three, 1e3f, 0.3f,
                 0);
    judge_bucket("0.375, -0.375, 0, -3, -2.75", 4, 5, three + 3, 1, 0.1f, 0.2f);
    judge_bucket("3, 1.25, -1.25", 4, 3, three, 1, 0.3f, 0.3f);
    judge_bucket("0.5, -3", 4, 2, few, 1, 0.4f, 0.1f);
    exercise_group("u nearly 1");
    judge_bucket("2", 2, 1, ends, 1, below1, 0);
    judge_bucket("2", 8, 1, ends, 1, below1, 0);
    exercise_compare();
    judge_mean(4);
}

const ExerciseCheck exercise_check = {
    __FILE__, "round_stochastic", 5,
    "right on average over 10,000 draws; each code one of the two nearest", judge};
