/* 7h_low_rank_check.c: the check of low_rank. The other rank is played: its p is added. */
#include "check_codes.h"

enum { SIDE = 5, MOST = SIDE * SIDE };

typedef struct Ranks {
    int calls;
    float *p, asked[MOST]; /* what the mean was asked of */
    float other;           /* the other rank's p, element i: other * (i % 3 - 1) */
    int count;
} Ranks;

static void mean(void *context, float *v, int count)
{
    Ranks *ranks = context;
    WRONG_UNLESS(ranks->calls++ == 0, "mean is called twice in a step: once, of p (the caller "
                                      "averages q)");
    WRONG_UNLESS(v == ranks->p, "the mean is not taken of p: the caller averages q");
    WRONG_UNLESS(count == ranks->count, "the mean is over %d numbers, expected rows * rank = %d",
                 count, ranks->count);
    for (int i = 0; i < count; i++) {
        ranks->asked[i] = v[i];
        v[i] = ranks->other == 0 ? v[i] : (v[i] + ranks->other * (float)(i % 3 - 1)) / 2;
    }
}

/* m and q of small whole numbers, m times `size`; q's column `zero` is 0. Returns by how much p qᵀ
 * is off. */
static double judge_step(const char *what, int rows, int columns, int rank, float size, float other,
                         int zero)
{
    float m[MOST], p[MOST + 1], q[MOST + 1];
    Ranks ranks = {.p = p, .count = rows * rank, .other = other};
    for (int i = 0; i < MOST; i++)
        m[i] = size * (float)((7 * i + i * i) % 11 - 4);
    for (int i = 0; i <= MOST; i++)
        p[i] = q[i] = UNSET;
    for (int i = 0; i < columns * rank; i++)
        q[i] = i / columns == zero ? 0 : (float)((3 * i + i * i) % 7 - 2);
    low_rank(p, q, m, rows, columns, rank, mean, &ranks);
    WRONG_UNLESS(ranks.calls, "the mean over the ranks is never taken: each rank keeps its own p");
    WRONG_UNLESS(p[rows * rank] == UNSET && q[columns * rank] == UNSET,
                 "it writes past p [rank * rows] or q [rank * columns]");
    exercise_tolerance(2e-4 * size, 2e-4);
    exercise_case("%s, m [%d][%d], rank %d", what, rows, columns, rank);
    exercise_values("p (before the mean)", ranks.asked, rows * rank);
    exercise_tolerance(2e-4, 2e-4);
    exercise_values("p", p, rows * rank);
    exercise_tolerance(2e-4 * size, 2e-4);
    exercise_values("q", q, columns * rank);
    double off = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double x = m[i * columns + j];
            for (int k = 0; k < rank; k++)
                x -= p[k * rows + i] * q[k * columns + j];
            off = fmax(off, fabs(x));
        }
    return off;
}

static void judge(void *unused)
{
    exercise_group("rank 1");
    judge_step("two equal ranks", 2, 3, 1, 1, 0, -1);
    judge_step("two ranks", 3, 2, 1, 1, 4, -1);
    exercise_group("rank 2");
    double off = judge_step("two equal ranks", 2, 2, 2, 1, 0, -1);
    judge_step("two ranks", 4, 3, 2, 1, 6, -1);
    exercise_group("zeros");
    judge_step("m of zeros", 3, 2, 2, 0, 0, -1);
    judge_step("a column of q of zeros", 4, 3, 2, 1, 0, 1);
    exercise_group(NULL);
    judge_step("two ranks", 5, 4, 3, 1, 6, -1);
    judge_step("m of about 1e-9", 5, 5, 4, 1e-9f, 0, -1);
    judge_step("m of about 1e-13", 3, 2, 1, 1e-13f, 0, -1);
    exercise_compare();
    WRONG_UNLESS(off < 1e-3, "p qᵀ is %g off where the rank is full", off);
}

const ExerciseCheck exercise_check = {
    __FILE__, "low_rank", 5, "one mean, of m q; orthonormal columns; q = mᵀ p; exact at full rank",
    judge};
