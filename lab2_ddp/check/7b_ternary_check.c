/* 7b_ternary_check.c: the check of ternary. */
#include "check_codes.h"

enum { DRAWS = 10000 };

/* n elements; u grows by `more` from one to the next. */
static void judge_bucket(const char *what, int n, const float *g, float clip, float first_u,
                         float more)
{
    float u[8];
    for (int i = 0; i < n; i++)
        u[i] = first_u + (float)i * more;
    uint8_t *code = codes_room();
    float scale = ternary(code, g, u, n, clip);
    exercise_case(more > 0 ? "g = %s, clip = %g, u = %g, %.2g …" : "g = %s, clip = %g, u = %g",
                  what, clip, first_u, first_u + more);
    exercise_value("the scale", scale);
    note_codes(code, n);
}

/* The clipped bucket on average: u at equal distances. */
static void judge_mean(const float *g, float clip)
{
    double mean[7] = {0}, scale = 0;
    for (int k = 0; k < DRAWS; k++) {
        float at = ((float)k + 0.5f) / DRAWS, u[] = {at, at, at, at, at, at, at};
        uint8_t *code = codes_room();
        scale = ternary(code, g, u, 7, clip);
        for (int i = 0; i < 7; i++)
            mean[i] += (code[i] - 1) * scale / DRAWS;
    }
    for (int i = 0; i < 7; i++)
        WRONG_UNLESS(fabs(mean[i] - fmin(fmax(g[i], -scale), scale)) < 0.01,
                     "%g is read as %g on average, with scale %g", g[i], mean[i], scale);
}

static void judge(void *unused)
{
    static const float even[] = {1, -1, 1, 1, -1}, zeros[] = {0, 0, 0},
                       outlier[] = {1, -2, 0.5f, -10, 3, 0, -0.25f};
    exercise_tolerance(1e-6, 1e-5);
    exercise_group("a bucket of zeros");
    judge_bucket("0, 0, 0", 3, zeros, 2.5f, 0.5f, 0);
    judge_bucket("0, 0, 0", 3, zeros, 2.5f, 0, 0);
    exercise_group("buckets of which nothing is clipped");
    judge_bucket("1, -1, 1, 1, -1", 5, even, 2.5f, 0.5f, 0);
    judge_bucket("1, -2, 0.5, -10, 3, 0, -0.25", 7, outlier, 9, 0.15f, 0);
    judge_bucket("1, -2, 0.5, -10, 3, 0, -0.25", 7, outlier, 9, 0.75f, 0);
    judge_bucket("1, -2, 0.5, -10, 3, 0, -0.25", 7, outlier, 9, 0, 0);
    exercise_group("clipped buckets");
    judge_bucket("1, -2, 0.5, -10, 3, 0, -0.25", 7, outlier, 1, 0.04f, 0);
    judge_bucket("1, -2, 0.5, -10, 3, 0, -0.25", 7, outlier, 1, 0.4f, 0);
    judge_bucket("1, -2, 0.5, -10, 3, 0, -0.25", 7, outlier, 0.5f, 0.99f, 0);
    judge_bucket("1, -2, 0.5, -10, 3, 0, -0.25", 7, outlier, 2, 0.25f, 0);
    judge_bucket("1, -2, 0.5, -10", 4, outlier, 1, 0.05f, 0.2f);
    exercise_compare();
    judge_mean(outlier, 1);
}

const ExerciseCheck exercise_check = {
    __FILE__, "ternary", 4,
    "scale at most clip * sigma; the clipped gradient on average over 10,000 "
    "draws",
    judge};
